#include "workspace/chart_request.h"

#include "problem/words.h"
#include "timing/dataset_points.h"
#include "workspace/pair.h"

#include <algorithm>
#include <filesystem>

namespace tilestep::workspace {
namespace {

constexpr Message kBestTitle = "Best by size";

}  // namespace

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
  if (state.timing.what_if != state::WhatIf{}) {
    request.what_if = analysis::changed(request.gpu, state.timing.what_if);
  }
  request.facts = data.facts;
  request.predicted_kernel = state.timing.predict ? state.kernel : std::string();
  // A GPU that nothing was measured on: its prediction stands alone.
  const bool measured = state.timing.gpu.empty();
  if (dataset != nullptr && measured) {
    request.datasets.push_back(dataset);
    request.view.problem = analysis::shown_problem(dataset, state.timing.problem);
    for (const timing::DataSet& other : data.datasets) {
      if (&other != dataset && state.timing.overlays.contains(other.name)) {
        request.datasets.push_back(&other);
      }
    }
  }
  for (const problem::Family& family : problem::families(*data.catalog)) {
    request.families.push_back(family.name);
  }
  for (const problem::LaunchSpec& spec : data.catalog->kernels) {
    request.names.push_back(
        {spec.id, spec.title, spec.family, spec.family == problem::kBrokenFamily, spec.ladder});
  }
  if (data.catalog->find(state.kernel) == nullptr) {  // the user's own file
    request.names.push_back(
        {state.kernel, std::filesystem::path(state.kernel).stem().string(), "", false, false});
  }
  request.names.push_back({problem::kBestBySize, kBestTitle.english, "", false, true});
  request.rivals = timing::rival_ids(*data.catalog);
  const bool is_alone = state.timing.alone && state::is_plot(state.timing.page) &&
                        state.timing.page != state::TimingPage::Ladder;
  request.view.alone = is_alone;
  if (is_alone) {
    request.kernels.push_back(state.kernel);
    return request;
  }
  for (const problem::LaunchSpec& spec : data.catalog->kernels) {
    const bool is_chosen = spec.id == state.kernel || spec.id == state.timing.selected_kernel ||
                           spec.id == state.timing.against.kernel;
    if (!state.timing.every_kernel && (spec.ladder || is_chosen)) {
      request.kernels.push_back(spec.id);
    }
  }
  if (!state.timing.every_kernel) {
    request.kernels.emplace_back(problem::kBestBySize);
  }
  if (!state.timing.every_kernel && data.catalog->find(state.kernel) == nullptr) {
    request.kernels.push_back(state.kernel);
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
  shown.pair = show_pair(state.timing, data, shown.request);
  if (const timing::DataSet* dataset = find_dataset(data.datasets, state.timing.dataset)) {
    shown.problems = analysis::measured_problems(*dataset);
  }
  return shown;
}

}  // namespace tilestep::workspace
