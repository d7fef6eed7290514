#include "workspace/chart_request.h"

#include "problem/file.h"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>

namespace tilestep::workspace {
namespace {

constexpr int kWidth = 1280;
constexpr int kHeight = 720;

}  // namespace

analysis::GpuModel shown_gpu(const state::AppState& state, const timing::DataSet* dataset) {
  for (const analysis::GpuModel& gpu : analysis::known_gpus()) {
    if (gpu.name == state.timing.gpu) {
      return gpu;
    }
  }
  return dataset == nullptr ? analysis::GpuModel{} : analysis::gpu_model(dataset->provenance);
}

analysis::ChartRequest chart_request(const state::AppState& state, const FrameView& view) {
  analysis::ChartRequest request;
  request.view = state.timing;
  request.block_size = state.parameters.block_size;
  request.gpu = shown_gpu(state, view.dataset);
  request.facts = view.facts;
  request.predicted_kernel = state.timing.predict ? state.kernel : std::string();
  // A GPU that nothing was measured on: its prediction stands alone.
  const bool measured = state.timing.gpu.empty();
  if (view.dataset != nullptr && measured) {
    request.datasets.push_back(view.dataset);
    request.view.problem = analysis::nearest_problem(*view.dataset, state.timing.problem)
                               .value_or(state.timing.problem);
    for (const timing::DataSet& data : *view.datasets) {
      if (&data != view.dataset && state.timing.overlays.contains(data.name)) {
        request.datasets.push_back(&data);
      }
    }
  }
  // The ladder first: no two of its kernels share a colour.
  for (const bool ladder : {true, false}) {
    for (const problem::LaunchSpec& spec : view.catalog->kernels) {
      if (spec.ladder == ladder) {
        request.titles.emplace_back(spec.id, spec.title);
      }
    }
  }
  for (const problem::LaunchSpec& spec : view.catalog->kernels) {
    if (!state.timing.every_kernel && (spec.ladder || spec.id == state.kernel)) {
      request.kernels.push_back(spec.id);
    }
  }
  return request;
}

std::string export_chart(const analysis::Chart& chart, state::ChartFormat format) {
  std::string stem = "tilestep";
  for (const char c : chart.title) {
    stem += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '-';
  }
  const bool svg = format == state::ChartFormat::Svg;
  const std::string name = stem + (svg ? ".svg" : ".csv");
  const Result<void> written = problem::write_file(
      name, svg ? analysis::to_svg(chart, kWidth, kHeight) : analysis::to_csv(chart));
  return written ? fmt::format("Saved as {}", (std::filesystem::current_path() / name).string())
                 : written.error().message + " Start Tilestep in a folder that can be written to.";
}

}  // namespace tilestep::workspace
