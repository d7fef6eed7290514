// The layout for a hall: no bars and no panels, the stage large, the current lines, the sum, and
// the phases as dots.
#pragma once

#include "ui/panel.h"
#include "ui/stage/geometry.h"

namespace tilestep::ui {

[[nodiscard]] Commands draw_lecture(const Context& context, const Box& window);

}  // namespace tilestep::ui
