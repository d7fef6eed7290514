// The lecturer's window: note, hint, next beat, clock, minutes left, keys. The hall never sees it:
// it is a window of the desktop's own (program/window_loop.cpp).
#pragma once

#include "ui/panel.h"

namespace tilestep::ui {

// One frame of that window, all of it; with a lesson.
void draw_notes(const Context& context);

}  // namespace tilestep::ui
