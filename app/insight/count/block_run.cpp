#include "insight/count/block_run.h"

namespace tilestep::insight {
namespace {

// Instructions of a warp before the next one has its turn.
constexpr std::uint64_t kTurn = 1 << 9;

}  // namespace

bool run_block(simt::Machine& machine, std::uint32_t block, simt::Observer* observer,
               const std::function<bool()>& stop, std::uint64_t* steps) {
  bool moved = true;
  while (moved && !stop()) {
    moved = false;
    for (std::uint32_t warp = 0; warp < machine.program().warps_per_block(); ++warp) {
      const simt::WarpId id{block, warp};
      if (machine.warp(id).status == simt::WarpStatus::Ready && !stop()) {
        const std::uint64_t made = machine.run(id, kTurn, observer);
        if (steps != nullptr) {
          *steps += made;
        }
        moved = true;
      }
    }
  }
  if (machine.block_status(block) != simt::BlockStatus::Running || stop()) {
    return true;
  }
  machine.stop_deadlocked(block, observer);
  return false;
}

}  // namespace tilestep::insight
