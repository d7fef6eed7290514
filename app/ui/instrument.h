// BLOCK_SIZE as an instrument, under the stage: one wide slider joined to a miniature of the timing
// curve, and the numbers that its value changes. The notch under the hand is a point of the curve.
//
// Mouse, wheel, arrow keys and typed digits move it; Shift+drag moves the sizes. A second click on
// the chosen point opens the Timing tab with it.
#pragma once

#include "ui/panel.h"
#include "ui/stage/geometry.h"

namespace tilestep::ui {

// What it takes of a room of this height, in pixels, with text of `font`; 0: the kernel has no
// BLOCK_SIZE.
[[nodiscard]] float instrument_height(const Context& context, float room, float font);
// In a panel of its own; nothing in an empty box.
[[nodiscard]] Commands draw_instrument(const Context& context, const Box& box);
// It has the mouse button: panels keep their places until it is released.
[[nodiscard]] bool is_instrument_held(const Context& context);

// Where the values of a slider are: notches at even distances. Pure.
struct Notches {
  float left = 0.0F;  // of the first value
  float right = 0.0F;
  int last = 1;  // values are 1 … last

  [[nodiscard]] float x_of(int value) const;
  [[nodiscard]] int value_at(float x) const;
};
// What digits that are typed one after the other mean: the value so far, 0 for none. Pure.
struct TypedValue {
  int value = 0;
  bool is_over = false;  // no further digit can follow
};
[[nodiscard]] TypedValue type_digit(int typed, int digit, int last);

}  // namespace tilestep::ui
