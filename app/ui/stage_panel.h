// The stage: what the focus block's last statement did, in words and in cells, and the sum.
#pragma once

#include "ui/panel.h"
#include "ui/window_plan.h"

namespace tilestep::ui {

// How large its numbers are under a plan; none before the first recording.
[[nodiscard]] NumberSizes stage_numbers(const Context& context, const WindowPlan& plan);
[[nodiscard]] Commands draw_stage(const Context& context, const WindowPlan& plan);

}  // namespace tilestep::ui
