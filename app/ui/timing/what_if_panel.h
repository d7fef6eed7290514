// What if the GPU had more SMs, another clock, other bandwidths: sliders that the predicted curve
// follows.
#pragma once

#include "analysis/chart.h"
#include "ui/panel.h"

namespace tilestep::ui {

[[nodiscard]] Commands draw_what_if(const Context& context, const analysis::ChartRequest& request);

}  // namespace tilestep::ui
