#include "workspace/chart_request.h"

#include <algorithm>

namespace tilestep::workspace {
const timing::DataSet* find_dataset(std::span<const timing::DataSet> datasets,
                                    const std::string& name) {
  const auto found = std::find_if(datasets.begin(), datasets.end(),
                                  [&name](const timing::DataSet& d) { return d.name == name; });
  if (found != datasets.end()) {
    return &*found;
  }
  return datasets.empty() ? nullptr : &datasets.front();
}

analysis::GpuModel shown_gpu(const state::AppState& state, const timing::DataSet* dataset) {
  for (const analysis::GpuModel& gpu : analysis::known_gpus()) {
    if (gpu.name == state.timing.gpu) {
      return gpu;
    }
  }
  return dataset == nullptr ? analysis::GpuModel{} : analysis::gpu_model(dataset->provenance);
}

analysis::ChartRequest chart_request(const state::AppState& state, const ChartData& data) {
  const timing::DataSet* const dataset = find_dataset(data.datasets, state.timing.dataset);
  analysis::ChartRequest request;
  request.view = state.timing;
  request.block_size = state.parameters.block_size;
  request.gpu = shown_gpu(state, dataset);
  request.facts = data.facts;
  request.predicted_kernel = state.timing.predict ? state.kernel : std::string();
  // A GPU that nothing was measured on: its prediction stands alone.
  const bool measured = state.timing.gpu.empty();
  if (dataset != nullptr && measured) {
    request.datasets.push_back(dataset);
    request.view.problem =
        analysis::nearest_problem(*dataset, state.timing.problem).value_or(state.timing.problem);
    for (const timing::DataSet& other : data.datasets) {
      if (&other != dataset && state.timing.overlays.contains(other.name)) {
        request.datasets.push_back(&other);
      }
    }
  }
  // The ladder first: no two of its kernels share a colour.
  for (const bool ladder : {true, false}) {
    for (const problem::LaunchSpec& spec : data.catalog->kernels) {
      if (spec.ladder == ladder) {
        request.titles.emplace_back(spec.id, spec.title);
      }
    }
  }
  for (const problem::LaunchSpec& spec : data.catalog->kernels) {
    if (!state.timing.every_kernel && (spec.ladder || spec.id == state.kernel)) {
      request.kernels.push_back(spec.id);
    }
  }
  return request;
}

ShownTimings show_timings(const state::AppState& state, const ChartData& data) {
  ShownTimings shown;
  shown.request = chart_request(state, data);
  const state::TimingPage page = state.timing.page;
  if (page != state::TimingPage::Occupancy && page != state::TimingPage::Counters) {
    shown.chart = analysis::make_chart(shown.request);
  }
  if (const timing::DataSet* dataset = find_dataset(data.datasets, state.timing.dataset)) {
    shown.problems = analysis::measured_problems(*dataset);
  }
  return shown;
}

}  // namespace tilestep::workspace
