// BLOCK_SIZE as an instrument under the stage: a wide slider joined to a miniature of the timing
// curve, and the numbers that it changes. Each notch is a point of the curve.
//
// Mouse, wheel, arrow keys and typed digits move it; Shift+drag moves the sizes. A second click on
// the chosen point opens it on the Timing tab.
#pragma once

#include "timing/dataset.h"
#include "ui/panel.h"
#include "ui/stage/geometry.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

namespace tilestep::ui {

// Its height in pixels in a room of this height, with text of size `font`; 0: the kernel has no
// BLOCK_SIZE.
[[nodiscard]] float instrument_height(const Context& context, float room, float font);
// Draws in a panel of its own; draws nothing in an empty box.
[[nodiscard]] Commands draw_instrument(const Context& context, const Box& box);
// True while the mouse button is held on it; panels do not move until its release.
[[nodiscard]] bool is_instrument_held(const Context& context);

// The positions of a slider's values: notches at equal distances. Pure.
struct Notches {
  float left = 0.0F;  // x of the first value
  float right = 0.0F;
  int last = 1;  // values are 1 … last

  [[nodiscard]] float x_of(int value) const;
  [[nodiscard]] int value_at(float x) const;
};
// The value of digits that are typed one after the other; 0: none. Pure.
struct TypedValue {
  int value = 0;
  bool is_over = false;  // no further digit can follow
};
[[nodiscard]] TypedValue type_digit(int typed, int digit, int last);

// The measured curve that the slider of BLOCK_SIZE is joined to.

// The measurements of a kernel at one size, by BLOCK_SIZE; 0: not measured.
struct MeasuredCurve {
  std::string kernel;
  problem::Problem wanted;  // of the Timing tab
  problem::Problem problem;
  std::shared_ptr<const timing::DataSet> data;
  std::array<double, problem::kLargestBlockSize + 1> gflops{};
  double cublas = 0.0;

  [[nodiscard]] bool is_empty() const { return std::ranges::max(gflops) <= 0.0; }
};

// Speeds from 0 up, so that neighboring BLOCK_SIZEs can be compared; cuBLAS may be above the top.
struct SpeedAxis {
  double high = 1.0;
  Box box;

  [[nodiscard]] float y_of(double gflops) const {
    return box.bottom() - static_cast<float>(std::clamp(gflops / high, 0.0, 1.0)) * box.h;
  }
};

// `curve` caches the result; it is looked up again if it belongs to something else.
const MeasuredCurve& curve_of(const Context& context, const std::string& kernel,
                              MeasuredCurve& curve);
// Works for one or two curves; `two` may be null.
[[nodiscard]] SpeedAxis axis_of(const MeasuredCurve& one, const MeasuredCurve* two, const Box& box);
void draw_curve(ImDrawList& list, const MeasuredCurve& curve, const SpeedAxis& axis,
                const Notches& notches, ImU32 colour, float font);
void draw_cublas(const Context& context, ImDrawList& list, const MeasuredCurve& curve,
                 const SpeedAxis& axis, float font);
// Describes the measurement, where no curve is in the way. At least one of the curves has points.
void draw_caption(const Context& context, ImDrawList& list, const MeasuredCurve& one,
                  const MeasuredCurve* two, const SpeedAxis& axis, const Notches& notches,
                  float font);

inline constexpr float kSmall = 0.78F;  // text of the instrument's scales, in lines
void small_text(const Context& context, ImDrawList& list, ImVec2 at, ImU32 colour,
                const std::string& text, float size);

// The numbers beside the slider of BLOCK_SIZE: old and new values, and the main cause of the change
// in time.

// `is_held`: the slider is being dragged; numbers are compared with those before the drag.
void draw_instrument_numbers(const Context& context, const Box& box, bool is_held);

}  // namespace tilestep::ui
