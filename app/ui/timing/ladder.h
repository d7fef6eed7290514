// The page that shows kernel by kernel.
#pragma once

#include "analysis/chart.h"
#include "ui/panel.h"

namespace tilestep::ui {

[[nodiscard]] Commands draw_ladder(const Context& context, const analysis::Chart& chart);

}  // namespace tilestep::ui
