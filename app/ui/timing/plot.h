// A Chart drawn with ImPlot: curves by colour and marker, whiskers, ceilings; a click picks a
// point.
#pragma once

#include "explain/chart.h"
#include "ui/panel.h"

namespace tilestep::ui {

// Fills what is left of the window. Precondition: an ImPlot context is current.
[[nodiscard]] Commands draw_chart(const Context& context, const explain::Chart& chart);

// The same for a chart of bars, with ImGui alone.
[[nodiscard]] Commands draw_ladder(const Context& context, const explain::Chart& chart);

// What a click on a measured point does: kernel and BLOCK_SIZE go to the stage, its story is told.
[[nodiscard]] Commands select_point(const Context& context, const timing::Point& point);
[[nodiscard]] bool is_selected(const Context& context, const explain::Mark& mark);
void mark_tooltip(const explain::Curve& curve, const explain::Mark& mark);

// One colour for one kernel in every view.
[[nodiscard]] ImU32 curve_colour(const Theme& theme, const explain::Curve& curve);

}  // namespace tilestep::ui
