// The lesson that is open, beside the stage: what the beat says, and the button for the next one.
#pragma once

#include "ui/panel.h"

namespace tilestep::ui {

// Of a frame with a lesson.
[[nodiscard]] Commands draw_lesson(const Context& context);

}  // namespace tilestep::ui
