// The Timing tab's tables: occupancy by BLOCK_SIZE, and counters beside the hardware's.
#pragma once

#include "analysis/chart.h"
#include "ui/panel.h"

namespace tilestep::ui {

[[nodiscard]] Commands draw_occupancy_table(const Context& context,
                                            const analysis::ChartRequest& request);
[[nodiscard]] Commands draw_counters_table(const Context& context,
                                           const analysis::ChartRequest& request);

}  // namespace tilestep::ui
