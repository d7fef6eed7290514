// The live benchmark: probes for a GPU once, runs a sweep in the background, and keeps what it
// measured.
#pragma once

#include "compile/compiler.h"
#include "problem/catalog.h"
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
  std::string message;
};

// Measures every catalog kernel for one square size. `report` is called on the worker thread.
[[nodiscard]] BenchResult run_bench(
    const problem::Catalog& catalog, compile::Compiler& compiler, int size, JobControl& control,
    const std::function<void(const timing::Progress&, const timing::Point&)>& report);

// Saves a data set as <directory>/live-<date>.json; the sentence for the status line.
[[nodiscard]] std::string keep(const timing::DataSet& data, const std::filesystem::path& directory);

// Every readable data set: shipped ones first, then the user's own. Unreadable files are named in
// `problems`.
[[nodiscard]] std::vector<timing::DataSet> load_datasets(const Paths& paths, std::string& problems);

}  // namespace tilestep::workspace
