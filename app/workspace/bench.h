// The live benchmark: probes for a GPU once, runs a sweep in the background, and keeps what it
// measured.
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

// Is there a GPU? The sentence says why not and what to do.
[[nodiscard]] BenchStatus probe_gpu(const gpu::LibraryNames& libraries);

struct BenchResult {
  std::optional<timing::DataSet> data;
  std::string message;    // why there are no data, or why they end early
  bool gpu_lost = false;  // until the program is restarted
  std::string saved;      // keep()'s sentence; empty without points
};

// What the view asks for: all timed kernels or the stage's, all sizes or the one on the plot.
[[nodiscard]] timing::SweepPlan live_plan(const state::AppState& state,
                                          const problem::Catalog& catalog);

// A point on its way from the worker to the data set on the plot.
struct LivePoint {
  std::string dataset;            // live_name
  timing::Provenance provenance;  // of the sweep as far as it went
  timing::Point point;
  std::string unsaved;  // why it is not on disk; empty: it is
};
// The one of that name, made where there is none.
[[nodiscard]] timing::DataSet& live_dataset(const std::string& name,
                                            std::vector<timing::DataSet>& datasets);
// It takes its place in its data set, which the first point makes; one that is there stays.
void add_live(LivePoint live, std::vector<timing::DataSet>& datasets,
              const problem::Catalog& catalog);

// `seconds` since the sweep began.
void show_progress(const timing::Progress& progress, double seconds, BenchStatus& status);

// The data set that is being measured goes on the plot, and the one that was there stays beside it.
void show_beside(const std::string& live, const std::vector<timing::DataSet>& datasets,
                 state::TimingView& view);

// With the user's own kernel that the state shows, where the catalog does not have it. A file that
// cannot be read: the catalog as it is.
[[nodiscard]] problem::Catalog with_own_kernel(const problem::Catalog& catalog,
                                               const std::string& kernel);

struct BenchHooks {
  // All on the worker thread.
  std::function<void(const timing::Progress&)> report;
  std::function<void(LivePoint)> add;
};

// The file of a sweep that is under way.
class LiveFile {
 public:
  explicit LiveFile(std::filesystem::path folder) : folder_(std::move(folder)) {}
  // Of all points so far the newest. Why it is not on disk, for the status line; empty: it is.
  [[nodiscard]] std::string add(const timing::Point& newest, const timing::DataSet& so_far);

 private:
  std::filesystem::path folder_;
  std::optional<timing::GrowingFile> file_;
};
// Saves a data set as <directory>/<name>.json; the sentence for the status line says where, or why
// not and what to do.
[[nodiscard]] std::string keep(const timing::DataSet& data, const std::filesystem::path& directory);

// All of it.
struct Measurements {
  std::vector<timing::DataSet> datasets;
  std::optional<timing::CounterSet> counters;
  std::string problems;  // which files could not be read, and why; empty: none
};
[[nodiscard]] Measurements read_measurements(const Paths& paths);

// "Measure here": a sweep in the background whose points appear in the Timing tab as they come.
class BenchRunner {
 public:
  // The workspace's own; all of it has to outlive this.
  struct Shared {
    const Paths& paths;
    const CatalogPtr& catalog;
    compile::Compiler& compiler;
    std::vector<timing::DataSet>& datasets;
    state::AppState& state;  // goes to the data set that is being measured
    BenchStatus& status;
    std::uint64_t& data_version;  // grows with every change of the data sets
  };
  BenchRunner(Pool& pool, const Shared& shared) : pool_(pool), shared_(shared) {}

  // Starts or stops, where the command says so.
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
