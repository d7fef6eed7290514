#include "workspace/focus_sums.h"

namespace tilestep::workspace {

void FocusSums::follow(const Scene& scene, const state::Focus& focus, std::uint64_t step,
                       FrameView& view) {
  if (!scene.recording->part().holds(focus.block)) {
    sums_.reset();
  } else if (!sums_ || generation_ != scene.generation || sums_->block() != focus.block) {
    sums_ = scene.first_sums->block() == focus.block
                ? scene.first_sums
                : std::make_shared<const insight::BlockSums>(*scene.recording, focus.block);
  }
  generation_ = scene.generation;
  view.sums = sums_.get();
  view.sum = sums_ ? sums_->of_thread(focus.thread, focus.sum) : std::nullopt;
  accumulation_ = view.sum ? sums_->accumulation(*view.sum, step) : std::nullopt;
  view.accumulation = accumulation_ ? &*accumulation_ : nullptr;
}

}  // namespace tilestep::workspace
