// The names of curves where their lines end, right of the plot, instead of a legend.
#pragma once

#include "analysis/chart.h"
#include "ui/panel.h"

#include <vector>

namespace tilestep::ui {

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

}  // namespace tilestep::ui
