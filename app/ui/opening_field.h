// Whether a text field that was asked for is about to have the keyboard: what is typed meanwhile is
// the field's, and no shortcut. A slow frame would lose the first letters otherwise.
#pragma once

#include "state/app_state.h"

namespace tilestep::ui {

class OpeningField {
 public:
  // After a frame: whether the next one is to leave the keyboard alone. `has_keyboard`: some field
  // has it (ImGuiIO::WantTextInput).
  [[nodiscard]] bool is_awaited(const state::AppState& state, bool has_keyboard);

 private:
  // From the command to the frame in which a field has the keyboard: it is drawn, it is activated,
  // and Dear ImGui says so in the frame after. Then the field did not take it.
  static constexpr int kMostFrames = 6;
  bool was_open_ = false;
  int frames_left_ = 0;
};

}  // namespace tilestep::ui
