// The measured curve that the slider of BLOCK_SIZE is joined to.
#pragma once

#include "problem/describe/spec_parts.h"
#include "timing/dataset.h"
#include "ui/instrument.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

namespace tilestep::ui {

// What was measured of a kernel at one size, by BLOCK_SIZE; 0: nothing.
struct MeasuredCurve {
  std::string kernel;
  problem::Problem problem;
  const timing::DataSet* data = nullptr;
  std::size_t points = 0;
  std::array<double, problem::kLargestBlockSize + 1> gflops{};
  double cublas = 0.0;

  [[nodiscard]] bool is_empty() const { return std::ranges::max(gflops) <= 0.0; }
};

// Speeds from 0 up, so that one BLOCK_SIZE beside the next is seen; where cuBLAS is far above, it
// is beyond the top.
struct SpeedAxis {
  double high = 1.0;
  Box box;

  [[nodiscard]] float y_of(double gflops) const {
    return box.bottom() - static_cast<float>(std::clamp(gflops / high, 0.0, 1.0)) * box.h;
  }
};

// `curve` is what was known; it is looked up again where it is of something else.
const MeasuredCurve& curve_of(const Context& context, const std::string& kernel,
                              MeasuredCurve& curve);
// For one or two curves; `two` may be null.
[[nodiscard]] SpeedAxis axis_of(const MeasuredCurve& one, const MeasuredCurve* two, const Box& box);
void draw_curve(ImDrawList& list, const MeasuredCurve& curve, const SpeedAxis& axis,
                const Notches& notches, ImU32 colour, float font);
void draw_cublas(const Context& context, ImDrawList& list, const MeasuredCurve& curve,
                 const SpeedAxis& axis, float font);
// What was measured, where no curve runs through it. At least one of the curves has points.
void draw_caption(const Context& context, ImDrawList& list, const MeasuredCurve& one,
                  const MeasuredCurve* two, const SpeedAxis& axis, const Notches& notches,
                  float font);

inline constexpr float kSmall = 0.78F;  // text of the instrument's scales, in lines
void small_text(const Context& context, ImDrawList& list, ImVec2 at, ImU32 colour,
                const std::string& text, float size);

}  // namespace tilestep::ui
