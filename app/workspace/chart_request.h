// From what is on screen to what a chart is made of: the window, `render`, `chart` and exports
// share it.
#pragma once

#include "analysis/chart.h"
#include "analysis/compare_points.h"
#include "problem/describe/catalog.h"
#include "state/app_state.h"
#include "state/command.h"
#include "timing/dataset.h"
#include "workspace/survey.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilestep::workspace {

// One of two points that are compared.
struct PairEnd {
  state::TimedPoint point;  // with its data set's name; "" where there is none
  std::string name;         // as sentences call it: "17", "Naive 16", "cuBLAS SGEMM"
  double ms = 0.0;          // measured; 0: it is not
  const analysis::LaunchFacts* facts = nullptr;  // null: not counted
  analysis::GpuModel gpu;
};

// The selected point and what it is compared with, at the size on the plot.
struct ShownPair {
  std::array<PairEnd, 2> ends;
  std::optional<analysis::Comparison> comparison;  // nothing without both counts
  std::string claim;    // "17 is 1.40× slower than 16"; empty where nothing is known
  std::string why_not;  // why there are no factors, as a sentence; empty: there are

  bool is_swapped = false;  // the second one is faster
  double ratio = 0.0;       // of their times, 1 or more; 0: not known

  [[nodiscard]] const PairEnd& slower() const { return ends[is_swapped ? 0 : 1]; }
  [[nodiscard]] const PairEnd& faster() const { return ends[is_swapped ? 1 : 0]; }
};

// What charts are made of besides the AppState. Nothing is owned.
struct ChartData {
  const problem::Catalog* catalog = nullptr;
  std::span<const timing::DataSet> datasets;
  std::span<const analysis::LaunchFacts> facts;  // counted so far, of any launch
};

// What the Timing tab draws of one view of the data. Pointers in it are into ChartData.
struct ShownTimings {
  analysis::ChartRequest request;
  analysis::Chart chart;                   // empty where view.page is none of the plots
  std::vector<problem::Problem> problems;  // that were measured in the chosen data set
  std::optional<ShownPair> pair;           // of the two selected points
};

// All that ShownTimings depend on, and what they want counted.
struct TimingKey {
  state::Tab tab = state::Tab::Step;
  state::TimingView view;
  std::string kernel;
  problem::Parameters parameters;
  std::string second_kernel;  // of a comparison
  problem::Parameters second_parameters;
  std::uint64_t data = 0;  // grows with every change of ChartData

  TimingKey() = default;
  TimingKey(const state::AppState& state, std::uint64_t data_now)
      : tab(state.tab),
        view(state.timing),
        kernel(state.kernel),
        parameters(state.parameters),
        second_kernel(state.comparison.on ? state.comparison.second.kernel : ""),
        second_parameters(state.comparison.second.parameters),
        data(data_now) {}
  friend bool operator==(const TimingKey&, const TimingKey&) = default;
};

// The data set a view means: by name, otherwise the first; null when there is none.
[[nodiscard]] const timing::DataSet* find_dataset(std::span<const timing::DataSet> datasets,
                                                  const std::string& name);

// The GPU that predictions and occupancy are about: the one that was chosen, otherwise the data
// set's.
[[nodiscard]] analysis::GpuModel shown_gpu(const state::AppState& state,
                                           const timing::DataSet* dataset);

// The chosen data set's nearest problem stands in the request's view. Pointers are into `data`.
[[nodiscard]] analysis::ChartRequest chart_request(const state::AppState& state,
                                                   const ChartData& data);
[[nodiscard]] ShownTimings show_timings(const state::AppState& state, const ChartData& data);

// Two points of the Timing tab: what is known of each, and why one is slower.

// Nothing where no two points are selected. Pointers are into `data`.
[[nodiscard]] std::optional<ShownPair> show_pair(const state::TimingView& view,
                                                 const ChartData& data,
                                                 const analysis::ChartRequest& request);

// The architecture that the second point is counted for; `own` is the first one's.
[[nodiscard]] int architecture_of_other(const state::TimingView& view,
                                        std::span<const timing::DataSet> datasets, int own);

}  // namespace tilestep::workspace
