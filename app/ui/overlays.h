// What lies over the panels while it is asked for: keys, palette, one-line fields, export.
#pragma once

#include "insight/events/go_to.h"
#include "state/app_state.h"
#include "ui/panel.h"

namespace tilestep::ui {

// Keyboard shortcuts (every frame) and the sheet that lists them ('?').
[[nodiscard]] Commands draw_keys(const Context& context);

// The command palette (Ctrl+P).

[[nodiscard]] Commands draw_palette(const Context& context);

// One-line fields over the stage: where to go (Ctrl+G), the condition of a breakpoint, the path of
// a file, the name of a session. They say below the field what is wrong, and keep what was typed.

// Called every frame; they decide by AppState whether they show.
[[nodiscard]] Commands draw_go_to(const Context& context);
[[nodiscard]] Commands draw_condition(const Context& context);
[[nodiscard]] Commands draw_asked(const Context& context);
[[nodiscard]] Commands draw_save_as(const Context& context);

// Whether a text field that was asked for is about to have the keyboard: what is typed meanwhile is
// the field's, and no shortcut. A slow frame would lose the first letters otherwise.

// One that was asked for lies over the stage.
[[nodiscard]] bool has_open_field(const state::AppState& state);

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

// From a place that was named to the commands that go there.

// Needs a scene.
[[nodiscard]] Commands commands_to(const Context& context, const insight::GoTo& place);

// What leaves the window as a file: what, in which form, and where to. AppState::exporting says how
// it is set; Workspace::set_export what comes of it.

// Draws over everything, where AppState::show_export.
[[nodiscard]] Commands draw_export(const Context& context);

}  // namespace tilestep::ui
