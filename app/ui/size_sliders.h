// M, N and K in the bar at the top: sliders, arrow keys, wheel and typed numbers.
#pragma once

#include "ui/panel.h"

namespace tilestep::ui {

// What the bar has left for them, in multiples of the font size.
struct SizeRoom {
  bool has_room = true;  // else M, N and K are behind a button
  bool is_tight = false;
  float more_for_sizes = 0.0F;
};
// Those that the kernel on stage uses. The next item follows on the same line.
[[nodiscard]] Commands draw_sizes(const Context& context, const SizeRoom& room);

}  // namespace tilestep::ui
