// The live benchmark: looks for a GPU once, runs a sweep in the background, and saves the
// measurements.
#pragma once

#include "compile/compiler.h"
#include "gpu/probe.h"
#include "problem/describe/catalog.h"
#include "state/app_state.h"
#include "state/command.h"
#include "timing/dataset.h"
#include "timing/sweep.h"
#include "workspace/jobs.h"
#include "workspace/paths.h"
#include "workspace/pool.h"
#include "workspace/workspace.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilestep::workspace {

// Looks for a GPU. The status has a sentence with the reason and the cure if there is none.
[[nodiscard]] BenchStatus probe_gpu(const gpu::LibraryNames& libraries);

// The result of a sweep.
struct BenchResult {
  std::optional<timing::DataSet> data;
  std::string message;    // why there are no data, or why they end early
  bool gpu_lost = false;  // until the program is restarted
  std::string saved;      // keep()'s sentence; empty without points
};

// The plan that the view selects: all timed kernels or the stage's, all sizes or the plot's.
[[nodiscard]] timing::SweepPlan live_plan(const state::AppState& state,
                                          const problem::Catalog& catalog);

// A point that the worker hands over to the data set on the plot.
struct LivePoint {
  std::string dataset;            // live_name
  timing::Provenance provenance;  // of the sweep so far
  timing::Point point;
  std::string unsaved;  // why it is not on disk; empty: it is
};
// Adds the point to its data set, which the first point creates; an existing point stays.
void add_live(LivePoint live, std::vector<timing::DataSet>& datasets,
              const problem::Catalog& catalog);
// Adds a data set to the view, or replaces the one of its name.
void put_dataset(timing::DataSet data, TimingsView& view);

// `seconds`: since the sweep began.
void show_progress(const timing::Progress& progress, double seconds, BenchStatus& status);

// Shows the data set that is being measured on the plot, beside the one that was there.
void show_beside(const std::string& live, const std::vector<timing::DataSet>& datasets,
                 state::TimingView& view);

// The catalog, plus the state's own kernel if the catalog does not have it. An unreadable file is
// left out.
[[nodiscard]] problem::Catalog with_own_kernel(const problem::Catalog& catalog,
                                               const std::string& kernel);

// Callbacks of a running sweep.
struct BenchHooks {
  // Both are called on the worker thread.
  std::function<void(const timing::Progress&)> report;
  std::function<void(LivePoint)> add;
};

// The file of a running sweep.
class LiveFile {
 public:
  explicit LiveFile(std::filesystem::path folder) : folder_(std::move(folder)) {}
  // Adds the newest of all points so far. Returns why it is not on disk, for the status line;
  // empty: it is.
  [[nodiscard]] std::string add(const timing::Point& newest, const timing::DataSet& so_far);

 private:
  std::filesystem::path folder_;
  std::optional<timing::GrowingFile> file_;
};
// Saves a data set as <directory>/<name>.json; returns a sentence for the status line with the
// path, or with the reason and the cure.
[[nodiscard]] std::string keep(const timing::DataSet& data, const std::filesystem::path& directory);

// All data sets and counters.
struct Measurements {
  std::shared_ptr<const std::vector<timing::DataSet>> datasets;
  std::shared_ptr<const timing::CounterSet> counters;  // null: not shipped
  std::string problems;  // unreadable files and the reasons; empty: none
};
[[nodiscard]] Measurements read_measurements(const Paths& paths);

// "Measure here": a sweep in the background whose points appear on the Timing tab as they are
// measured.
class BenchRunner {
 public:
  // Belongs to the workspace; all of it must outlive this object.
  struct Shared {
    const Paths& paths;
    const CatalogPtr& catalog;
    compile::Compiler& compiler;
    state::AppState& state;  // its plot changes to the data set that is being measured
    TimingsView& view;
  };
  BenchRunner(Pool& pool, const Shared& shared) : pool_(pool), shared_(shared) {}

  // Starts or stops on the respective command.
  void notice(const state::Command& command);
  void cancel();

 private:
  void start();
  void show_live(LivePoint live);
  void end(BenchResult result);

  Pool& pool_;
  Shared shared_;
  std::shared_ptr<JobControl> control_;
};

}  // namespace tilestep::workspace
