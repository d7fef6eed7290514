// The one place for what is said of a command: what went wrong, what it did, where a run stopped.
// It never lies over the sentence or over numbers.
#pragma once

#include "ui/panel.h"
#include "ui/stage/geometry.h"

namespace tilestep::ui {

// In the lower right corner of `room`, as high as its text. What a command did leaves with the next
// key or click; what went wrong stays until the next good result.
[[nodiscard]] Commands draw_said(const Context& context, const Box& room);

}  // namespace tilestep::ui
