// One frame of the whole window.
#pragma once

#include "ui/panel.h"
#include "ui/stage/geometry.h"

#include <optional>

namespace tilestep::ui {

[[nodiscard]] Commands draw(const Context& context);

// Where panels are: a top bar, and under it either the panels of the Step tab, in the boxes that
// plan_window() gives them, or the Timing tab.

// Where the stage is in the frame drawn last, and the Timing tab's page; window pixels. Nothing:
// it is not there.
[[nodiscard]] std::optional<Box> stage_box();
[[nodiscard]] std::optional<Box> plot_box();

// How long the window may sleep: an idle one draws no frames.

// Seconds until the next frame is needed, if no input and no result comes before: 0 while something
// moves. `changed`: what Workspace::update said about the frame before.
[[nodiscard]] double rest_seconds(const Context& context, bool changed);

}  // namespace tilestep::ui
