// Keyboard shortcuts (every frame) and the sheet that lists them ('?').
#pragma once

#include "ui/panel.h"

namespace tilestep::ui {

[[nodiscard]] Commands draw_keys(const Context& context);

}  // namespace tilestep::ui
