#include "insight/count/block_sample.h"

#include "insight/count/affine_tracker.h"
#include "insight/count/block_meter.h"
#include "insight/count/loop_skipper.h"
#include "insight/count/representatives.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

namespace tilestep::insight {
namespace {

constexpr std::uint64_t kSmallPart = 50;    // times smaller than the largest: one block is enough
constexpr std::uint64_t kLeastFurther = 6;  // blocks beyond the first ones, at least
constexpr std::uint64_t kMostFurther = 256;
// If the first blocks take this many times the allowed steps, small parts count as the largest.
constexpr std::uint64_t kTooLong = 3;

// Counts one block that runs alone.
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

// Counts single blocks, with few iterations of their loops if a proof shows that these are enough.
class BlockCounter {
 public:
  BlockCounter(std::shared_ptr<const simt::Program> program, const std::function<bool()>& stop,
               SampledBlocks wanted)
      : program_(std::move(program)),
        stop_(stop),
        axes_(program_->launch().grid),
        wanted_(wanted) {}

  // Empty: the block waits for another one, or there is no proof and one is wanted. Stopped: the
  // counts so far.
  [[nodiscard]] std::optional<BlockProfile> count(const problem::Dim3& index) {
    const auto block = static_cast<std::uint32_t>(program_->launch().grid.linear(index));
    if (skips_) {
      if (auto profile = count_with_proof(index, block)) {
        return profile;
      }
      skips_ = false;  // the next one would fail as well
    }
    if (wanted_ == SampledBlocks::Proved) {
      return std::nullopt;
    }
    LoneMeter meter(*program_);
    const bool alone = BlockRun(program_, block).to_end(&meter, stop_);
    steps_ += meter.steps();
    return alone ? std::optional(meter.meter().profile()) : std::nullopt;
  }
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  [[nodiscard]] std::optional<BlockProfile> count_with_proof(const problem::Dim3& index,
                                                             std::uint32_t block) {
    const AxisPoint at{index.x, index.y, index.z};
    BlockMeter meter(*program_);
    simt::Machine machine(program_, {block, block + 1});
    AffineTracker tracker(machine, meter, block, axes_, BlockDomain({at, at}, at));
    if (wanted_ == SampledBlocks::Any) {
      tracker.follow_contents();
    }
    LoopSkipper run(machine, tracker, meter, block, loop_periods_);
    const bool alone = run.to_end([&] { return !tracker.failure().empty() || stop_(); });
    steps_ += run.steps();
    if ((alone && tracker.failure().empty()) || stop_()) {
      return meter.profile();
    }
    return loop_periods_.learn(run.periods()) ? count_with_proof(index, block) : std::nullopt;
  }

  std::shared_ptr<const simt::Program> program_;
  const std::function<bool()>& stop_;
  BlockAxes axes_;
  LoopPeriods loop_periods_;
  SampledBlocks wanted_;
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

// A box of blocks, and its executed blocks.
struct GridPart {
  BlockRange range;
  std::vector<std::uint64_t> taken;  // by place in the part
  std::vector<BlockProfile> profiles;

  [[nodiscard]] std::uint64_t blocks() const { return range.count(); }
  [[nodiscard]] AxisPoint at(std::uint64_t place) const {
    AxisPoint point = range.first;
    for (std::size_t i = 0; i < kBlockAxes; ++i) {
      const std::uint32_t extent = range.last[i] - range.first[i] + 1;
      point[i] += static_cast<std::uint32_t>(place % extent);
      place /= extent;
    }
    return point;
  }
};

// The grid's parts along x, y and z.
std::vector<GridPart> parts_of(const problem::Dim3& grid) {
  std::vector<GridPart> parts;
  for (const auto& [z, deep] : spans_of(grid.z)) {
    for (const auto& [y, high] : spans_of(grid.y)) {
      for (const auto& [x, wide] : spans_of(grid.x)) {
        GridPart part;
        part.range.first = {x, y, z};
        part.range.last = {x + wide - 1, y + high - 1, z + deep - 1};
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

using Quantity = std::uint64_t (*)(const BlockProfile&);

// Mean and variance of the samples; of a single block the variance is 0.
struct Moments {
  double mean = 0.0;
  double variance = 0.0;
};

Moments moments(const GridPart& part, Quantity quantity) {
  const auto n = static_cast<double>(part.profiles.size());
  Moments of;
  for (const BlockProfile& profile : part.profiles) {
    of.mean += static_cast<double>(quantity(profile)) / n;
  }
  for (const BlockProfile& profile : part.profiles) {
    const double away = static_cast<double>(quantity(profile)) - of.mean;
    of.variance += n < 2 ? 0.0 : away * away / (n - 1);
  }
  return of;
}

std::vector<GridPart> parts_of(const std::vector<BlockRange>& ranges) {
  std::vector<GridPart> parts;
  for (const BlockRange& range : ranges) {
    parts.emplace_back().range = range;
  }
  return parts;
}

const GridPart& largest(const std::vector<GridPart>& parts) {
  return *std::ranges::max_element(parts, {}, &GridPart::blocks);
}

// `proved`: the classes whose counts are exact.
double relative_error(const std::vector<GridPart>& parts, const std::vector<BlockClass>& proved,
                      Quantity quantity) {
  const Moments most = moments(largest(parts), quantity);
  double sum = 0.0;
  for (const BlockClass& c : proved) {
    sum += static_cast<double>(c.blocks) * static_cast<double>(quantity(c.profile));
  }
  double variance_of_sum = 0.0;
  for (const GridPart& part : parts) {
    const auto n = static_cast<double>(part.profiles.size());
    const auto blocks = static_cast<double>(part.blocks());
    if (part.profiles.empty()) {
      sum += blocks * most.mean;
      continue;
    }
    Moments of = moments(part, quantity);
    if (n < 2 && most.mean > 0.0) {  // variance of the largest part
      of.variance = most.variance * std::pow(of.mean / most.mean, 2);
    }
    sum += blocks * of.mean;
    variance_of_sum += blocks * (blocks - n) * of.variance / n;
  }
  return sum == 0.0 ? 0.0 : 2.0 * std::sqrt(variance_of_sum) / sum;
}

// The part in which one more block reduces the error most; null if all blocks are taken.
GridPart* most_uncertain(std::vector<GridPart>& parts) {
  GridPart* worst = nullptr;
  double most = -1.0;
  for (GridPart& part : parts) {
    const auto n = static_cast<double>(part.taken.size());
    const auto blocks = static_cast<double>(part.blocks());
    const double gain = blocks * blocks / (n * (n + 1)) * moments(part, sectors_of).variance;
    if (!part.taken.empty() && part.taken.size() < part.blocks() && gain > most) {
      most = gain;
      worst = &part;
    }
  }
  return worst;
}

// Line of the first atomic operation on global memory that returns a value; 0: there is none.
std::uint32_t atomic_line_of(const simt::Program& program, const std::vector<GridPart>& parts) {
  for (const GridPart& part : parts) {
    for (const BlockProfile& profile : part.profiles) {
      for (const Access& access : profile.accesses) {
        const ptx::Function& function = program.module().functions[access.spot.function];
        if (access.kind == simt::AccessKind::Atomic && access.target != kSharedTarget &&
            function.instructions[access.spot.pc].op == ptx::Opcode::Atom) {
          return ptx::statement_line(function, access.spot.pc);
        }
      }
    }
  }
  return 0;
}

// Each sampled block represents its share of the part and of `unseen` others.
void add_classes(const BlockAxes& axes, GridPart& part, std::uint64_t unseen, Profile& result) {
  const std::uint64_t blocks = part.blocks() + unseen;
  const std::uint64_t taken = part.taken.size();
  for (std::uint64_t i = 0; i < taken; ++i) {
    const std::uint64_t stands_for = blocks / taken + (i < blocks % taken ? 1 : 0);
    const problem::Dim3 index = axes.block_at(part.at(part.taken[i]));
    BlockSet set;
    set.first = {index.x, index.y, index.z};
    result.classes.push_back({{set}, stands_for, std::move(part.profiles[i])});
  }
}

// Takes blocks until the estimate is good enough. False: a block cannot be counted alone.
class Sampler {
 public:
  Sampler(BlockCounter& counter, const BlockAxes& axes, std::vector<GridPart>& parts,
          const std::function<bool()>& stop)
      : counter_(counter), axes_(axes), parts_(parts), stop_(stop) {}

  [[nodiscard]] bool run(std::uint64_t most_steps) {
    const std::uint64_t inside = largest(parts_).blocks();
    std::ranges::stable_sort(parts_, std::ranges::greater(), &GridPart::blocks);
    for (GridPart& part : parts_) {
      const bool is_small = part.blocks() * kSmallPart <= inside;
      if (is_small && counter_.steps() > kTooLong * most_steps) {
        continue;
      }
      const std::uint64_t wanted = is_small ? 1 : 2;
      for (std::uint64_t n = 0; n < std::min(part.blocks(), wanted) && !stop_(); ++n) {
        if (!take(part)) {
          return false;
        }
      }
    }
    for (std::uint64_t n = 0; n < kMostFurther && !stop_(); ++n) {
      GridPart* const part = most_uncertain(parts_);
      const std::uint64_t limit = n < kLeastFurther ? kTooLong * most_steps : most_steps;
      if (part == nullptr || counter_.steps() >= limit) {
        break;
      }
      if (!take(*part)) {
        return false;
      }
    }
    return true;
  }

 private:
  [[nodiscard]] bool take(GridPart& part) {
    std::uint64_t place = 0;
    do {
      place = random_() % part.blocks();
    } while (std::ranges::count(part.taken, place) != 0);
    std::optional<BlockProfile> profile = counter_.count(axes_.block_at(part.at(place)));
    if (!profile) {
      return false;
    }
    part.taken.push_back(place);
    part.profiles.push_back(std::move(*profile));
    return true;
  }

  BlockCounter& counter_;
  const BlockAxes& axes_;
  std::vector<GridPart>& parts_;
  const std::function<bool()>& stop_;
  std::mt19937_64 random_;  // default seed: the same blocks each time
};

// Instructions of a warp in one turn.
constexpr std::uint64_t kTurn = 1 << 9;

bool is_set(void* flag) {
  return static_cast<const std::atomic<bool>*>(flag)->load(std::memory_order_relaxed);
}

}  // namespace

bool profile_by_sample(const std::shared_ptr<const simt::Program>& program,
                       std::uint64_t most_steps, Profile& result, const std::atomic<bool>* cancel,
                       SampledBlocks blocks, const PartialProof* known) {
  const std::function<bool()> stop = [&] {
    return cancel != nullptr && cancel->load(std::memory_order_relaxed);
  };
  const BlockAxes axes = known != nullptr ? known->axes : BlockAxes(program->launch().grid);
  std::vector<GridPart> parts =
      known != nullptr ? parts_of(known->rest) : parts_of(program->launch().grid);
  BlockCounter counter(program, stop, blocks);
  result.method = Method::Sample;
  result.blocks = program->block_count();
  if (!Sampler(counter, axes, parts, stop).run(most_steps)) {
    return false;
  }
  result.cancelled = stop();
  if (result.cancelled) {
    return true;
  }
  result.blocks_executed = 0;
  if (known != nullptr) {
    result.classes = known->classes;
    result.blocks_proved = known->blocks;
    result.blocks_executed = known->blocks_executed;
  }
  std::uint64_t unseen = 0;  // blocks of parts without samples
  for (const GridPart& part : parts) {
    result.blocks_executed += part.taken.size();
    unseen += part.taken.empty() ? part.blocks() : 0;
  }
  result.error = std::max(relative_error(parts, result.classes, steps_of),
                          relative_error(parts, result.classes, sectors_of)) +
                 static_cast<double>(unseen) / static_cast<double>(result.blocks);
  result.atomic_line = atomic_line_of(*program, parts);
  for (GridPart& part : parts) {
    add_classes(axes, part, &part == parts.data() ? unseen : 0, result);
  }
  result.reuse.resize(program->launch().buffers.size());
  return true;
}

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

void LaunchRun::to_end(simt::Observer* observer, const std::atomic<bool>* cancel) {
  if (!blocks.empty()) {
    const auto stop = [&] { return cancel != nullptr && cancel->load(std::memory_order_relaxed); };
    for (const std::uint32_t block : blocks) {
      (void)run_block(machine, block, observer, stop, &steps);
      cancelled = cancelled || stop();
    }
    return;
  }
  auto* flag = const_cast<std::atomic<bool>*>(cancel);
  steps = simt::run_to_end(machine, scheduler, observer, flag == nullptr ? nullptr : is_set, flag);
  cancelled = cancel != nullptr && cancel->load(std::memory_order_relaxed) && !machine.done();
}

}  // namespace tilestep::insight
