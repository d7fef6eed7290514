#include "insight/count/representatives.h"

#include "insight/count/affine_tracker.h"
#include "insight/count/block_meter.h"
#include "insight/count/profile_classes.h"
#include "insight/count/reuse.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tilestep::insight {
namespace {

// Instructions of a warp between two looks at whether to go on.
constexpr std::uint64_t kSlice = 1 << 14;
// More classes than this share of the blocks: executing all is as good.
constexpr std::uint64_t kFewBlocks = 16;

bool is_set(const std::atomic<bool>* flag) {
  return flag != nullptr && flag->load(std::memory_order_relaxed);
}

std::array<std::uint32_t, 3> coordinates(const problem::Dim3& index) {
  return {index.x, index.y, index.z};
}

class Representatives {
 public:
  Representatives(std::shared_ptr<const simt::Program> program, Profile& result,
                  const std::atomic<bool>* cancel)
      : program_(std::move(program)),
        machine_(program_),
        meter_(*program_),
        result_(result),
        cancel_(cancel) {
    for (const problem::Buffer& buffer : program_->launch().buffers) {
      reads_.emplace_back(buffer);
    }
  }

  [[nodiscard]] bool run() {
    const problem::Dim3& grid = program_->launch().grid;
    pending_.push_back({{0, 0, 0}, {grid.x - 1, grid.y - 1, grid.z - 1}});
    while (!pending_.empty()) {
      const BlockRange range = pending_.back();
      pending_.pop_back();
      if (!run_first_of(range)) {
        return false;
      }
    }
    result_.classes = classes_.take();
    for (const ReadCounts& reads : reads_) {
      result_.reuse.push_back(reads.reuse());
    }
    return true;
  }

 private:
  // Executes a range's first block, adds those that do the same, and leaves the others pending.
  bool run_first_of(const BlockRange& range) {
    const problem::Dim3 first{range.first[0], range.first[1], range.first[2]};
    const auto block = static_cast<std::uint32_t>(program_->launch().grid.linear(first));
    meter_.clear();
    AffineTracker tracker(machine_, meter_, block, BlockDomain(range, first));
    if (result_.blocks_executed * 2 > result_.blocks && result_.blocks > kFewBlocks) {
      return give_up("almost every block does something different");
    }
    execute(block, tracker);
    ++result_.blocks_executed;
    if (is_set(cancel_)) {
      result_.cancelled = true;
      return true;
    }
    if (tracker.failure().empty() && meter_.splits_elements()) {
      return give_up("from block to block an address moves by a fraction of an element");
    }
    if (!tracker.failure().empty()) {
      return give_up(tracker.failure());
    }
    add(tracker.domain().range(), coordinates(first));
    leave_rest(range, tracker.domain().range());
    return true;
  }

  bool give_up(const std::string& why) {
    result_.why_full = why;
    return false;
  }

  // Block by itself, warp after warp: the order makes no difference to what is counted.
  void execute(std::uint32_t block, AffineTracker& tracker) {
    bool moved = true;
    while (moved && tracker.failure().empty() && !is_set(cancel_)) {
      moved = false;
      for (std::uint32_t warp = 0; warp < program_->warps_per_block(); ++warp) {
        const simt::WarpId id{block, warp};
        while (tracker.failure().empty() && !is_set(cancel_) &&
               machine_.warp(id).status == simt::WarpStatus::Ready) {
          machine_.run(id, kSlice, &tracker);
          moved = true;
        }
      }
    }
    if (machine_.block_status(block) == simt::BlockStatus::Running && !moved) {
      machine_.stop_deadlocked(block, &tracker);
    }
  }

  // Blocks of the domain have the same profile where they are a multiple of the period apart.
  void add(const BlockRange& domain, const std::array<std::uint32_t, 3>& first) {
    const std::array<std::uint32_t, 3> periods = meter_.periods();
    std::array<std::uint32_t, 3> residues{};
    for (std::size_t i = 0; i < 3; ++i) {
      residues[i] = std::min(periods[i], domain.last[i] - domain.first[i] + 1);
    }
    for (std::uint32_t z = 0; z < residues[2]; ++z) {
      for (std::uint32_t y = 0; y < residues[1]; ++y) {
        for (std::uint32_t x = 0; x < residues[0]; ++x) {
          const std::array<std::uint32_t, 3> away{x, y, z};
          BlockSet set;
          for (std::size_t i = 0; i < 3; ++i) {
            set.first[i] = domain.first[i] + away[i];
            set.count[i] = (domain.last[i] - set.first[i]) / periods[i] + 1;
            set.step[i] = set.count[i] == 1 ? 1 : periods[i];
          }
          classes_.add(meter_.profile(away), set);
        }
      }
    }
    for (std::size_t buffer = 0; buffer < reads_.size(); ++buffer) {
      reads_[buffer].add(meter_.footprints()[buffer], domain, first);
    }
  }

  // The range without the domain, which starts at the same block, as ranges.
  void leave_rest(const BlockRange& range, const BlockRange& domain) {
    BlockRange rest = range;
    for (std::size_t i = 3; i-- > 0;) {
      if (domain.last[i] < rest.last[i]) {
        BlockRange behind = rest;
        behind.first[i] = domain.last[i] + 1;
        pending_.push_back(behind);
        rest.last[i] = domain.last[i];
      }
    }
  }

  std::shared_ptr<const simt::Program> program_;
  simt::Machine machine_;
  BlockMeter meter_;
  Profile& result_;
  const std::atomic<bool>* cancel_;
  std::vector<BlockRange> pending_;
  ProfileClasses classes_;
  std::vector<ReadCounts> reads_;
};

}  // namespace

bool profile_by_representatives(const std::shared_ptr<const simt::Program>& program,
                                Profile& result, const std::atomic<bool>* cancel) {
  result.method = Method::Representatives;
  result.blocks = program->block_count();
  result.blocks_executed = 0;
  return Representatives(program, result, cancel).run();
}

}  // namespace tilestep::insight
