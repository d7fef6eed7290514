// "Measure here": a sweep in the background whose points appear in the Timing tab as they come.
#pragma once

#include "compile/compiler.h"
#include "problem/describe/catalog.h"
#include "state/app_state.h"
#include "state/command.h"
#include "timing/dataset.h"
#include "workspace/bench.h"
#include "workspace/jobs.h"
#include "workspace/paths.h"
#include "workspace/pool.h"
#include "workspace/workspace.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace tilestep::workspace {

class BenchRunner {
 public:
  // The workspace's own; all of it has to outlive this.
  struct Desk {
    const Paths& paths;
    const CatalogPtr& catalog;
    compile::Compiler& compiler;
    std::vector<timing::DataSet>& datasets;
    state::AppState& state;  // goes to the data set that is being measured
    BenchStatus& status;
    std::uint64_t& data_version;  // grows with every change of the data sets
  };
  BenchRunner(Pool& pool, const Desk& desk) : pool_(pool), desk_(desk) {}

  // Starts or stops, where the command says so.
  void notice(const state::Command& command);
  void cancel();

 private:
  void start();
  void show_live(LivePoint live);
  void end(BenchResult result);

  Pool& pool_;
  Desk desk_;
  std::shared_ptr<JobControl> control_;
};

}  // namespace tilestep::workspace
