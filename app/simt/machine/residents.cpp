#include "simt/machine/residents.h"

#include "simt/machine/machine_impl.h"
#include "simt/machine/program.h"
#include "simt/machine/schedule.h"

#include <algorithm>
#include <numeric>

namespace tilestep::simt {
namespace {

[[nodiscard]] bool is_deadlocked(const MachineState& state, std::uint32_t block) {
  if (state.statuses[block] != BlockStatus::Running) {
    return false;
  }
  const std::vector<Warp>& warps = state.blocks[block]->warps;
  return std::none_of(warps.begin(), warps.end(),
                      [](const Warp& warp) { return warp.status == WarpStatus::Ready; });
}

}  // namespace

bool is_busy(const MachineState& state, std::uint32_t block) {
  if (state.statuses[block] != BlockStatus::Running) {
    return state.statuses[block] == BlockStatus::NotStarted;
  }
  const std::vector<Warp>& warps = state.blocks[block]->warps;
  return std::any_of(warps.begin(), warps.end(), [](const Warp& warp) {
    return warp.status == WarpStatus::Ready && warp.vain_yields == 0;
  });
}

void stop_deadlocked(Machine& machine, std::span<const std::uint32_t> blocks, Observer* observer) {
  for (const std::uint32_t block : blocks) {
    if (is_deadlocked(machine.impl().state, block)) {
      machine.stop_deadlocked(block, observer);
    }
  }
}

std::uint32_t resident_blocks(const Program& program) {
  const std::uint64_t fitting = kResidentBytes / block_bytes(*program.data());
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(fitting, 1, std::uint64_t{kResidentBlocks}));
}

Residents::Residents(BlockPart part, std::uint32_t limit)
    : blocks_(std::min(part.count(), limit)),
      next_(part.first + static_cast<std::uint32_t>(blocks_.size())),
      end_(part.last),
      limit_(limit) {
  std::iota(blocks_.begin(), blocks_.end(), part.first);
}

void Residents::admit(Machine& machine, Observer* observer) {
  if (next_ == end_) {
    return;
  }
  stop_deadlocked(machine, blocks_, observer);
  const MachineState& state = machine.impl().state;
  std::erase_if(blocks_, [&](std::uint32_t block) {
    return state.statuses[block] == BlockStatus::Ended ||
           state.statuses[block] == BlockStatus::Stopped;
  });
  auto busy = std::count_if(blocks_.begin(), blocks_.end(),
                            [&](std::uint32_t block) { return is_busy(state, block); });
  for (; busy < limit_ && next_ < end_; ++next_) {
    blocks_.push_back(next_);
    busy += is_busy(state, next_) ? 1 : 0;
  }
}

}  // namespace tilestep::simt
