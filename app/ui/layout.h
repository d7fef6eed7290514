// Where panels stand: a top bar, and under it either the panels of the Step tab, in the boxes that
// plan_window() gives them, or the Timing tab.
#pragma once

#include "ui/panel.h"

namespace tilestep::ui {

// Height of the top bar for a font size, in pixels.
[[nodiscard]] float top_bar_height(float font_size);

[[nodiscard]] Commands draw_layout(const Context& context);

}  // namespace tilestep::ui
