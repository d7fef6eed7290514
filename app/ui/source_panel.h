// The kernel's text and its PTX: current lines, breakpoints, values on hover, live edit.
#pragma once

#include "ui/panel.h"

namespace tilestep::ui {

[[nodiscard]] Commands draw_source(const Context& context);

}  // namespace tilestep::ui
