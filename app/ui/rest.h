// How long the window may sleep: an idle one draws no frames.
#pragma once

#include "ui/panel.h"

namespace tilestep::ui {

// Seconds until the next frame is needed, if no input and no result comes before: 0 while something
// moves. `changed`: what Workspace::update said about the frame before.
[[nodiscard]] double rest_seconds(const Context& context, bool changed);

}  // namespace tilestep::ui
