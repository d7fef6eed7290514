#include "workspace/storyteller.h"

#include "state/navigate.h"

#include <utility>

namespace tilestep::workspace {
namespace {

// A few milliseconds: no frame is late for it, and no sentence comes after its frame.
constexpr std::uint64_t kAtOnce = 8'000;  // steps

}  // namespace

struct Storyteller::Teller {
  std::shared_ptr<const record::Recording> recording;
  narration::Narrator narrator;
  narration::Follow follow;

  Teller(std::shared_ptr<const record::Recording> run, std::uint32_t block,
         narration::Follow with = narration::Follow::Block)
      : recording(std::move(run)), narrator(*recording, block, with), follow(with) {}
};

void Storyteller::cancel() {
  if (control_) {
    control_->cancel = true;
  }
}

void Storyteller::forget() {
  cancel();
  recording_.reset();
}

void Storyteller::tell(const Scene& scene, const state::AppState& state, std::uint64_t step,
                       const std::shared_ptr<const insight::BlockSums>& sums, FrameView& view) {
  const record::Recording& run = *scene.recording;
  find_teller(scene, state.focus.block);
  view.narrator = teller_ ? &teller_->narrator : nullptr;
  view.phase_over = state::phase_over(run, step, state.focus.block);
  view.phase_summary = view.phase_over
                           ? summary({*view.phase_over, state.focus.thread, sums != nullptr}, sums)
                           : nullptr;
  view.shows_phase = state.phase.done && state::phase_ended(run, step, state.focus.block);
}

void Storyteller::find_teller(const Scene& scene, std::uint32_t block) {
  if (is_for(scene.recording, block)) {
    return;
  }
  cancel();
  recording_ = scene.recording;
  block_ = block;
  summaries_.clear();
  counting_.reset();
  if (!scene.recording->part().holds(block) || scene.recording->steps_to_follow(block) <= kAtOnce) {
    teller_ = std::make_shared<const Teller>(scene.recording, block);
    return;
  }
  teller_ = std::make_shared<const Teller>(scene.recording, block, narration::Follow::Nothing);
  control_ = std::make_shared<JobControl>();
  pool_.submit([this, recording = scene.recording, block, control = control_]() -> Completion {
    if (control->cancel) {
      return {};
    }
    auto made = std::make_shared<const Teller>(recording, block);
    return [this, recording, block, made] {
      if (is_for(recording, block)) {
        teller_ = made;
      }
    };
  });
}

const narration::PhaseSummary* Storyteller::summary(
    Key key, const std::shared_ptr<const insight::BlockSums>& sums) {
  const auto known = summaries_.find(key);
  if (known != summaries_.end()) {
    return &known->second;
  }
  if (!teller_ || teller_->follow == narration::Follow::Nothing || counting_ == key) {
    return nullptr;
  }
  const record::Phase& phase = teller_->recording->phases_of(block_)[key.phase];
  if (phase.last_step - phase.first_step <= kAtOnce) {
    auto made = teller_->narrator.summarise(key.phase, key.thread, sums.get());
    return &summaries_.emplace(key, std::move(made)).first->second;
  }
  counting_ = key;
  pool_.submit([this, key, teller = teller_, sums]() -> Completion {
    auto made = std::make_shared<narration::PhaseSummary>(
        teller->narrator.summarise(key.phase, key.thread, sums.get()));
    return [this, key, teller, made] {
      if (teller_ == teller) {
        summaries_.emplace(key, std::move(*made));
      }
      if (counting_ == key) {
        counting_.reset();
      }
    };
  });
  return nullptr;
}

}  // namespace tilestep::workspace
