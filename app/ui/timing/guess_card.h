// Predict before you see: a kernel's measured curve is hidden, the user draws one with the mouse or
// with arrow keys, then both are compared.
#pragma once

#include "analysis/chart.h"
#include "ui/panel.h"

namespace tilestep::ui {

// Inside of ImPlot::BeginPlot, while the curve is hidden: takes the mouse and the arrow keys.
[[nodiscard]] Commands draw_guess_in_plot(const Context& context, const analysis::Chart& chart);

// Beside the plot: what to do, then how far the drawing was off. Precondition: guess.kernel.
[[nodiscard]] Commands draw_guess_card(const Context& context,
                                       const analysis::ChartRequest& request);

}  // namespace tilestep::ui
