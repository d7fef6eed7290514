// The live benchmark: probes for a GPU once, runs a sweep in the background, and keeps what it
// measured.
#pragma once

#include "compile/compiler.h"
#include "problem/describe/catalog.h"
#include "timing/dataset.h"
#include "timing/sweep.h"
#include "workspace/jobs.h"
#include "workspace/workspace.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace tilestep::workspace {

// Is there a GPU? The sentence says why not and what to do.
[[nodiscard]] BenchStatus probe_gpu();

struct BenchResult {
  std::optional<timing::DataSet> data;
  std::string message;    // why there are no data, or why they end early
  bool gpu_lost = false;  // until the program is restarted
};

// What the view asks for: all timed kernels or the stage's, all sizes or the one on the plot.
[[nodiscard]] timing::SweepPlan live_plan(const state::AppState& state,
                                          const problem::Catalog& catalog);

struct BenchHooks {
  // All on the worker thread.
  std::function<void(const timing::Progress&, const timing::Point&)> report;
  std::function<void(const timing::DataSet&)> so_far;
};
[[nodiscard]] BenchResult run_bench(const problem::Catalog& catalog, compile::Compiler& compiler,
                                    const timing::SweepPlan& plan, JobControl& control,
                                    const BenchHooks& hooks);

// "live-2026-11-21T10-24-44Z": the name of a data set by its date.
[[nodiscard]] std::string live_name(const timing::DataSet& data);
// Saves a data set as <directory>/<name>.json; the sentence for the status line.
[[nodiscard]] std::string keep(const timing::DataSet& data, const std::filesystem::path& directory);

// The hardware's counters that ship; nothing where there are none. An unreadable file is named in
// `problems`.
[[nodiscard]] std::optional<timing::CounterSet> load_counters(const Paths& paths,
                                                              std::string& problems);

// Every readable data set: shipped ones first, then the user's own. Unreadable files are named in
// `problems`.
[[nodiscard]] std::vector<timing::DataSet> load_datasets(const Paths& paths, std::string& problems);

}  // namespace tilestep::workspace
