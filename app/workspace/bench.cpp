#include "workspace/bench.h"

#include "gpu/device.h"
#include "problem/tr.h"
#include "timing/dataset_points.h"
#include "workspace/chart_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <system_error>

namespace tilestep::workspace {
namespace {

// "live-2026-11-21T10-24-44Z": a data set's name, made from its date.
std::string live_name(const timing::DataSet& data) {
  std::string name = "live-" + data.provenance.date;
  std::replace(name.begin(), name.end(), ':', '-');
  return name;
}

std::filesystem::path live_file(const timing::DataSet& data, const std::filesystem::path& folder) {
  return folder / (live_name(data) + ".json");
}

std::string not_saved(const Error& error) {
  return tr(
      "Not saved: {} The points are kept until Tilestep exits. To save in another folder, set "
      "XDG_DATA_HOME.",
      error.message);
}

// "2 of 33 points are wrong, first my_kernel, BLOCK_SIZE 4: C[0][5] is …"; empty: none is.
std::string wrong_results(const timing::DataSet& data) {
  const auto is_wrong = [](const timing::Point& point) { return !point.verified; };
  const auto first = std::ranges::find_if(data.points, is_wrong);
  if (first == data.points.end()) {
    return "";
  }
  return tr("{} of {} points are not verified; the first is {}{}: {}.",
            std::ranges::count_if(data.points, is_wrong), data.points.size(),
            std::filesystem::path(first->kernel).stem().string(),
            first->block_size > 0 ? tr(", BLOCK_SIZE {}", first->block_size) : "",
            tr(first->note.c_str()));
}

// Writes every point to disk, in the user's data, before the next one starts; if that fails,
// measuring continues.
BenchResult run_bench(const problem::Catalog& catalog, compile::Compiler& compiler,
                      const timing::SweepPlan& plan, const Paths& paths, JobControl& control,
                      const BenchHooks& hooks) {
  const std::filesystem::path folder = paths.user_data / "timings";
  BenchResult result;
  try {
    auto device = gpu::Device::open(paths.libraries);
    if (!device) {
      result.message = device.error().message;
      return result;
    }
    LiveFile file(folder);
    timing::Point newest;
    const auto report = [&](const timing::Progress& progress, const timing::Point& point) {
      newest = point;
      hooks.report(progress);
    };
    const auto so_far = [&](const timing::DataSet& data) {
      std::string unsaved = file.add(newest, data);
      hooks.add({live_name(data), data.provenance, std::move(newest), std::move(unsaved)});
    };
    auto outcome =
        timing::run_sweep(**device, compiler, catalog, plan, {&control.cancel, report, so_far});
    if (!outcome) {
      result.message = outcome.error().message;
      return result;
    }
    result.message = outcome->gpu_lost.empty() ? wrong_results(outcome->data) : outcome->gpu_lost;
    result.gpu_lost = !outcome->gpu_lost.empty();
    result.data = std::move(outcome->data);
    result.data->name = live_name(*result.data);
    if (!result.data->points.empty()) {
      result.saved = keep(*result.data, folder);
    }
  } catch (const gpu::GpuError& error) {
    result.message = error.what();
    result.gpu_lost = error.context_lost();
  }
  return result;
}

// The shipped counters of the hardware; null if there are none. Adds an unreadable file to
// `problems`.
std::shared_ptr<const timing::CounterSet> load_counters(const Paths& paths, std::string& problems) {
  const std::filesystem::path file = paths.assets / "counters" / "h200.json";
  std::error_code error;
  if (!std::filesystem::exists(file, error)) {
    return nullptr;
  }
  auto set = timing::load_counter_set(file);
  if (!set) {
    problems += (problems.empty() ? "" : " ") + set.error().message;
    return nullptr;
  }
  return std::make_shared<const timing::CounterSet>(std::move(*set));
}

// Every readable data set: shipped ones first, then the user's own. Adds unreadable files to
// `problems`.
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

// The data set of that name; created if there is none.
timing::DataSet& live_dataset(const std::string& name, std::vector<timing::DataSet>& datasets) {
  const auto found = std::find_if(datasets.begin(), datasets.end(),
                                  [&name](const timing::DataSet& d) { return d.name == name; });
  return found != datasets.end() ? *found : datasets.emplace_back(timing::DataSet{name, {}, {}});
}

void show(std::vector<timing::DataSet> datasets, TimingsView& view) {
  view.datasets = std::make_shared<const std::vector<timing::DataSet>>(std::move(datasets));
  ++view.version;
}

}  // namespace

BenchStatus probe_gpu(const gpu::LibraryNames& libraries) {
  const gpu::Probe probe = gpu::probe_device(libraries);
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
  plan.time_wrong_results = true;  // on the plot, marked as wrong
  return plan;
}

void show_beside(const std::string& live, const std::vector<timing::DataSet>& datasets,
                 state::TimingView& view) {
  if (view.dataset == live) {
    return;
  }
  const timing::DataSet* const shown = find_dataset(datasets, view.dataset);
  if (shown != nullptr && shown->name != live) {
    view.overlays.insert(shown->name);
  }
  view.dataset = live;
  view.gpu.clear();  // for which nothing is measured
}

problem::Catalog with_own_kernel(const problem::Catalog& catalog, const std::string& kernel) {
  problem::Catalog all = catalog;
  if (all.find(kernel) == nullptr) {
    if (auto own = problem::find_spec(catalog, kernel)) {
      own->id = kernel;  // the state's name for it
      all.kernels.push_back(std::move(*own));
    }
  }
  return all;
}

void show_progress(const timing::Progress& progress, double seconds, BenchStatus& status) {
  status.fraction = static_cast<double>(progress.done) /
                    static_cast<double>(std::max<std::size_t>(1, progress.total));
  status.seconds_left =
      status.fraction > 0.0 ? seconds * (1.0 - status.fraction) / status.fraction : 0.0;
  status.done = progress.done;
  status.total = progress.total;
  status.current = progress.current;
}

void add_live(LivePoint live, std::vector<timing::DataSet>& datasets,
              const problem::Catalog& catalog) {
  timing::DataSet& data = live_dataset(live.dataset, datasets);
  const timing::Point& point = live.point;
  // A point may arrive after the whole sweep, because jobs end in any order.
  if (data.find(point.kernel, point.problem, point.block_size) == nullptr) {
    data.provenance = std::move(live.provenance);
    timing::insert_point(std::move(live.point), data.points, catalog);
  }
}

void put_dataset(timing::DataSet data, TimingsView& view) {
  std::vector<timing::DataSet> datasets = *view.datasets;
  live_dataset(data.name, datasets) = std::move(data);
  show(std::move(datasets), view);
}

std::string LiveFile::add(const timing::Point& newest, const timing::DataSet& so_far) {
  if (!file_) {
    file_.emplace(live_file(so_far, folder_));
  }
  Result<void> kept = file_->append(newest);
  if (file_->is_due()) {
    kept = file_->save(so_far);
  }
  return kept ? std::string() : not_saved(kept.error());
}

std::string keep(const timing::DataSet& data, const std::filesystem::path& directory) {
  const std::filesystem::path file = live_file(data, directory);
  const auto saved = timing::save_dataset(data, file);
  return saved ? tr("Saved as {}", file.string()) : not_saved(saved.error());
}

Measurements read_measurements(const Paths& paths) {
  Measurements read;
  read.datasets =
      std::make_shared<const std::vector<timing::DataSet>>(load_datasets(paths, read.problems));
  read.counters = load_counters(paths, read.problems);
  return read;
}

void BenchRunner::show_live(LivePoint live) {
  show_beside(live.dataset, *shared_.view.datasets, shared_.state.timing);
  if (shared_.view.bench.running) {
    shared_.view.bench.message = live.unsaved;
  }
  std::vector<timing::DataSet> datasets = *shared_.view.datasets;
  add_live(std::move(live), datasets, *shared_.catalog);
  show(std::move(datasets), shared_.view);
}

void BenchRunner::end(BenchResult result) {
  BenchStatus& status = shared_.view.bench;
  status.running = false;
  status.current.clear();
  status.message = result.message;
  if (result.gpu_lost) {
    status.gpu_found = false;
    status.gpu = result.message;
  }
  if (!result.data || result.data->points.empty()) {
    return;
  }
  status.message += (status.message.empty() ? "" : " ") + result.saved;
  show_beside(result.data->name, *shared_.view.datasets, shared_.state.timing);
  put_dataset(std::move(*result.data), shared_.view);
}

void BenchRunner::notice(const state::Command& command) {
  if (command.is<state::StartBench>()) {
    start();
  } else if (command.is<state::CancelBench>()) {
    cancel();
  }
}

void BenchRunner::cancel() {
  if (control_) {
    control_->cancel = true;
  }
}

void BenchRunner::start() {
  BenchStatus& status = shared_.view.bench;
  if (status.running || !status.gpu_found) {
    return;
  }
  status = {.gpu_found = true, .gpu = status.gpu, .running = true, .current = "", .message = ""};
  control_ = std::make_shared<JobControl>();
  const auto catalog = std::make_shared<const problem::Catalog>(
      with_own_kernel(*shared_.catalog, shared_.state.kernel));
  const timing::SweepPlan plan = live_plan(shared_.state, *catalog);
  pool_.submit([this, plan, catalog, control = control_]() -> Completion {
    const auto started = std::chrono::steady_clock::now();
    const auto report = [this, started](const timing::Progress& progress) {
      const std::chrono::duration<double> past = std::chrono::steady_clock::now() - started;
      pool_.hand_over([this, progress, seconds = past.count()] {
        show_progress(progress, seconds, shared_.view.bench);
      });
    };
    const auto add = [this](LivePoint live) {
      auto point = std::make_shared<LivePoint>(std::move(live));
      pool_.hand_over([this, point] { show_live(std::move(*point)); });
    };
    auto result = std::make_shared<BenchResult>(
        run_bench(*catalog, shared_.compiler, plan, shared_.paths, *control, {report, add}));
    return [this, result] { end(std::move(*result)); };
  });
}

}  // namespace tilestep::workspace
