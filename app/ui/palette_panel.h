// The command palette (Ctrl+P).
#pragma once

#include "ui/panel.h"

namespace tilestep::ui {

[[nodiscard]] Commands draw_palette(const Context& context);

}  // namespace tilestep::ui
