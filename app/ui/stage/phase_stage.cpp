#include "ui/stage/phase_stage.h"

#include "ui/memory.h"

namespace tilestep::ui {
namespace {

bool any_key() {
  for (int key = ImGuiKey_NamedKey_BEGIN; key < ImGuiKey_NamedKey_END; ++key) {
    if (ImGui::IsKeyPressed(static_cast<ImGuiKey>(key), false)) {
      return true;
    }
  }
  return false;
}

}  // namespace

// How far the phase has played, 0…1. A key ends it at once.
float PhaseStage::progress(const Context& context, const workspace::Generation& generation) {
  const state::Focus& focus = context.state.focus;
  clock_.notice(
      {generation, context.view.state->step(), focus.block, focus.thread, context.view.shows_phase},
      context.now, context.state.animate);
  if (!context.view.shows_phase) {
    return 1.0F;
  }
  if (context.motion) {
    return *context.motion;
  }
  const float progress = clock_.progress(context.now);
  if (progress < 1.0F && any_key()) {
    clock_.finish();
    return 1.0F;
  }
  return progress;
}

const StageContent* PhaseStage::now(const Context& context, const ContentInputs& in,
                                    const StageContent& whole,
                                    const workspace::Generation& generation) {
  const float t = progress(context, generation);
  flights_.clear();
  if (t >= 1.0F) {
    return nullptr;
  }
  if (!play_) {
    play_.emplace(in, whole);
  }
  if (play_->is_empty()) {
    clock_.finish();
    return nullptr;
  }
  context.memory.animate_until(clock_.ends_at());
  playing_ = play_->at(t, in);
  flights_ = play_->flights(t);
  return &playing_;
}

}  // namespace tilestep::ui
