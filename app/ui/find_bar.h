// Finding and replacing in the editor: two rows above the text, where nothing lies over it.
#pragma once

#include "ui/panel.h"
#include "ui/source_editor.h"

namespace tilestep::ui {

// Shown where AppState::show_find. `text`: what the editor holds. True in `uses_keyboard` while one
// of its fields is being typed into, or about to be.
struct FindBarResult {
  Commands commands;
  bool uses_keyboard = false;
};
[[nodiscard]] FindBarResult draw_find_bar(const Context& context, SourceEditor& editor,
                                          const std::string& text);

}  // namespace tilestep::ui
