// How a curve looks: families by colour, their kernels by marker and dash.
#pragma once

#include "analysis/chart.h"
#include "ui/panel.h"

#include <implot.h>

namespace tilestep::ui {

// A curve's marker also stands before its name: colours alone tell some readers nothing.
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
