// One frame of the whole window.
#pragma once

#include "ui/panel.h"
#include "ui/stage/geometry.h"

#include <optional>

namespace tilestep::ui {

[[nodiscard]] Commands draw(const Context& context);

// The layout: a top bar, and below it either the panels of the Step tab in the boxes of
// plan_window(), or the Timing tab.

// The boxes of the stage and of the Timing tab's page in the latest frame, in window pixels;
// nullopt if not drawn.
[[nodiscard]] std::optional<Box> stage_box();
[[nodiscard]] std::optional<Box> plot_box();
// What a lesson's text is about: the cells without the sentence above them and the sum below; both
// stages of a comparison; the page of the Timing tab.
[[nodiscard]] std::optional<Box> picture_box(const Context& context);

// How long the window may sleep: an idle window draws no frames.

// Seconds until the next frame is needed if there is no input and no result before: 0 during an
// animation. `changed`: the result of Workspace::update for the previous frame.
[[nodiscard]] double rest_seconds(const Context& context, bool changed);

}  // namespace tilestep::ui
