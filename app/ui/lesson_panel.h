// The lesson that is open, beside the stage: what the beat says, and the button for the next one.
#pragma once

#include "ui/panel.h"

namespace tilestep::ui {

// Of a frame with a lesson.
[[nodiscard]] Commands draw_lesson(const Context& context);
// What all of its words take, or its buttons beside them, in a panel that wide within its padding;
// pixels.
[[nodiscard]] float lesson_height(const Context& context, float width);

}  // namespace tilestep::ui
