#include "workspace/chart_request.h"

#include "problem/describe/best_by_size.h"
#include "problem/tr.h"
#include "problem/words.h"
#include "timing/dataset_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace tilestep::workspace {
namespace {

constexpr Message kBestTitle = "Best by size";

using analysis::ChartRequest;

const timing::DataSet* named(std::span<const timing::DataSet> datasets, const std::string& name) {
  const timing::DataSet* const found = find_dataset(datasets, name);
  return found != nullptr && found->name == name ? found : nullptr;
}

bool is_library(const std::string& kernel) {
  return timing::is_cublas(kernel);
}

PairEnd end_of(const state::TimedPoint& point, const timing::DataSet* dataset,
               const analysis::GpuModel& gpu, const ChartData& data, const ChartRequest& request) {
  PairEnd end{point, {}, 0.0, nullptr, gpu};
  end.point.dataset = dataset == nullptr ? "" : dataset->name;
  const problem::Problem& size = request.view.problem;
  if (dataset != nullptr) {
    const timing::Point* const measured = dataset->find(point.kernel, size, point.block_size);
    end.ms = measured == nullptr ? 0.0 : measured->median_ms();
  }
  const analysis::LaunchFacts* const facts =
      analysis::find_facts(data.facts, point.kernel, {size, point.block_size}, gpu.architecture);
  end.facts = facts;
  return end;
}

std::string title_of(const ChartRequest& request, const std::string& kernel) {
  for (const analysis::KernelName& name : request.names) {
    if (name.id == kernel) {
      return tr(name.title.c_str());
    }
  }
  const timing::CublasSeries* const cublas = timing::find_cublas(kernel);
  return cublas == nullptr ? kernel : cublas->title.text();
}

// Names the two ends by their difference.
void name_ends(const ChartRequest& request, std::array<PairEnd, 2>& ends) {
  const bool same_kernel = ends[0].point.kernel == ends[1].point.kernel;
  const bool same_size = ends[0].point.block_size == ends[1].point.block_size;
  const bool same_data = ends[0].point.dataset == ends[1].point.dataset;
  const bool same_gpu = ends[0].gpu.name == ends[1].gpu.name;
  for (PairEnd& end : ends) {
    const int block_size = end.point.block_size;
    const std::string size = block_size > 0 ? std::to_string(block_size) : "";
    if (same_kernel && !same_size) {
      end.name = size;
    } else if (!same_kernel || same_data) {
      const std::string title = title_of(request, end.point.kernel);
      const bool has_comma =
          title.find(',') != std::string::npos || title.find("，") != std::string::npos;
      end.name = (has_comma ? "“" + title + "”" : title) + (size.empty() ? "" : " ") + size;
    }
    if (!same_data) {
      const std::string& where = same_gpu ? end.point.dataset : end.gpu.name;
      end.name = end.name.empty() ? where : tr("{} on {}", end.name, where);
    }
  }
}

std::string why_uncounted(const PairEnd& end) {
  if (is_library(end.point.kernel)) {
    return tr(
        "The ratio cannot be split into factors: the source of cuBLAS is not available, so its "
        "cost is not counted.");
  }
  if (end.point.kernel == problem::kBestBySize) {
    return tr(
        "The ratio cannot be split into factors: compare with the kernel that best_by_size selects "
        "at this size.");
  }
  if (!end.gpu.is_known()) {
    return tr(
        "The ratio cannot be split into factors: the specifications of the GPU {} are unknown.",
        end.gpu.name);
  }
  if (end.facts == nullptr) {
    return tr("Counting both …");
  }
  return end.facts->why_not;
}

void compare(ShownPair& pair) {
  const auto& [a, b] = pair.ends;
  for (const PairEnd& end : pair.ends) {
    pair.why_not = pair.why_not.empty() ? why_uncounted(end) : pair.why_not;
  }
  if (pair.why_not.empty()) {
    pair.comparison =
        analysis::compare_points({a.name, a.facts, a.gpu, a.ms}, {b.name, b.facts, b.gpu, b.ms});
    const analysis::Comparison& c = *pair.comparison;
    pair.is_swapped = c.swapped;
    pair.claim = c.claim;
    pair.ratio = c.measured > 0.0 ? c.measured : c.predicted;
  } else if (a.ms > 0.0 && b.ms > 0.0) {
    pair.is_swapped = b.ms < a.ms;
    pair.ratio = pair.slower().ms / pair.faster().ms;
    pair.claim =
        tr("{} takes {:.2f}× as long as {}", pair.slower().name, pair.ratio, pair.faster().name);
  }
}

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
  // A GPU without measurements: only its prediction is shown.
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
  if (state::is_plot(state.timing.page)) {
    shown.chart = analysis::make_chart(shown.request);
  }
  shown.pair = show_pair(state.timing, data, shown.request);
  if (const timing::DataSet* dataset = find_dataset(data.datasets, state.timing.dataset)) {
    shown.problems = analysis::measured_problems(*dataset);
  }
  return shown;
}

std::optional<ShownPair> show_pair(const state::TimingView& view, const ChartData& data,
                                   const ChartRequest& request) {
  if (view.selected_kernel.empty() || view.against.kernel.empty()) {
    return std::nullopt;
  }
  const timing::DataSet* const own = request.datasets.empty() ? nullptr : request.datasets.front();
  const timing::DataSet* const other =
      view.against.dataset.empty() ? own : named(data.datasets, view.against.dataset);
  ShownPair pair;
  pair.ends[0] =
      end_of({view.selected_kernel, view.selected_block_size, ""}, own, request.gpu, data, request);
  pair.ends[1] = end_of(
      view.against, other,
      other == own || other == nullptr ? request.gpu : analysis::gpu_model(other->provenance), data,
      request);
  name_ends(request, pair.ends);
  compare(pair);
  return pair;
}

int architecture_of_other(const state::TimingView& view, std::span<const timing::DataSet> datasets,
                          int own) {
  const timing::DataSet* const other =
      view.against.dataset.empty() ? nullptr : named(datasets, view.against.dataset);
  return other == nullptr ? own : analysis::gpu_model(other->provenance).architecture;
}

}  // namespace tilestep::workspace
