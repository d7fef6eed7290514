// A Chart drawn with ImPlot: curves with their names where they end, whiskers, ceilings; a click
// picks a point.
#pragma once

#include "analysis/chart.h"
#include "ui/panel.h"

namespace tilestep::ui {

// Fills what is left of the window. Precondition: an ImPlot context is current.
[[nodiscard]] Commands draw_chart(const Context& context, const analysis::Chart& chart);

}  // namespace tilestep::ui
