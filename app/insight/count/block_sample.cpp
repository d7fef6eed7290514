#include "insight/count/block_sample.h"

#include "insight/count/affine_tracker.h"
#include "insight/count/block_axes.h"
#include "insight/count/block_meter.h"
#include "insight/count/block_run.h"
#include "insight/count/loop_skipper.h"
#include "insight/count/profile_classes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace tilestep::insight {
namespace {

constexpr std::uint64_t kMostOfAPart = 256;  // blocks

// Counts one block that runs by itself.
class LoneMeter final : public simt::Observer {
 public:
  explicit LoneMeter(const simt::Program& program) : meter_(program) {}

  [[nodiscard]] bool wants_steps() const override { return true; }
  void before_step(const simt::StepInfo& info) override {
    meter_.on_step(info);
    ++steps_;
  }
  void on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) override {
    if (event.space == ptx::Space::Global || event.space == ptx::Space::Shared) {
      meter_.on_access(info, event, {});
    }
  }
  void on_barrier(const simt::StepInfo&, const simt::BarrierEvent& event) override {
    if (event.action == simt::BarrierAction::Release && event.whole_block) {
      meter_.on_block_barrier();
    }
  }
  [[nodiscard]] const BlockMeter& meter() const { return meter_; }
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  BlockMeter meter_;
  std::uint64_t steps_ = 0;
};

// Counts single blocks, with few iterations of their loops where that is proved to be enough.
class BlockCounter {
 public:
  BlockCounter(std::shared_ptr<const simt::Program> program, const std::function<bool()>& stop)
      : program_(std::move(program)), stop_(stop), axes_(program_->launch().grid) {}

  // Nothing: it waits for another block. Stopped: what was counted so far.
  [[nodiscard]] std::optional<BlockProfile> count(const problem::Dim3& index) {
    const auto block = static_cast<std::uint32_t>(program_->launch().grid.linear(index));
    if (skips_) {
      if (auto profile = count_with_proof(index, block)) {
        return profile;
      }
      skips_ = false;  // the next one would fail as well
    }
    LoneMeter meter(*program_);
    const bool alone = BlockRun(program_, block).to_end(&meter, stop_);
    steps_ += meter.steps();
    return alone ? std::optional(meter.meter().profile()) : std::nullopt;
  }
  // Warp instructions executed.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  [[nodiscard]] std::optional<BlockProfile> count_with_proof(const problem::Dim3& index,
                                                             std::uint32_t block) {
    const AxisPoint at{index.x, index.y, index.z};
    BlockMeter meter(*program_);
    simt::Machine machine(program_, {block, block + 1});
    AffineTracker tracker(machine, meter, block, axes_, BlockDomain({at, at}, at));
    LoopSkipper run(machine, tracker, meter, block, never_skipped_);
    run.to_end([&] { return !tracker.failure().empty() || stop_(); });
    steps_ += run.steps();
    if (tracker.failure().empty() || stop_()) {
      return meter.profile();
    }
    const std::size_t known = never_skipped_.size();
    never_skipped_.insert(run.tried_in_vain().begin(), run.tried_in_vain().end());
    return never_skipped_.size() > known ? count_with_proof(index, block) : std::nullopt;
  }

  std::shared_ptr<const simt::Program> program_;
  const std::function<bool()>& stop_;
  BlockAxes axes_;
  std::set<std::uint32_t> never_skipped_;  // heads of loops
  bool skips_ = true;
  std::uint64_t steps_ = 0;
};

// The first, the inner or the last blocks of a dimension.
std::vector<std::pair<std::uint32_t, std::uint32_t>> spans_of(std::uint32_t extent) {
  if (extent <= 2) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> each{{0, 1}};
    if (extent == 2) {
      each.emplace_back(1, 1);
    }
    return each;
  }
  return {{0, 1}, {1, extent - 2}, {extent - 1, 1}};
}

// A box of blocks, and those of it that were executed.
struct GridPart {
  std::array<std::uint32_t, 3> first{};
  std::array<std::uint32_t, 3> count{1, 1, 1};
  std::vector<std::uint64_t> taken;  // by place in the part
  std::vector<BlockProfile> profiles;

  [[nodiscard]] std::uint64_t blocks() const {
    return std::uint64_t{count[0]} * count[1] * count[2];
  }
  [[nodiscard]] problem::Dim3 at(std::uint64_t place) const {
    const problem::Dim3 in = problem::Dim3{count[0], count[1], count[2]}.at(place);
    return {first[0] + in.x, first[1] + in.y, first[2] + in.z};
  }
};

std::vector<GridPart> parts_of(const problem::Dim3& grid) {
  std::vector<GridPart> parts;
  for (const auto& [z, deep] : spans_of(grid.z)) {
    for (const auto& [y, high] : spans_of(grid.y)) {
      for (const auto& [x, wide] : spans_of(grid.x)) {
        GridPart part;
        part.first = {x, y, z};
        part.count = {wide, high, deep};
        parts.push_back(std::move(part));
      }
    }
  }
  return parts;
}

std::uint64_t steps_of(const BlockProfile& profile) {
  std::uint64_t all = 0;
  for (const Execution& e : profile.executions) {
    all += e.instructions;
  }
  return all;
}

std::uint64_t sectors_of(const BlockProfile& profile) {
  std::uint64_t all = 0;
  for (const Access& a : profile.accesses) {
    all += a.traffic.sectors;
  }
  return all;
}

double relative_error(const std::vector<GridPart>& parts,
                      std::uint64_t (*quantity)(const BlockProfile&)) {
  double sum = 0.0;
  double variance_of_sum = 0.0;
  for (const GridPart& part : parts) {
    const auto n = static_cast<double>(part.profiles.size());
    const auto blocks = static_cast<double>(part.blocks());
    double mean = 0.0;
    for (const BlockProfile& profile : part.profiles) {
      mean += static_cast<double>(quantity(profile)) / n;
    }
    double squares = 0.0;
    for (const BlockProfile& profile : part.profiles) {
      squares += std::pow(static_cast<double>(quantity(profile)) - mean, 2);
    }
    sum += blocks * mean;
    variance_of_sum += n < 2 ? 0.0 : blocks * (blocks - n) * squares / (n - 1) / n;
  }
  return sum == 0.0 ? 0.0 : 2.0 * std::sqrt(variance_of_sum) / sum;
}

}  // namespace

bool profile_by_sample(const std::shared_ptr<const simt::Program>& program,
                       std::uint64_t most_steps, Profile& result, const std::atomic<bool>* cancel) {
  const std::function<bool()> stop = [&] {
    return cancel != nullptr && cancel->load(std::memory_order_relaxed);
  };
  std::vector<GridPart> parts = parts_of(program->launch().grid);
  BlockCounter counter(program, stop);
  std::mt19937_64 random;  // the same blocks each time
  result.method = Method::Sample;
  result.blocks = program->block_count();
  result.blocks_executed = 0;
  for (std::uint64_t round = 0; round < kMostOfAPart && (round < 2 || counter.steps() < most_steps);
       ++round) {
    for (GridPart& part : parts) {
      if (part.taken.size() == part.blocks()) {
        continue;
      }
      std::uint64_t place = 0;
      do {
        place = random() % part.blocks();
      } while (std::ranges::count(part.taken, place) != 0);
      std::optional<BlockProfile> profile = counter.count(part.at(place));
      if (!profile) {
        return false;
      }
      if (stop()) {
        result.cancelled = true;
        return true;
      }
      ++result.blocks_executed;
      part.taken.push_back(place);
      part.profiles.push_back(std::move(*profile));
    }
  }
  result.error = std::max(relative_error(parts, steps_of), relative_error(parts, sectors_of));
  for (GridPart& part : parts) {
    const std::uint64_t taken = part.taken.size();
    for (std::uint64_t i = 0; i < taken; ++i) {
      const std::uint64_t stands_for = part.blocks() / taken + (i < part.blocks() % taken ? 1 : 0);
      const problem::Dim3 index = part.at(part.taken[i]);
      BlockSet set;
      set.first = {index.x, index.y, index.z};
      result.classes.push_back({{set}, stands_for, std::move(part.profiles[i])});
    }
  }
  result.reuse.resize(program->launch().buffers.size());
  return true;
}

}  // namespace tilestep::insight
