// Finding, saving and comparing the text that is edited, as actions.
#pragma once

#include "ui/actions.h"

#include <array>

namespace tilestep::ui {

inline Commands find_in_source(const Context&) {
  return {state::ShowFind{true}};
}

// The catalog's kernels have no file of the user's: they are saved under a name.
inline Commands save_source(const Context& c) {
  return c.view.file.path.empty() ? Commands{state::ShowSaveAs{true}}
                                  : Commands{state::SaveSource{}};
}
inline Commands save_source_as(const Context&) {
  return {state::ShowSaveAs{true}};
}
inline Commands reset_source(const Context&) {
  return {state::ResetSource{}};
}

template <state::SourcePage page>
Commands toggle_page(const Context& c) {
  return {state::SetSourcePage{c.state.source_page == page ? state::SourcePage::Source : page}};
}

inline constexpr std::array kEditActions{
    Action{ActionId::FindInSource, ActionGroup::Working, "Find and replace",
           "Finds a text in the kernel that is edited.", ImGuiMod_Ctrl | ImGuiKey_F, 0, false,
           find_in_source},
    Action{ActionId::SaveSource, ActionGroup::Working, "Save the kernel",
           "Writes the text to its file; a kernel of the catalog gets one.",
           ImGuiMod_Ctrl | ImGuiKey_S, 0, false, save_source},
    Action{ActionId::SaveSourceAs, ActionGroup::Working, "Save the kernel as",
           "Writes the text to another file, with its launch beside it.",
           ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_S, 0, false, save_source_as},
    Action{ActionId::ResetSource, ActionGroup::Working, "Reset to the file",
           "Drops what was changed; Ctrl+Z brings it back.", 0, 0, false, reset_source},
    Action{ActionId::ShowDifference, ActionGroup::Working, "Difference to the file",
           "Shows what was changed beside the file's own text; again closes it.",
           ImGuiMod_Ctrl | ImGuiKey_D, 0, false, toggle_page<state::SourcePage::Difference>},
    Action{ActionId::TogglePtx, ActionGroup::Working, "PTX beside the source",
           "Shows the PTX that runs, linked to its source lines; again closes it.",
           ImGuiMod_Ctrl | ImGuiKey_P, 0, false, toggle_page<state::SourcePage::Ptx>},
    Action{ActionId::ShowSass, ActionGroup::Working, "SASS beside the source",
           "Shows the GPU's machine code, linked to its source lines; again closes it.", 0, 0,
           false, toggle_page<state::SourcePage::Sass>},
};

}  // namespace tilestep::ui
