// What leaves the window as a file: what, in which form, and where to. AppState::exporting says how
// it is set; Workspace::set_export what comes of it.
#pragma once

#include "ui/panel.h"

namespace tilestep::ui {

// Draws over everything, where AppState::show_export.
[[nodiscard]] Commands draw_export(const Context& context);

}  // namespace tilestep::ui
