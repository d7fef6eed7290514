// What bench and tune share: the options of a sweep, and running it on the GPUs of this host.
#pragma once

#include "cli/bench_command.h"
#include "cli/context.h"
#include "problem/describe/catalog.h"
#include "timing/sweep.h"

#include <CLI/App.hpp>

namespace tilestep::cli {

// --kernels, --sizes, --samples, --seconds, --time-limit, --out, --resume, --order, --shard and
// --devices.
void add_measuring_options(CLI::App& command, BenchOptions& options);

struct Measured {
  timing::DataSet data;
  bool is_whole = true;  // not interrupted, no GPU lost
};

// With the points of options.out where it is resumed. Says on stderr what was left out or lost;
// Ctrl-C ends it between two launches or within a second. Fails where nothing was measured.
[[nodiscard]] Result<Measured> measure(const BenchOptions& options, timing::SweepPlan& plan,
                                       const problem::Catalog& catalog, Context& context);

// Writes options.out, if that is a file, and says so.
[[nodiscard]] Result<void> keep(const BenchOptions& options, const timing::DataSet& data);
// That a sweep did not come to its end.
void tell_interrupted(const BenchOptions& options, const timing::DataSet& data);

}  // namespace tilestep::cli
