// The kernel's text and its PTX: current lines, breakpoints, values on hover, live edit.
#pragma once

#include "ui/panel.h"

namespace tilestep::ui {

// A strip: a few lines around the current one, and nothing else.
[[nodiscard]] Commands draw_source(const Context& context, bool is_strip);

}  // namespace tilestep::ui
