// Makes the data of a chart from what is on screen; shared by the window, `render`, `chart` and
// exports.
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
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilestep::workspace {

// One of two compared points.
struct PairEnd {
  state::TimedPoint point;  // with its data set's name; "": none
  std::string name;         // its name in sentences: "17", "Naive 16", "cuBLAS SGEMM"
  double ms = 0.0;          // measured; 0: not measured
  const analysis::LaunchFacts* facts = nullptr;  // null: not counted
  analysis::GpuModel gpu;
};

// The selected point and the one it is compared with, at the size on the plot.
struct ShownPair {
  std::array<PairEnd, 2> ends;
  std::optional<analysis::Comparison> comparison;  // nullopt unless both are counted
  std::string claim;    // "17 is 1.40× slower than 16"; empty if unknown
  std::string why_not;  // why there are no factors, as a sentence; empty: there are

  bool is_swapped = false;  // the second one is faster
  double ratio = 0.0;       // of their times, at least 1; 0: unknown

  [[nodiscard]] const PairEnd& slower() const { return ends[is_swapped ? 0 : 1]; }
  [[nodiscard]] const PairEnd& faster() const { return ends[is_swapped ? 1 : 0]; }
};

// The data of charts besides the AppState. Owns nothing.
struct ChartData {
  const problem::Catalog* catalog = nullptr;
  std::span<const timing::DataSet> datasets;
  std::span<const analysis::LaunchFacts> facts;  // counted so far, of any launch
};

// The Timing tab's content for one view of the data. Its pointers point into ChartData, which the
// caller keeps alive with `owners` if it does not outlive this.
struct ShownTimings {
  analysis::ChartRequest request;
  analysis::Chart chart;                   // empty if view.page is not a plot
  std::vector<problem::Problem> problems;  // measured in the chosen data set
  std::optional<ShownPair> pair;           // of the two selected points
  std::vector<std::shared_ptr<const void>> owners;
};

// Everything that ShownTimings and its wanted counts depend on.
struct TimingKey {
  state::Tab tab = state::Tab::Step;
  state::TimingView view;
  std::string kernel;
  problem::Parameters parameters;
  std::string second_kernel;  // of a comparison
  problem::Parameters second_parameters;
  std::uint64_t data = 0;  // increases with every change of ChartData

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

// The data set of a view: by name, otherwise the first; null if there is none.
[[nodiscard]] const timing::DataSet* find_dataset(std::span<const timing::DataSet> datasets,
                                                  const std::string& name);

// The GPU for predictions and occupancy: the chosen one, otherwise the data set's.
[[nodiscard]] analysis::GpuModel shown_gpu(const state::AppState& state,
                                           const timing::DataSet* dataset);

// The request's view has the chosen data set's nearest problem. Pointers point into `data`.
[[nodiscard]] analysis::ChartRequest chart_request(const state::AppState& state,
                                                   const ChartData& data);
[[nodiscard]] ShownTimings show_timings(const state::AppState& state, const ChartData& data);

// Two points of the Timing tab: the facts about each, and why one is slower.

// Nullopt unless two points are selected. Pointers point into `data`.
[[nodiscard]] std::optional<ShownPair> show_pair(const state::TimingView& view,
                                                 const ChartData& data,
                                                 const analysis::ChartRequest& request);

// The architecture for which the second point is counted; `own` is the first point's.
[[nodiscard]] int architecture_of_other(const state::TimingView& view,
                                        std::span<const timing::DataSet> datasets, int own);

}  // namespace tilestep::workspace
