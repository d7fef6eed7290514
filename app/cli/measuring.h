// bench, tune and errors: the options of a sweep, its run on the GPUs of this host, and what these
// commands print.
#pragma once

#include "cli/command.h"
#include "compile/compiler.h"
#include "gpu/device.h"
#include "problem/describe/best_by_size.h"
#include "problem/describe/catalog.h"
#include "problem/problem.h"
#include "problem/result.h"
#include "timing/dataset.h"
#include "timing/errors.h"
#include "timing/sweep.h"

#include <CLI/App.hpp>
#include <mutex>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tilestep::cli {

// tilestep bench: sweeps over kernels, sizes and block sizes on the GPU.

// The options of tilestep bench.
struct BenchOptions {
  std::string kernels;  // comma-separated ids; empty: the whole catalog
  std::string sizes = "512,1024,2048,4096";
  std::string block_sizes = "1.." + std::to_string(problem::kLargestBlockSize);
  int samples = 30;
  double seconds_per_point = timing::SweepPlan{}.max_seconds_per_point;
  double time_limit = timing::SweepPlan{}.time_limit_seconds;  // per launch
  std::string out;                                             // data set; empty: none
  bool resume = false;
  bool time_wrong = false;
  bool no_cublas = false;
  bool tf32 = false;
  std::string cublas;  // words of timing/dataset_points.h, comma-separated
  bool warm = false;
  std::uint32_t order_seed = 1;
  std::string shard = "0/1";
  std::string devices = "0";  // ordinals, comma-separated, or "all"
  bool as_json = false;
};

[[nodiscard]] Result<timing::SweepPlan> make_plan(const BenchOptions& options,
                                                  const problem::Catalog& catalog);

// Median GFLOP/s, one table per problem: a row per BLOCK_SIZE, a column per kernel, with the share
// of cuBLAS if measured.
[[nodiscard]] std::string summary(const timing::DataSet& data);

// Shared by bench and tune.

inline constexpr int kIncomplete = 1;  // exit status: interrupted, or a measurement is wrong

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

// tilestep tune: finds the fastest kernel and tile sizes at each problem size.

// A row per size: the winner with its sizes, its speed, the middle half of its samples, its share
// of cuBLAS and its lead over the second.
[[nodiscard]] std::string winners_text(const problem::BestTable& table);
[[nodiscard]] std::string winners_json(const problem::BestTable& table);

// tilestep errors: compares kernels and cuBLAS with the float64 product of the same inputs.

// The environment of an error report.
struct ErrorSurroundings {
  std::string gpu;
  std::string driver;
  std::string cublas;
  std::string date;  // ISO 8601, UTC
  problem::Problem problem;
};

[[nodiscard]] std::string errors_text(const timing::ErrorReport& report,
                                      const ErrorSurroundings& where);
[[nodiscard]] std::string errors_json(const timing::ErrorReport& report,
                                      const ErrorSurroundings& where);

}  // namespace tilestep::cli
