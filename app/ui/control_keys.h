// Controls by key (F6): Tab and the arrow keys move among the controls of a panel, Space or Enter
// presses the marked one, F6 goes to the next panel, Esc ends it. This is Dear ImGui's keyboard
// navigation; it is off otherwise, because the stage uses the same keys.
#pragma once

#include "ui/panel.h"

namespace tilestep::ui {

// Whether the controls get this key and nothing else may use it. `chord` with its modifiers.
[[nodiscard]] bool controls_take(const state::AppState& state, ImGuiKeyChord chord);

// Once in each frame, before the panels: switches the navigation, and moves to the next panel.
[[nodiscard]] Commands walk_controls(const Context& context);

}  // namespace tilestep::ui
