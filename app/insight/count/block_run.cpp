#include "insight/count/block_run.h"

namespace tilestep::insight {
namespace {

// Instructions of a warp between two looks at whether to go on.
constexpr std::uint64_t kSlice = 1 << 14;

}  // namespace

bool BlockRun::to_end(simt::Observer* observer, const std::function<bool()>& stop) {
  bool moved = true;
  while (moved && !stop()) {
    moved = false;
    for (std::uint32_t warp = 0; warp < machine_.program().warps_per_block(); ++warp) {
      const simt::WarpId id{block_, warp};
      while (machine_.warp(id).status == simt::WarpStatus::Ready && !stop()) {
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
