#include "workspace/sum_follower.h"

namespace tilestep::workspace {
namespace {

std::shared_ptr<const insight::BlockSums> follow_sums(const record::Recording& recording,
                                                      std::uint32_t block,
                                                      const JobControl& control) {
  return std::make_shared<const insight::BlockSums>(
      recording, block, insight::BlockSums::kMostValues, &control.cancel);
}

}  // namespace

const insight::BlockSums* SumFollower::follow(const Scene& scene, std::uint32_t block) {
  const record::Recording& run = *scene.recording;
  if (is_for(scene.recording, block)) {
    return sums_.get();
  }
  recording_ = scene.recording;
  block_ = block;
  sums_.reset();
  if (!run.part().holds(block)) {
    return nullptr;
  }
  for (const auto& known : {scene.first_sums, scene.focus_sums}) {
    sums_ = known && known->block() == block ? known : sums_;
  }
  if (!sums_ && run.steps_to_follow(block) <= kQuicklyFollowed) {
    sums_ = std::make_shared<const insight::BlockSums>(run, block);
  }
  if (!sums_ || !scene.first_sums) {
    request(scene, block);
  }
  return sums_.get();
}

void SumFollower::stop() {
  if (control_) {
    control_->cancel = true;
  }
}

void SumFollower::cancel() {
  stop();
  if (!sums_) {
    recording_.reset();  // asked again, they are followed again
  }
}

void SumFollower::request(const Scene& scene, std::uint32_t block) {
  stop();
  control_ = std::make_shared<JobControl>();
  pool_.submit([this, recording = scene.recording, block, own = sums_, first = scene.first_sums,
                control = control_]() mutable -> Completion {
    if (control->cancel) {
      return {};
    }
    if (!own) {
      own = follow_sums(*recording, block, *control);
    }
    const std::uint32_t first_block = recording->part().first;
    if (!first) {
      first = block == first_block ? own : follow_sums(*recording, first_block, *control);
    }
    if (control->cancel) {
      return {};
    }
    return [this, recording, block, own, first] {
      if (is_for(recording, block)) {
        sums_ = own;
      }
      take_(recording, first);
    };
  });
}

std::optional<std::size_t> chosen_sum(const insight::BlockSums& sums, const state::Focus& focus,
                                      StatementSteps statement) {
  const insight::BlockSums::Range own = sums.of_thread(focus.thread);
  for (std::size_t i = own.first; focus.sum < 0 && i < own.last; ++i) {
    const insight::SumNow now = sums.now(i, statement.last);
    if (now.assigned && now.values > 0 && now.step >= statement.first) {
      return i;
    }
  }
  return sums.of_thread(focus.thread, focus.sum);
}

}  // namespace tilestep::workspace
