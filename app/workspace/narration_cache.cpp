#include "workspace/narration_cache.h"

#include "state/apply.h"

#include <utility>

namespace tilestep::workspace {
namespace {

// A few milliseconds: no frame is late, and the sentence is in the same frame.
constexpr std::uint64_t kAtOnce = 8'000;  // steps

}  // namespace

struct NarrationCache::BlockNarrator {
  std::shared_ptr<const record::Recording> recording;
  narration::Narrator narrator;
  narration::Follow follow;

  BlockNarrator(std::shared_ptr<const record::Recording> run, std::uint32_t block,
                narration::Follow with = narration::Follow::Block)
      : recording(std::move(run)), narrator(*recording, block, with), follow(with) {}
};

void NarrationCache::cancel() {
  if (control_) {
    control_->cancel = true;
  }
}

void NarrationCache::forget() {
  cancel();
  recording_.reset();
}

NarrationView NarrationCache::follow(const Scene& scene, const state::AppState& state,
                                     std::uint64_t step,
                                     const std::shared_ptr<const insight::BlockSums>& sums) {
  const record::Recording& run = *scene.recording;
  find_narrator(scene, state.focus.block);
  NarrationView view;
  view.narrator = {narrator_, &narrator_->narrator};
  view.phase_over = state::phase_over(run, step, state.focus.block);
  if (view.phase_over) {
    view.summary = summary({*view.phase_over, state.focus.thread, sums != nullptr}, sums);
  }
  view.shows_phase = state.phase.done && state::phase_ended(run, step, state.focus.block);
  return view;
}

void NarrationCache::find_narrator(const Scene& scene, std::uint32_t block) {
  if (is_for(scene.recording, block)) {
    return;
  }
  cancel();
  recording_ = scene.recording;
  block_ = block;
  summaries_.clear();
  counting_.reset();
  if (!scene.recording->part().holds(block) || scene.recording->steps_to_follow(block) <= kAtOnce) {
    narrator_ = std::make_shared<const BlockNarrator>(scene.recording, block);
    return;
  }
  narrator_ =
      std::make_shared<const BlockNarrator>(scene.recording, block, narration::Follow::Nothing);
  control_ = std::make_shared<JobControl>();
  pool_.submit([this, recording = scene.recording, block, control = control_]() -> Completion {
    if (control->cancel) {
      return {};
    }
    auto made = std::make_shared<const BlockNarrator>(recording, block);
    return [this, recording, block, made] {
      if (is_for(recording, block)) {
        narrator_ = made;
      }
    };
  });
}

std::shared_ptr<const narration::PhaseSummary> NarrationCache::summary(
    Key key, const std::shared_ptr<const insight::BlockSums>& sums) {
  const auto known = summaries_.find(key);
  if (known != summaries_.end()) {
    return known->second;
  }
  if (narrator_->follow == narration::Follow::Nothing || counting_ == key) {
    return nullptr;
  }
  const record::Phase& phase = narrator_->recording->phases_of(block_)[key.phase];
  if (phase.last_step - phase.first_step <= kAtOnce) {
    return summaries_[key] = std::make_shared<const narration::PhaseSummary>(
               narrator_->narrator.summarise(key.phase, key.thread, sums.get()));
  }
  counting_ = key;
  pool_.submit([this, key, narrator = narrator_, sums]() -> Completion {
    auto made = std::make_shared<const narration::PhaseSummary>(
        narrator->narrator.summarise(key.phase, key.thread, sums.get()));
    return [this, key, narrator, made] {
      if (narrator_ == narrator) {
        summaries_.emplace(key, made);
      }
      if (counting_ == key) {
        counting_.reset();
      }
    };
  });
  return nullptr;
}

}  // namespace tilestep::workspace
