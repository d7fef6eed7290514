// Undo, redo, back, forward, and the scene as a link, as actions.
#pragma once

#include "state/scene_text.h"
#include "ui/actions.h"
#include "ui/lesson_actions.h"
#include "workspace/open_file.h"

#include <array>
#include <string>

namespace tilestep::ui {

// A command without values.
template <class Command>
Commands just(const Context&) {
  return {Command{}};
}

// With the text of an own kernel, where a link has room for it.
inline Commands copy_scene(const Context& c) {
  const auto own = workspace::own_kernel(c.view, c.state);
  std::string link = state::scene_link(c.state, own ? &*own : nullptr);
  const bool fits = link.size() <= state::kLongestLink;
  if (own && !fits) {
    link = state::scene_link(c.state);
  }
  ImGui::SetClipboardText(link.c_str());
  return {state::CopyScene{own.has_value(), fits}};
}

template <state::Asked what>
Commands ask(const Context&) {
  return {state::Ask{what}};
}

inline constexpr std::array kHistoryActions{
    Action{ActionId::GoBack, ActionGroup::Looking, "Back",
           "To the place before, as in a browser; in a lesson to its scene.", ImGuiKey_Backspace, 0,
           true, go_back},
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
    Action{ActionId::OpenFile, ActionGroup::Working, "Open …",
           "Opens a kernel, a scene, a lesson, a data set or a matrix.", ImGuiMod_Ctrl | ImGuiKey_O,
           0, false, ask<state::Asked::Open>},
    Action{ActionId::SaveScene, ActionGroup::Working, "Save scene …",
           "Writes kernel, sizes, data, place and view into a file that shows the same elsewhere.",
           ImGuiMod_Ctrl | ImGuiMod_Alt | ImGuiKey_S, 0, false, ask<state::Asked::SaveScene>},
    Action{ActionId::NewSession, ActionGroup::Working, "New session …",
           "Keeps this session and begins another one under a name.", 0, 0, false,
           ask<state::Asked::NewSession>},
};

}  // namespace tilestep::ui
