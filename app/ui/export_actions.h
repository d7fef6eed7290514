// What leaves the window, as actions: a file, a picture at once, the clipboard.
#pragma once

#include "ui/copying.h"
#include "ui/history_actions.h"

#include <array>

namespace tilestep::ui {

inline Commands show_export(const Context& c) {
  return {state::ShowExport{!c.state.show_export}};
}

inline constexpr std::array kExportActions{
    Action{ActionId::ShowExport, ActionGroup::Working, "Export",
           "Saves stage, window or plot, the run's numbers, or a film.",
           ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_E, 0, false, show_export},
    Action{ActionId::SavePicture, ActionGroup::Working, "Save a picture",
           "Saves the window as a PNG file in your pictures folder, at once.", ImGuiKey_F12, 0,
           false, just<state::SavePicture>},
    Action{ActionId::CancelExport, ActionGroup::Working, "Stop the film",
           "Ends the film that is being made; nothing of it is kept.", 0, 0, false,
           just<state::CancelExport>},
    Action{ActionId::CopyThis, ActionGroup::Working, "Copy",
           "Copies what the mouse is over: sum, sentence, finding, table or plot.",
           ImGuiMod_Ctrl | ImGuiKey_C, 0, false, copy_this},
};

}  // namespace tilestep::ui
