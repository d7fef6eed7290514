#include "insight/count/counters.h"

#include "insight/count/count_access.h"
#include "insight/count/launch_run.h"
#include "simt/state/lane_mask.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace tilestep::insight {
namespace {

using simt::for_each_lane;

// Every lane of `mask` has the address of the lane `distance` away from it (lane number xor
// distance), or that one takes no part.
bool shares_addresses(const simt::MemoryEvent& event, std::uint32_t mask, std::uint32_t distance) {
  bool shares = true;
  for_each_lane(mask, [&](std::size_t lane) {
    const std::size_t other = lane ^ distance;
    shares =
        shares && ((mask >> other & 1U) == 0 || event.addresses[other] == event.addresses[lane]);
  });
  return shares;
}

}  // namespace

std::uint32_t count_sectors(const simt::MemoryEvent& event) {
  return static_cast<std::uint32_t>(touched_sectors(event).size());
}

std::uint32_t count_copy_sectors(const simt::MemoryEvent& event) {
  constexpr std::size_t kLanesAtOnce = 8;
  std::uint32_t sectors = 0;
  for (std::size_t first = 0; first < simt::kWarpSize; first += kLanesAtOnce) {
    std::array<std::uint64_t, kLanesAtOnce> pieces{};
    std::size_t count = 0;
    for (std::size_t lane = first; lane < first + kLanesAtOnce; ++lane) {
      const std::uint64_t piece = event.addresses[lane] / kSectorBytes;
      const auto* const end = pieces.begin() + count;
      const bool is_new = std::find(pieces.cbegin(), end, piece) == end;
      if ((event.mask >> lane & 1U) != 0 && is_new) {
        pieces[count++] = piece;
      }
    }
    sectors += static_cast<std::uint32_t>(count);
  }
  return sectors;
}

std::vector<std::uint32_t> lanes_served_together(const simt::MemoryEvent& event) {
  std::vector<std::uint32_t> groups;
  const auto add = [&groups](std::uint32_t lanes) {
    if (lanes != 0) {
      groups.push_back(lanes);
    }
  };
  if (event.bytes <= kBankBytes) {
    add(event.mask);
    return groups;
  }
  const std::uint32_t lanes = std::max(1U, 128U / event.bytes);
  for (std::uint32_t first = 0; first < simt::kWarpSize; first += 2 * lanes) {
    const std::uint32_t part = (1U << lanes) - 1;
    const std::uint32_t low = event.mask & part << first;
    const std::uint32_t high = event.mask & part << (first + lanes);
    if (shares_addresses(event, low | high, 1) || shares_addresses(event, low | high, 2)) {
      add(low | high);
    } else {
      add(low);
      add(high);
    }
  }
  return groups;
}

std::uint32_t bank_passes(const simt::MemoryEvent& event, std::uint32_t lanes) {
  return bank_stacks(event, lanes).passes;
}

std::uint32_t count_wavefronts(const simt::MemoryEvent& event) {
  std::uint32_t passes = 0;
  for (const std::uint32_t lanes : lanes_served_together(event)) {
    passes += bank_passes(event, lanes);
  }
  return passes;
}

struct Counter::Impl {
  explicit Impl(const simt::Program& program) : tally(program) {}

  AccessTally tally;
};

Counter::Counter(const simt::Program& program) : impl_(std::make_unique<Impl>(program)) {}
Counter::~Counter() = default;

void Counter::on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) {
  if (event.space == ptx::Space::Global || event.space == ptx::Space::Shared) {
    impl_->tally.note(info, event);
  }
}

void Counter::on_load_run(const simt::StepInfo& first, const simt::LoadRun& run,
                          simt::MemoryEvent& event) {
  for (const simt::LoadRun::Register& through : run.registers) {
    simt::StepInfo info = first;
    info.pc = run.loads[through.first].pc;
    simt::describe(run, run.loads[through.first], event);
    impl_->tally.note_run(info, event, through.further.size());
  }
}

const Counters& Counter::counters() const {
  return impl_->tally.counters();
}

Counters count(const std::shared_ptr<const simt::Program>& program,
               const std::atomic<bool>* cancel) {
  Counter counter(*program);
  LaunchRun run(program, {simt::ScheduleKind::Sequential});
  run.to_end(&counter, cancel);
  Counters counters = counter.counters();
  counters.warp_instructions = run.steps;
  return counters;
}

}  // namespace tilestep::insight
