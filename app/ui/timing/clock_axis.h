// An axis of clocks: the part on screen, its marks, zooming and moving.
#pragma once

#include "ui/panel.h"

#include <imgui.h>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace tilestep::ui {

// Sizes around rows of warps, in font sizes.
struct RowSizes {
  float letters = 0.85F;  // of the labels and of the axis
  float labels = 5.2F;    // width of their column
  float axis = 1.3F;      // height, as all below
  float lane = 0.62F;     // of a scheduler
  float stage = 1.3F;     // of the data stage
};
// In a lecture, the last row of the hall reads them.
[[nodiscard]] RowSizes row_sizes(const Context& context);

// The part of an axis of clocks on screen; the axis has `all` clocks, at least 1.
struct ClockRange {
  std::int64_t first = 0;
  std::int64_t clocks = 1;
};
[[nodiscard]] ClockRange shown_clocks(const state::SmView& view, std::int64_t all);

// `view` with the `clocks` from `first` on screen, both within the axis.
[[nodiscard]] state::SmView with_clocks(state::SmView view, std::int64_t all, double first,
                                        double clocks);

struct ClockAxis {
  std::int64_t all = 1;
  ClockRange range;
  float left = 0.0F;  // of the window, in pixels
  float right = 1.0F;

  [[nodiscard]] float width() const { return std::max(1.0F, right - left); }
  [[nodiscard]] float x_of(std::int64_t clock) const {
    return left +
           width() * static_cast<float>(clock - range.first) / static_cast<float>(range.clocks);
  }
  [[nodiscard]] std::int64_t clock_at(float x) const {
    return range.first + static_cast<std::int64_t>(static_cast<double>(x - left) *
                                                   static_cast<double>(range.clocks) /
                                                   static_cast<double>(width()));
  }
};

// Lines from `top` to `bottom`, and their clocks below, with the unit at the end.
void draw_marks(const Context& context, const ClockAxis& axis, float top, float bottom);

// The wheel over the last item zooms at the mouse, a drag moves.
[[nodiscard]] std::optional<state::SmView> zoomed_or_moved(const Context& context,
                                                           const ClockAxis& axis);

}  // namespace tilestep::ui
