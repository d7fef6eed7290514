#include "workspace/bench.h"

#include "gpu/device.h"
#include "gpu/probe.h"

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

timing::SweepPlan live_plan(const state::AppState& state, const problem::Catalog& catalog) {
  timing::SweepPlan plan;
  plan.kernels = state.timing.measure_all_kernels || catalog.find(state.kernel) == nullptr
                     ? problem::timed_kernels(catalog)
                     : std::vector<std::string>{state.kernel};
  plan.problems = {state.timing.problem};
  if (state.timing.measure_all_sizes) {
    plan.problems.clear();
    for (const int size : {256, 512, 1024, 2048, 4096}) {
      plan.problems.push_back({size, size, size});
    }
  }
  plan.block_sizes.resize(problem::kLargestBlockSize);
  std::iota(plan.block_sizes.begin(), plan.block_sizes.end(), 1);
  return plan;
}

BenchResult run_bench(const problem::Catalog& catalog, compile::Compiler& compiler,
                      const timing::SweepPlan& plan, JobControl& control, const BenchHooks& hooks) {
  BenchResult result;
  try {
    auto device = gpu::Device::open();
    if (!device) {
      result.message = device.error().message;
      return result;
    }
    auto outcome = timing::run_sweep(**device, compiler, catalog, plan,
                                     {&control.cancel, hooks.report, hooks.so_far});
    if (!outcome) {
      result.message = outcome.error().message;
      return result;
    }
    result.message = outcome->gpu_lost;
    result.gpu_lost = !outcome->gpu_lost.empty();
    result.data = std::move(outcome->data);
    result.data->name = live_name(*result.data);
  } catch (const gpu::GpuError& error) {
    result.message = error.what();
    result.gpu_lost = error.context_lost();
  }
  return result;
}

std::string live_name(const timing::DataSet& data) {
  std::string name = "live-" + data.provenance.date;
  std::replace(name.begin(), name.end(), ':', '-');
  return name;
}

std::string keep(const timing::DataSet& data, const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  const std::filesystem::path file = directory / (live_name(data) + ".json");
  const auto saved = timing::save_dataset(data, file);
  return saved ? fmt::format("Saved as {}", file.string()) : saved.error().message;
}

const timing::DataSet* find_dataset(const std::vector<timing::DataSet>& datasets,
                                    const std::string& name) {
  const auto found = std::find_if(datasets.begin(), datasets.end(),
                                  [&name](const timing::DataSet& d) { return d.name == name; });
  if (found != datasets.end()) {
    return &*found;
  }
  return datasets.empty() ? nullptr : &datasets.front();
}

std::optional<timing::CounterSet> load_counters(const Paths& paths, std::string& problems) {
  const std::filesystem::path file = paths.assets / "counters" / "h200.json";
  std::error_code error;
  if (!std::filesystem::exists(file, error)) {
    return std::nullopt;
  }
  auto set = timing::load_counter_set(file);
  if (!set) {
    problems += (problems.empty() ? "" : " ") + set.error().message;
    return std::nullopt;
  }
  return std::move(*set);
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
