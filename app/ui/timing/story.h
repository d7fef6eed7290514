// The column beside a plot: the selected point, why it is where it is, how it was measured.
#pragma once

#include "analysis/chart.h"
#include "ui/panel.h"

namespace tilestep::ui {

[[nodiscard]] Commands draw_story(const Context& context, const analysis::ChartRequest& request);

}  // namespace tilestep::ui
