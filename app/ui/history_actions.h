// Undo, redo, back, forward, and the scene as a link, as actions.
#pragma once

#include "state/scene_text.h"
#include "ui/actions.h"

#include <array>

namespace tilestep::ui {

// A command without values.
template <class Command>
Commands just(const Context&) {
  return {Command{}};
}

inline Commands copy_scene(const Context& c) {
  ImGui::SetClipboardText(state::scene_link(c.state).c_str());
  return {state::CopyScene{}};
}

inline constexpr std::array kHistoryActions{
    Action{ActionId::GoBack, ActionGroup::Looking, "Back", "To the place before, as in a browser.",
           ImGuiKey_Backspace, 0, true, just<state::GoBack>},
    Action{ActionId::GoForward, ActionGroup::Looking, "Forward",
           "To the place that was left by going back.", ImGuiMod_Shift | ImGuiKey_Backspace, 0,
           true, just<state::GoForward>},
    Action{ActionId::Undo, ActionGroup::Working, "Undo",
           "Undoes the last change; stepping and looking around stay.", ImGuiMod_Ctrl | ImGuiKey_Z,
           0, true, just<state::Undo>},
    Action{ActionId::Redo, ActionGroup::Working, "Redo",
           "Makes the change again that was undone last.",
           ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_Z, ImGuiMod_Ctrl | ImGuiKey_Y, true,
           just<state::Redo>},
    Action{ActionId::CopyScene, ActionGroup::Working, "Copy a link to this scene",
           "Kernel, sizes, text and place as one line, for tilestep open.",
           ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_C, 0, false, copy_scene},
};

}  // namespace tilestep::ui
