// Two points of the Timing tab: what is known of each, and why one is slower.
#pragma once

#include "state/app_state.h"
#include "timing/dataset.h"
#include "workspace/chart_request.h"
#include "workspace/survey.h"

#include <optional>
#include <span>

namespace tilestep::workspace {

// Nothing where no two points are selected. Pointers are into `data`.
[[nodiscard]] std::optional<ShownPair> show_pair(const state::TimingView& view,
                                                 const ChartData& data,
                                                 const analysis::ChartRequest& request);

// The architecture that the second point is counted for; `own` is the first one's.
[[nodiscard]] int architecture_of_other(const state::TimingView& view,
                                        std::span<const timing::DataSet> datasets, int own);

}  // namespace tilestep::workspace
