#include "insight/count/profile.h"

#include "insight/count/block_meter.h"
#include "insight/count/block_sample.h"
#include "insight/count/launch_run.h"
#include "insight/count/profile_classes.h"
#include "insight/count/representatives.h"
#include "insight/count/reuse.h"

#include <algorithm>
#include <utility>

namespace tilestep::insight {
namespace {

// Counts every block of a launch by itself.
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
  // Blocks run one after the other, but for those that wait for each other.
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

}  // namespace

void Traffic::add(const Traffic& other, std::uint64_t times) {
  requests += other.requests * times;
  threads += other.threads * times;
  elements += other.elements * times;
  bytes += other.bytes * times;
  engine_bytes += other.engine_bytes * times;
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

// What is quick: a second or so.
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

}  // namespace tilestep::insight
