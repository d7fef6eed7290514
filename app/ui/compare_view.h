// Two runs side by side (key =): their stages, what differs, their sources, one timeline.
#pragma once

#include "ui/panel.h"
#include "ui/stage/geometry.h"

namespace tilestep::ui {

// `room`: of the window, below the top bar. Of a frame with a side 2.
[[nodiscard]] Commands draw_compared(const Context& context, const Box& room);

}  // namespace tilestep::ui
