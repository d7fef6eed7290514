#include "insight/count/count_access.h"

#include <algorithm>
#include <numeric>

namespace tilestep::insight {
namespace {

constexpr std::uint64_t kSharedHigh = simt::kSharedWindow >> 32;
constexpr std::uint64_t kFirstGlobalHigh = simt::kGlobalWindow >> 32;

AccessCounters& counters_of(Counters& counters, simt::AccessKind kind, bool shared) {
  switch (kind) {
    case simt::AccessKind::Load:
      return shared ? counters.shared_loads : counters.global_loads;
    case simt::AccessKind::Store:
      return shared ? counters.shared_stores : counters.global_stores;
    case simt::AccessKind::Atomic:
      break;
  }
  return shared ? counters.shared_atomics : counters.global_atomics;
}

}  // namespace

std::vector<std::uint32_t> buffer_element_bytes(const simt::Program& program) {
  std::vector<std::uint32_t> bytes;
  for (const problem::Buffer& buffer : program.launch().buffers) {
    bytes.push_back(static_cast<std::uint32_t>(problem::byte_size(buffer.type)));
  }
  return bytes;
}

AccessTally::AccessTally(const simt::Program& program)
    : shapes_(program.module(), [this](Shape& shape) { add(shape); }),
      element_bytes_(buffer_element_bytes(program)) {
  counters_.buffers.resize(element_bytes_.size());
}

void AccessTally::add_elements(simt::AccessKind kind, std::uint64_t window, std::uint32_t bytes,
                               std::uint64_t accesses) {
  const std::uint64_t index = window - kFirstGlobalHigh;
  if (index >= counters_.buffers.size()) {
    return;
  }
  const std::uint64_t elements = accesses * std::max(1U, bytes / element_bytes_[index]);
  BufferCounters& buffer = counters_.buffers[index];
  buffer.loads += kind != simt::AccessKind::Store ? elements : 0;
  buffer.stores += kind != simt::AccessKind::Load ? elements : 0;
}

void AccessTally::add(Shape& shape) {
  const std::uint64_t uses = std::accumulate(shape.uses.begin(), shape.uses.end(), 0ULL);
  if (uses == 0) {
    return;
  }
  const bool shared = shape.window == kSharedHigh;
  AccessCounters& to = counters_of(counters_, shape.kind, shared);
  to.requests += uses;
  to.elements += uses * shape.lanes;
  to.bytes += uses * shape.lanes * shape.bytes;
  const std::uint64_t sectors = std::inner_product(shape.uses.begin(), shape.uses.end(),
                                                   shape.sectors.begin(), std::uint64_t{0});
  if (shape.skips_l1 && shared) {
    counters_.global_loads.sectors += sectors;
  }
  if (shared) {
    to.wavefronts += uses * shape.wavefronts;
  } else {
    to.sectors += shape.skips_l1 ? 0 : sectors;
    add_elements(shape.kind, shape.window, shape.bytes, uses * shape.lanes);
  }
  shape.uses = {};
}

void AccessTally::note_apart(const simt::StepInfo& info, const simt::MemoryEvent& event,
                             Shape& shape) {
  if (event.is_arrival || ptx::is_mbarrier(*info.instruction)) {
    return;  // counted where it was issued
  }
  const bool by_thread = event.agent == simt::AccessAgent::Thread;
  if (!by_thread && event.space == ptx::Space::Shared) {
    return;  // no business of the load/store unit
  }
  AccessCounters& to = counters_of(counters_, event.kind, event.space == ptx::Space::Shared);
  to.requests += by_thread ? 1 : 0;
  to.elements += shape.lanes;
  to.bytes += std::uint64_t{shape.lanes} * event.bytes;
  to.sectors += event.skips_l1 || !by_thread ? 0 : ShapeCache::sectors(shape, event);
  for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
    add_elements(event.kind, event.addresses[lane] >> 32, event.bytes, 1);
  }
}

}  // namespace tilestep::insight
