// Draws a Chart with ImPlot: curves with their names at their ends, whiskers, ceilings; a click
// picks a point.
#pragma once

#include "analysis/chart.h"
#include "ui/panel.h"

#include <implot.h>

#include <vector>

namespace tilestep::ui {

// Fills the rest of the window. Precondition: an ImPlot context is current.
[[nodiscard]] Commands draw_chart(const Context& context, const analysis::Chart& chart);

// The names of curves at the ends of their lines, right of the plot, instead of a legend.

// The name of a curve at the end of its line.
struct LineLabel {
  const analysis::Curve* curve = nullptr;
  ImVec2 end;  // of its line, in pixels
};

// The width in pixels of the column of names beside a plot; both share `room`. 0: no room.
[[nodiscard]] float width_of_labels(const Context& context, const analysis::Chart& chart,
                                    float room);

// Call inside ImPlot::BeginPlot: the ends of the named lines, the most important first.
[[nodiscard]] std::vector<LineLabel> line_ends(const Context& context,
                                               const analysis::Chart& chart);

// Draws in a column of `size` at `at`, spread apart, each with a thin line from its curve's end.
// Those without room are counted below.
void draw_labels(const Context& context, std::vector<LineLabel> labels, ImVec2 at, ImVec2 size);

// Two selected points on a plot: rings, and an arc between them with their ratio.

// Whether it is the selected point, or the one it is compared with.
[[nodiscard]] bool is_selected(const Context& context, const analysis::Curve& curve,
                               const analysis::Mark& mark);
[[nodiscard]] bool is_compared(const Context& context, const analysis::Curve& curve,
                               const analysis::Mark& mark);

// Call inside ImPlot::BeginPlot, after everything else.
void draw_pair(const Context& context, const analysis::Chart& chart);

// The effect of a click on a point: sets kernel and BLOCK_SIZE on the stage, and explains it. With
// Shift, compares it with the selected one; a second time ends that.
[[nodiscard]] Commands click_point(const Context& context, const analysis::Curve& curve,
                                   const analysis::Mark& mark);
void mark_tooltip(const analysis::Curve& curve, const analysis::Mark& mark);

// The style of a curve: families by color, their kernels by marker and dash.

// A curve's marker also precedes its name, because some readers cannot distinguish the colors.
struct Marker {
  ImPlotMarker shape;
  const char* sign;
};
[[nodiscard]] const Marker& marker_of(const analysis::Curve& curve);
// From a family's sixth kernel on, markers repeat with a dashed line.
[[nodiscard]] bool is_dashed(const analysis::Curve& curve);

// One color per family in every view; libraries, broken kernels and drawings have their own.
[[nodiscard]] ImU32 curve_colour(const Theme& theme, const analysis::Curve& curve);

// The curve's name, with ", wrong result" if it has one.
[[nodiscard]] std::string shown_name(const analysis::Curve& curve);

}  // namespace tilestep::ui
