// The live benchmark: probes for a GPU once, runs a sweep in the background, and keeps what it
// measured.
#pragma once

#include "compile/compiler.h"
#include "gpu/probe.h"
#include "problem/describe/catalog.h"
#include "timing/dataset.h"
#include "timing/sweep.h"
#include "workspace/jobs.h"
#include "workspace/paths.h"
#include "workspace/workspace.h"

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
// Every point is on disk, among the user's data, before the next one starts; where that fails,
// measuring goes on.
[[nodiscard]] BenchResult run_bench(const problem::Catalog& catalog, compile::Compiler& compiler,
                                    const timing::SweepPlan& plan, const Paths& paths,
                                    JobControl& control, const BenchHooks& hooks);

// "live-2026-11-21T10-24-44Z": the name of a data set by its date.
[[nodiscard]] std::string live_name(const timing::DataSet& data);
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

// The hardware's counters that ship; nothing where there are none. An unreadable file is named in
// `problems`.
[[nodiscard]] std::optional<timing::CounterSet> load_counters(const Paths& paths,
                                                              std::string& problems);

// Every readable data set: shipped ones first, then the user's own. Unreadable files are named in
// `problems`.
[[nodiscard]] std::vector<timing::DataSet> load_datasets(const Paths& paths, std::string& problems);

// All of it.
struct Measurements {
  std::vector<timing::DataSet> datasets;
  std::optional<timing::CounterSet> counters;
  std::string problems;  // which files could not be read, and why; empty: none
};
[[nodiscard]] Measurements read_measurements(const Paths& paths);

}  // namespace tilestep::workspace
