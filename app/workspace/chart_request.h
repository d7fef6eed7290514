// From what is on screen to what a chart is made of: the window, `render` and exports share it.
#pragma once

#include "analysis/chart.h"
#include "state/app_state.h"
#include "state/command.h"
#include "workspace/workspace.h"

namespace tilestep::workspace {

// The GPU that predictions and occupancy are about: the one that was chosen, otherwise the data
// set's.
[[nodiscard]] analysis::GpuModel shown_gpu(const state::AppState& state,
                                           const timing::DataSet* dataset);

// The chosen data set's nearest problem stands in the request's view. Pointers are into `view`.
[[nodiscard]] analysis::ChartRequest chart_request(const state::AppState& state,
                                                   const FrameView& view);

// Writes it into the current folder; the sentence says under which name, or why not.
[[nodiscard]] std::string export_chart(const analysis::Chart& chart, state::ChartFormat format);

}  // namespace tilestep::workspace
