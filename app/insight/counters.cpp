#include "insight/counters.h"

#include "insight/access_shape.h"
#include "insight/count_access.h"

#include <algorithm>
#include <bit>

namespace tilestep::insight {
namespace {

constexpr std::uint64_t kSectorBytes = 32;
constexpr std::uint64_t kBankBytes = 4;
constexpr std::uint32_t kBanks = 32;

template <class F>
void for_each_lane(std::uint32_t mask, F&& f) {
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    f(static_cast<std::size_t>(std::countr_zero(rest)));
  }
}

std::size_t count_distinct(std::vector<std::uint64_t>& values) {
  std::sort(values.begin(), values.end());
  return static_cast<std::size_t>(std::unique(values.begin(), values.end()) - values.begin());
}

// Passes that the lanes of `mask` need: the most distinct words in one bank.
std::uint32_t bank_passes(const simt::MemoryEvent& event, std::uint32_t mask) {
  std::vector<std::uint64_t> words;
  for_each_lane(mask, [&](std::size_t lane) {
    const std::uint64_t last = (event.addresses[lane] + event.bytes - 1) / kBankBytes;
    for (std::uint64_t word = event.addresses[lane] / kBankBytes; word <= last; ++word) {
      words.push_back(word);
    }
  });
  words.resize(count_distinct(words));
  std::uint32_t in_bank[kBanks] = {};
  std::uint32_t most = 0;
  for (const std::uint64_t word : words) {
    most = std::max(most, ++in_bank[word % kBanks]);
  }
  return most;
}

}  // namespace

std::uint32_t count_sectors(const simt::MemoryEvent& event) {
  std::vector<std::uint64_t> sectors;
  for_each_lane(event.mask, [&](std::size_t lane) {
    const std::uint64_t last = (event.addresses[lane] + event.bytes - 1) / kSectorBytes;
    for (std::uint64_t s = event.addresses[lane] / kSectorBytes; s <= last; ++s) {
      sectors.push_back(s);
    }
  });
  return static_cast<std::uint32_t>(count_distinct(sectors));
}

std::uint32_t count_wavefronts(const simt::MemoryEvent& event) {
  // 64-bit accesses are served by half warps, 128-bit ones by quarters.
  const std::uint32_t lanes = event.bytes <= 4 ? 32U : std::max(1U, 128U / event.bytes);
  std::uint32_t passes = 0;
  for (std::uint32_t first = 0; first < simt::kWarpSize; first += lanes) {
    const std::uint32_t group = lanes == 32 ? ~0U : ((1U << lanes) - 1) << first;
    passes += bank_passes(event, event.mask & group);
  }
  return passes;
}

std::vector<std::uint32_t> buffer_element_bytes(const simt::Program& program) {
  std::vector<std::uint32_t> bytes;
  for (const problem::Buffer& buffer : program.launch().buffers) {
    bytes.push_back(static_cast<std::uint32_t>(problem::byte_size(buffer.type)));
  }
  return bytes;
}

struct Counter::Impl {
  explicit Impl(const simt::Program& p)
      : shapes(p.module()), element_bytes(buffer_element_bytes(p)) {
    counters.buffers.resize(element_bytes.size());
  }

  ShapeCache shapes;
  Counters counters;
  std::vector<std::uint32_t> element_bytes;
};

Counter::Counter(const simt::Program& program) : impl_(std::make_unique<Impl>(program)) {}
Counter::~Counter() = default;

void Counter::on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) {
  if (event.space == ptx::Space::Global || event.space == ptx::Space::Shared) {
    count_access(impl_->counters, impl_->element_bytes, event, impl_->shapes.find(info, event));
  }
}

const Counters& Counter::counters() const {
  return impl_->counters;
}

}  // namespace tilestep::insight
