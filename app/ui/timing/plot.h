// A Chart drawn with ImPlot: curves with their names where they end, whiskers, ceilings; a click
// picks a point.
#pragma once

#include "analysis/chart.h"
#include "ui/panel.h"

#include <implot.h>

#include <vector>

namespace tilestep::ui {

// Fills what is left of the window. Precondition: an ImPlot context is current.
[[nodiscard]] Commands draw_chart(const Context& context, const analysis::Chart& chart);

// The names of curves where their lines end, right of the plot, instead of a legend.

struct LineLabel {
  const analysis::Curve* curve = nullptr;
  ImVec2 end;  // of its line, in pixels
};

// How wide the column of names has to be beside a plot, in pixels; both have `room`. 0: there is
// none for it.
[[nodiscard]] float width_of_labels(const Context& context, const analysis::Chart& chart,
                                    float room);

// Inside of ImPlot::BeginPlot: where the lines end that are named, the most important first.
[[nodiscard]] std::vector<LineLabel> line_ends(const Context& context,
                                               const analysis::Chart& chart);

// In a column of `size` at `at`, pushed apart, each with a thin line from its curve's end. Those
// that have no place are counted below.
void draw_labels(const Context& context, std::vector<LineLabel> labels, ImVec2 at, ImVec2 size);

// Two selected points on a plot: rings, and an arc from one to the other with their ratio.

// The selected point, or what it is compared with.
[[nodiscard]] bool is_selected(const Context& context, const analysis::Curve& curve,
                               const analysis::Mark& mark);
[[nodiscard]] bool is_compared(const Context& context, const analysis::Curve& curve,
                               const analysis::Mark& mark);

// Inside of ImPlot::BeginPlot, over everything else.
void draw_pair(const Context& context, const analysis::Chart& chart);

// What a click on a point does: kernel and BLOCK_SIZE go to the stage, its story is told. With
// Shift it is compared with the one that is selected; again ends that.
[[nodiscard]] Commands click_point(const Context& context, const analysis::Curve& curve,
                                   const analysis::Mark& mark);
void mark_tooltip(const analysis::Curve& curve, const analysis::Mark& mark);

// How a curve looks: families by colour, their kernels by marker and dash.

// A curve's marker is also before its name: colours alone tell some readers nothing.
struct Marker {
  ImPlotMarker shape;
  const char* sign;
};
[[nodiscard]] const Marker& marker_of(const analysis::Curve& curve);
// Beyond a family's fifth kernel, markers begin again with a dashed line.
[[nodiscard]] bool is_dashed(const analysis::Curve& curve);

// One colour for one family in every view; libraries, broken kernels and drawings have their own.
[[nodiscard]] ImU32 curve_colour(const Theme& theme, const analysis::Curve& curve);

// ", wrong result" behind the name of a curve that has one.
[[nodiscard]] std::string shown_name(const analysis::Curve& curve);

}  // namespace tilestep::ui
