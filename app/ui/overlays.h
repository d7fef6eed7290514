// Overlays that are shown on request: keys, palette, one-line fields, export.
#pragma once

#include "insight/events/go_to.h"
#include "state/app_state.h"
#include "ui/panel.h"

namespace tilestep::ui {

// Keyboard shortcuts (every frame) and the sheet that lists them ('?').
[[nodiscard]] Commands draw_keys(const Context& context);

// The command palette (Ctrl+P).

[[nodiscard]] Commands draw_palette(const Context& context);

// One-line fields over the stage: go to (Ctrl+G), the condition of a breakpoint, the path of a
// file, the name of a session. They show mistakes below the field and keep the typed text.

// Called every frame; AppState decides whether they are shown.
[[nodiscard]] Commands draw_go_to(const Context& context);
[[nodiscard]] Commands draw_condition(const Context& context);
[[nodiscard]] Commands draw_asked(const Context& context);
[[nodiscard]] Commands draw_save_as(const Context& context);

// Whether a requested text field is about to get the keyboard: until then, typed characters belong
// to the field and are not shortcuts. Otherwise a slow frame would lose the first letters.

// True if a requested field is over the stage.
[[nodiscard]] bool has_open_field(const state::AppState& state);

// Remembers across frames that a text field has been requested.
class OpeningField {
 public:
  // Call after a frame: whether the next frame must not handle shortcuts. `has_keyboard`: a field
  // has the keyboard (ImGuiIO::WantTextInput).
  [[nodiscard]] bool is_awaited(const state::AppState& state, bool has_keyboard);

 private:
  // Frames from the command until a field has the keyboard: it is drawn, activated, and Dear ImGui
  // reports it one frame later. After that the field did not take it.
  static constexpr int kMostFrames = 6;
  bool was_open_ = false;
  int frames_left_ = 0;
};

// Commands that go to a named place.

// Requires a scene.
[[nodiscard]] Commands commands_to(const Context& context, const insight::GoTo& place);

// The export panel: what, in which format, and the path. AppState::exporting holds its settings;
// Workspace::set_export the progress.

// Draws over everything if AppState::show_export is set.
[[nodiscard]] Commands draw_export(const Context& context);

}  // namespace tilestep::ui
