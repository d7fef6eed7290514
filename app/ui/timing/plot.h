// A Chart drawn with ImPlot: curves by colour and marker, whiskers, ceilings; a click picks a
// point.
#pragma once

#include "analysis/chart.h"
#include "ui/panel.h"

namespace tilestep::ui {

// Fills what is left of the window. Precondition: an ImPlot context is current.
[[nodiscard]] Commands draw_chart(const Context& context, const analysis::Chart& chart);

// The same for a chart of bars, with ImGui alone.

// What a click on a measured point does: kernel and BLOCK_SIZE go to the stage, its story is told.
[[nodiscard]] Commands select_point(const Context& context, const timing::Point& point);
[[nodiscard]] bool is_selected(const Context& context, const analysis::Mark& mark);
void mark_tooltip(const analysis::Curve& curve, const analysis::Mark& mark);

// One colour for one kernel in every view.
[[nodiscard]] ImU32 curve_colour(const Theme& theme, const analysis::Curve& curve);

}  // namespace tilestep::ui
