#include "workspace/bench.h"

#include "gpu/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <system_error>
#include <utility>

namespace tilestep::workspace {

BenchStatus probe_gpu() {
  const gpu::Probe probe = gpu::probe();
  BenchStatus status;
  status.gpu_found = probe.device_found;
  status.gpu = probe.driver_found ? probe.device_message : probe.driver_message;
  return status;
}

BenchResult run_bench(
    const problem::Catalog& catalog, compile::Compiler& compiler, int size, JobControl& control,
    const std::function<void(const timing::Progress&, const timing::Point&)>& report) {
  BenchResult result;
  try {
    auto device = gpu::Device::open();
    if (!device) {
      result.message = device.error().message;
      return result;
    }
    timing::SweepPlan plan;
    plan.kernels = problem::timed_kernels(catalog);
    plan.problems = {{size, size, size}};
    plan.block_sizes.resize(32);
    std::iota(plan.block_sizes.begin(), plan.block_sizes.end(), 1);
    auto data = timing::run_sweep(**device, compiler, catalog, plan, {&control.cancel, report, {}});
    if (!data) {
      result.message = data.error().message;
      return result;
    }
    result.data = std::move(*data);
  } catch (const gpu::GpuError& error) {
    result.message = error.what();
  }
  return result;
}

std::string keep(const timing::DataSet& data, const std::filesystem::path& directory) {
  std::string stem = "live-" + data.provenance.date;
  std::replace(stem.begin(), stem.end(), ':', '-');
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  const std::filesystem::path file = directory / (stem + ".json");
  const auto saved = timing::save_dataset(data, file);
  return saved ? fmt::format("Saved as {}", file.string()) : saved.error().message;
}

std::vector<timing::DataSet> load_datasets(const Paths& paths, std::string& problems) {
  std::vector<timing::DataSet> datasets;
  for (const auto& directory : {paths.assets / "timings", paths.user_data / "timings"}) {
    std::error_code error;
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
      if (entry.path().extension() == ".json") {
        files.push_back(entry.path());
      }
    }
    std::sort(files.begin(), files.end());
    for (const auto& file : files) {
      auto data = timing::load_dataset(file);
      if (data) {
        datasets.push_back(std::move(*data));
      } else {
        problems += (problems.empty() ? "" : " ") + data.error().message;
      }
    }
  }
  return datasets;
}

}  // namespace tilestep::workspace
