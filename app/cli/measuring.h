// Shared by bench and tune: the options of a sweep, and running it on the GPUs of this host.
#pragma once

#include "cli/bench_command.h"
#include "cli/command.h"
#include "compile/compiler.h"
#include "gpu/device.h"
#include "problem/describe/catalog.h"
#include "timing/dataset.h"
#include "timing/sweep.h"

#include <CLI/App.hpp>
#include <mutex>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace tilestep::cli {

// --kernels, --sizes, --samples, --seconds, --time-limit, --out, --resume, --order, --shard and
// --devices.
void add_measuring_options(CLI::App& command, BenchOptions& options);

// The result of measure().
struct Measured {
  timing::DataSet data;
  bool is_whole = true;  // not interrupted, no GPU lost
};

// Includes the points of options.out if it is resumed. Reports on stderr what was left out or lost;
// Ctrl-C ends it between two launches or within a second. Fails if nothing was measured.
[[nodiscard]] Result<Measured> measure(const BenchOptions& options, timing::SweepPlan& plan,
                                       const problem::Catalog& catalog, Context& context);

// Writes options.out, if it is a file, and reports it.
[[nodiscard]] Result<void> keep(const BenchOptions& options, const timing::DataSet& data);
// Reports that a sweep was interrupted.
void tell_interrupted(const BenchOptions& options, const timing::DataSet& data);

// One plan on several GPUs of a host, each measuring a part of it.
using Devices = std::vector<std::unique_ptr<gpu::Device>>;

class Sweeps {
 public:
  // Everything must outlive this object. Points are written beside the file `out` at once, and to
  // it some seconds later; empty: not written.
  Sweeps(const timing::SweepPlan& plan, const problem::Catalog& catalog,
         compile::Compiler& compiler, const std::string& out, const std::atomic<bool>& cancel)
      : plan_(plan),
        catalog_(catalog),
        compiler_(compiler),
        out_(out),
        cancel_(cancel),
        file_(out) {}

  // The measurements of all of them; `problem`: why one did not finish.
  [[nodiscard]] timing::DataSet run(const Devices& devices, std::string& problem);
  // The measurements so far; callable from any thread.
  [[nodiscard]] timing::DataSet so_far();

 private:
  [[nodiscard]] timing::SweepPlan part_of_plan(std::size_t part, std::size_t parts) const;
  void sweep(std::size_t part, gpu::Device& device, const timing::SweepPlan& plan);
  void keep(std::size_t part, const timing::DataSet& data);
  void note(const std::string& problem);
  [[nodiscard]] timing::DataSet together();

  const timing::SweepPlan& plan_;
  const problem::Catalog& catalog_;
  compile::Compiler& compiler_;
  const std::string& out_;
  const std::atomic<bool>& cancel_;
  std::mutex mutex_;  // for all members below
  std::vector<timing::DataSet> parts_;
  std::string problem_;
  timing::GrowingFile file_;  // out_, unless it is empty
};

}  // namespace tilestep::cli
