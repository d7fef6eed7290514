// Two selected points on a plot: rings, and an arc from one to the other with their ratio.
#pragma once

#include "analysis/chart.h"
#include "ui/panel.h"

namespace tilestep::ui {

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

}  // namespace tilestep::ui
