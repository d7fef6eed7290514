#include "insight/count/block_run.h"

namespace tilestep::insight {
namespace {

// Instructions of a warp before the next one has its turn.
constexpr std::uint64_t kSlice = 1 << 9;

}  // namespace

bool BlockRun::to_end(simt::Observer* observer, const std::function<bool()>& stop) {
  bool moved = true;
  while (moved && !stop()) {
    moved = false;
    for (std::uint32_t warp = 0; warp < machine_.program().warps_per_block(); ++warp) {
      const simt::WarpId id{block_, warp};
      if (machine_.warp(id).status == simt::WarpStatus::Ready && !stop()) {
        machine_.run(id, kSlice, observer);
        moved = true;
      }
    }
  }
  if (machine_.block_status(block_) != simt::BlockStatus::Running || stop()) {
    return true;
  }
  machine_.stop_deadlocked(block_, observer);
  return false;
}

}  // namespace tilestep::insight
