#include "insight/count/profile.h"

#include "insight/count/block_meter.h"
#include "insight/count/block_sample.h"
#include "insight/count/representatives.h"
#include "insight/count/reuse.h"

#include <algorithm>
#include <tuple>

namespace tilestep::insight {
namespace {

// Counts every block of a launch separately.
class FullMeter final : public simt::Observer {
 public:
  explicit FullMeter(const simt::Program& program) : program_(program) {
    for (const problem::Buffer& buffer : program.launch().buffers) {
      reads_.push_back(std::make_unique<ReadCounts>(buffer));
    }
  }

  [[nodiscard]] bool wants_steps() const override { return true; }
  void before_step(const simt::StepInfo& info) override { meter(info.id.block).on_step(info); }
  void on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) override {
    if (event.space == ptx::Space::Global || event.space == ptx::Space::Shared) {
      meter(info.id.block).on_access(info, event, {});
    }
  }
  void on_barrier(const simt::StepInfo& info, const simt::BarrierEvent& event) override {
    if (event.action == simt::BarrierAction::Release && event.whole_block) {
      meter(info.id.block).on_block_barrier();
    }
  }
  void on_block_end(std::uint32_t block) override {
    const problem::Dim3 index = program_.block_index(block);
    AxisPoint at{};
    at[0] = index.x;
    at[1] = index.y;
    at[2] = index.z;
    BlockMeter& done = meter(block);
    BlockSet set;
    set.first = {index.x, index.y, index.z};
    classes_.add(done.profile(), {set});
    for (std::size_t buffer = 0; buffer < reads_.size(); ++buffer) {
      reads_[buffer]->add(done.footprints()[buffer], {at, at});
    }
    done.clear();
    free_.push_back(std::move(running_.at(block)));
    running_.erase(block);
    latest_ = nullptr;
  }

  void finish(Profile& result) {
    result.classes = classes_.take();
    for (const auto& reads : reads_) {
      result.reuse.push_back(reads->reuse());
    }
  }

 private:
  // Blocks run one after the other, except those that wait for each other.
  BlockMeter& meter(std::uint32_t block) {
    if (latest_ != nullptr && latest_block_ == block) {
      return *latest_;
    }
    std::unique_ptr<BlockMeter>& found = running_[block];
    if (found == nullptr && !free_.empty()) {
      found = std::move(free_.back());
      free_.pop_back();
    } else if (found == nullptr) {
      found = std::make_unique<BlockMeter>(program_);
    }
    latest_block_ = block;
    latest_ = found.get();
    return *latest_;
  }

  const simt::Program& program_;
  std::map<std::uint32_t, std::unique_ptr<BlockMeter>> running_;
  std::vector<std::unique_ptr<BlockMeter>> free_;
  BlockMeter* latest_ = nullptr;
  std::uint32_t latest_block_ = 0;
  ProfileClasses classes_;
  std::vector<std::unique_ptr<ReadCounts>> reads_;
};

class Hash {
 public:
  void add(std::uint64_t value) {
    constexpr std::uint64_t kPrime = 0x100000001b3;  // FNV-1a, by words
    state_ = (state_ ^ value) * kPrime;
    state_ ^= state_ >> 32;
  }
  [[nodiscard]] std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325;
};

std::uint64_t hash_of(const BlockProfile& profile) {
  Hash hash;
  hash.add(profile.barriers);
  for (const Execution& e : profile.executions) {
    hash.add(std::uint64_t{e.spot.warp} << 32 | e.spot.pc);
    hash.add(e.instructions);
    hash.add(e.threads);
  }
  for (const Access& a : profile.accesses) {
    hash.add(std::uint64_t{a.spot.pc} << 32 | a.target);
    hash.add(a.traffic.bytes);
    hash.add(a.traffic.sectors + (a.traffic.wavefronts << 32));
  }
  return hash.value();
}

// Joins a row of blocks that begins where the last one ended.
bool extend(BlockSet& last, const BlockSet& next) {
  const bool same_row = last.step[0] == 1 && next.step[0] == 1 && next.count[1] == 1 &&
                        next.count[2] == 1 && last.count[1] == 1 && last.count[2] == 1 &&
                        last.first[1] == next.first[1] && last.first[2] == next.first[2];
  if (same_row && last.first[0] + last.count[0] == next.first[0]) {
    last.count[0] += next.count[0];
    return true;
  }
  return false;
}

// Blocks of one dimension: first, first + step, …
struct Row {
  std::uint32_t first = 0;
  std::uint32_t step = 1;
  std::uint32_t count = 1;
};

// Each of `rows` repeated `count` times, at a distance of `step`.
std::vector<Row> repeated(const std::vector<Row>& rows, std::uint32_t step, std::uint32_t count) {
  if (count == 1) {
    return rows;
  }
  std::vector<Row> result;
  for (const Row& row : rows) {
    if (row.count == 1) {
      result.push_back({row.first, step, count});
    } else if (row.step * row.count == step) {
      result.push_back({row.first, row.step, row.count * count});
    } else if (row.count < count) {
      for (std::uint32_t i = 0; i < row.count; ++i) {
        result.push_back({row.first + i * row.step, step, count});
      }
    } else {
      for (std::uint32_t i = 0; i < count; ++i) {
        result.push_back({row.first + i * step, row.step, row.count});
      }
    }
  }
  return result;
}

}  // namespace

void Traffic::add(const Traffic& other, std::uint64_t times) {
  requests += other.requests * times;
  threads += other.threads * times;
  elements += other.elements * times;
  bytes += other.bytes * times;
  copy_engine_bytes += other.copy_engine_bytes * times;
  sectors += other.sectors * times;
  ideal_sectors += other.ideal_sectors * times;
  wavefronts += other.wavefronts * times;
  ideal_wavefronts += other.ideal_wavefronts * times;
  conflicts += other.conflicts * times;
  degree = std::max(degree, other.degree);
}

void profile_fully(const std::shared_ptr<const simt::Program>& program, Profile& result,
                   const std::atomic<bool>* cancel) {
  result.method = Method::Full;
  result.blocks = program->block_count();
  result.blocks_executed = result.blocks;
  FullMeter meter(*program);
  LaunchRun run(program, {simt::ScheduleKind::Sequential});
  run.to_end(&meter, cancel);
  result.cancelled = !run.machine.done();
  meter.finish(result);
}

namespace {

// Limit of a quick method: about a second.
constexpr std::uint64_t kProofSteps = 4'000'000;
constexpr std::uint64_t kFullSteps = 15'000'000;
constexpr std::uint64_t kSampleSteps = 500'000;
constexpr std::uint64_t kFewToSample = 16;  // blocks

}  // namespace

std::uint64_t instructions_of(const Profile& profile) {
  std::uint64_t all = 0;
  for (const BlockClass& c : profile.classes) {
    for (const Execution& e : c.profile.executions) {
      all += e.instructions * c.blocks;
    }
  }
  return all;
}

Profile profile(const std::shared_ptr<const simt::Program>& program, MethodChoice choice,
                const std::atomic<bool>* cancel, const PartialProof* known) {
  Profile result;
  const bool quick = choice == MethodChoice::QuickProof;
  if ((quick || choice == MethodChoice::RepresentativesIfTheyHold) &&
      profile_by_representatives(program, quick ? kProofSteps : kAnySteps, result, cancel)) {
    return result;
  }
  Profile other;
  other.why_full = result.why_full;
  other.partial = result.partial;
  if (quick) {
    other.is_counted = false;
    return other;
  }
  const bool proved = choice == MethodChoice::ProvedSample;
  if ((proved || choice == MethodChoice::WithoutProof) && program->block_count() > kFewToSample) {
    Profile sample;
    const SampledBlocks blocks = proved ? SampledBlocks::Proved : SampledBlocks::Any;
    if (profile_by_sample(program, kSampleSteps, sample, cancel, blocks, known) &&
        (sample.cancelled || instructions_of(sample) > kFullSteps)) {
      return sample;
    }
  }
  if (proved) {
    other.is_counted = false;
    return other;
  }
  profile_fully(program, other, cancel);
  return other;
}

void ProfileClasses::add(BlockProfile profile, const std::vector<BlockSet>& where) {
  BlockClass& of = class_of(std::move(profile));
  for (const BlockSet& set : where) {
    of.blocks += set.blocks();
    if (of.where.empty() || !extend(of.where.back(), set)) {
      of.where.push_back(set);
    }
  }
}

BlockClass& ProfileClasses::class_of(BlockProfile profile) {
  const std::uint64_t hash = hash_of(profile);
  const auto [begin, end] = by_hash_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    if (classes_[it->second].profile == profile) {
      return classes_[it->second];
    }
  }
  by_hash_.emplace(hash, classes_.size());
  classes_.push_back({{}, 0, std::move(profile)});
  return classes_.back();
}

std::vector<BlockClass> ProfileClasses::take() {
  const auto key = [](const BlockSet& set) {
    return std::tuple{set.first[2], set.first[1], set.first[0]};
  };
  for (BlockClass& c : classes_) {
    std::ranges::sort(c.where,
                      [&](const BlockSet& a, const BlockSet& b) { return key(a) < key(b); });
  }
  std::ranges::sort(classes_, [&](const BlockClass& a, const BlockClass& b) {
    return key(a.where.front()) < key(b.where.front());
  });
  by_hash_.clear();
  return std::move(classes_);
}

BlockAxes::BlockAxes(const problem::Dim3& grid)
    : grid_{grid.x, grid.y, grid.z}, axes_{{0, 1, grid.x}, {1, 1, grid.y}, {2, 1, grid.z}} {}

bool BlockAxes::split(std::size_t axis, std::uint32_t period) {
  Axis periods = axes_[axis];
  const bool is_highest = std::ranges::none_of(axes_, [&](const Axis& other) {
    return other.dimension == periods.dimension && other.stride > periods.stride;
  });
  if (axes_.size() == kBlockAxes || (!is_highest && periods.extent % period != 0)) {
    return false;
  }
  periods.stride *= period;
  periods.extent = (periods.extent + period - 1) / period;
  axes_[axis].extent = period;
  axes_.push_back(periods);
  return true;
}

problem::Dim3 BlockAxes::block_at(const AxisPoint& point) const {
  std::array<std::uint32_t, 3> at{};
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    at[axes_[i].dimension] += point[i] * axes_[i].stride;
  }
  return {at[0], at[1], at[2]};
}

Form BlockAxes::form_of(std::size_t dimension) const {
  Form form = kConstantForm;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    form.per_block[i] = axes_[i].dimension == dimension ? axes_[i].stride : 0;
  }
  return form;
}

// The numbers below a dimension's extent, as boxes of their digits: those with a smaller leading
// digit, with any other digits; then those with the same leading digit and a smaller next one; and
// so on.
std::vector<BlockRange> BlockAxes::ranges() const {
  std::vector<BlockRange> all{BlockRange{}};
  for (std::size_t dimension = 0; dimension < 3; ++dimension) {
    std::vector<std::size_t> digits;  // the axes, the largest stride first
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      if (axes_[i].dimension == dimension) {
        digits.push_back(i);
      }
    }
    std::ranges::sort(
        digits, [this](std::size_t a, std::size_t b) { return axes_[a].stride > axes_[b].stride; });
    std::vector<BlockRange> next;
    for (const BlockRange& others : all) {
      BlockRange range = others;
      std::uint32_t rest = grid_[dimension];
      for (std::size_t d = 0; d < digits.size(); ++d) {
        const std::uint32_t digit = rest / axes_[digits[d]].stride;
        rest %= axes_[digits[d]].stride;
        if (digit != 0) {
          BlockRange box = range;
          box.last[digits[d]] = digit - 1;
          for (std::size_t lower = d + 1; lower < digits.size(); ++lower) {
            box.last[digits[lower]] = axes_[digits[lower]].extent - 1;
          }
          next.push_back(box);
        }
        range.first[digits[d]] = range.last[digits[d]] = digit;
      }
    }
    all = std::move(next);
  }
  return all;
}

std::vector<BlockSet> BlockAxes::sets(const BlockRange& range, const AxisPoint& steps) const {
  const problem::Dim3 first = block_at(range.first);
  std::array<std::vector<Row>, 3> rows{std::vector<Row>{{first.x}}, std::vector<Row>{{first.y}},
                                       std::vector<Row>{{first.z}}};
  std::vector<std::size_t> order(axes_.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  std::ranges::sort(
      order, [this](std::size_t a, std::size_t b) { return axes_[a].stride < axes_[b].stride; });
  for (const std::size_t i : order) {
    std::vector<Row>& of_dimension = rows[axes_[i].dimension];
    of_dimension = repeated(of_dimension, axes_[i].stride * steps[i],
                            (range.last[i] - range.first[i]) / steps[i] + 1);
  }
  std::vector<BlockSet> sets;
  for (const Row& z : rows[2]) {
    for (const Row& y : rows[1]) {
      for (const Row& x : rows[0]) {
        sets.push_back(
            {{x.first, y.first, z.first}, {x.step, y.step, z.step}, {x.count, y.count, z.count}});
      }
    }
  }
  return sets;
}

}  // namespace tilestep::insight
