// Where panels stand: a top bar, and under it either the panels of the Step tab, in the boxes that
// plan_window() gives them, or the Timing tab.
#pragma once

#include "ui/panel.h"
#include "ui/stage/geometry.h"

#include <optional>

namespace tilestep::ui {

// Height of the top bar for a font size, in pixels.
[[nodiscard]] float top_bar_height(float font_size);

[[nodiscard]] Commands draw_layout(const Context& context);

// Where the stage is in the frame drawn last, and the Timing tab's page; window pixels. Nothing:
// it is not there.
[[nodiscard]] std::optional<Box> stage_box();
[[nodiscard]] std::optional<Box> plot_box();

}  // namespace tilestep::ui
