// A sweep: the points to measure, and their measurement on a GPU.
#pragma once

#include "compile/compiler.h"
#include "gpu/device.h"
#include "problem/describe/catalog.h"
#include "timing/dataset.h"
#include "timing/dataset_points.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tilestep::timing {

// The points of a sweep, their order, and the part to measure.

inline constexpr int kFewestSamples = 20;

// One of `count` parts of a plan that several GPUs or machines share: every count-th point,
// beginning with `index`. A part depends only on the plan.
struct Shard {
  int index = 0;
  int count = 1;
};

struct SweepPlan {
  std::vector<std::string> kernels;  // catalog ids
  std::vector<problem::Problem> problems;
  std::vector<int> block_sizes;          // 1..32
  int samples = 30;                      // >= kFewestSamples
  bool cublas = true;                    // also measured for each problem, if the library is
                                         // available
  std::vector<std::string> more_cublas;  // ids of dataset_points.h that are measured as well
  bool warm = false;                     // also samples on a warm L2 cache
  bool reference = true;                 // time one fixed launch with every point
  double max_seconds_per_point = 0.5;    // of samples: slow points take fewer …
  int slow_samples = 3;                  // … but at least this many
  double slow_launch_seconds = 0.2;      // longer launches are not warmed up
  double time_limit_seconds = 60.0;      // a launch that takes longer ends the sweep
  bool time_wrong_results = false;       // time a kernel whose result is wrong (with a note)
  // Points of a problem are measured in an order drawn from this, so that drift over time does not
  // look like an effect of BLOCK_SIZE; 0: as listed.
  std::uint32_t order_seed = 1;
  Shard shard;
  std::vector<Point> measured;        // kept as they are, not measured again
  int measured_memory_clock_mhz = 0;  // of those points' data set; 0: unknown
  std::vector<Point> skipped;         // neither kept nor measured: measured elsewhere
};

struct Workload {
  const problem::LaunchSpec* spec = nullptr;
  problem::Parameters parameters;

  std::string launched{};  // the kernel behind best_by_size

  [[nodiscard]] bool is_cublas() const { return timing::is_cublas(spec->id); }
  [[nodiscard]] Point point() const;       // without samples
  [[nodiscard]] std::string name() const;  // "tiled, 2048, BLOCK_SIZE 16"
};

// Descriptions outside the catalog: each way to call cuBLAS, so that it shares the buffers and the
// checks of the kernels; and best_by_size at each problem, under that id.
class PlanSpecs {
 public:
  [[nodiscard]] const problem::LaunchSpec& cublas(const std::string& id);
  // Fails if there is no table of winners.
  [[nodiscard]] Result<const problem::LaunchSpec*> best(const problem::Catalog& catalog,
                                                        problem::Problem problem,
                                                        std::string& launched);

 private:
  std::map<std::string, problem::LaunchSpec> specs_;  // by id, or by the kernel behind best_by_size
};

// This shard's points that are not measured yet, in measuring order. Fails if a kernel is not in
// the catalog, or if a size, a number of samples, a BLOCK_SIZE or the shard is out of range. The
// result points into `catalog` and `specs`.
[[nodiscard]] Result<std::vector<Workload>> workloads(const SweepPlan& plan,
                                                      const problem::Catalog& catalog,
                                                      PlanSpecs& specs, bool has_cublas);

struct Progress {
  std::size_t done = 0;
  std::size_t total = 0;
  std::string current;  // "tiled, 2048, BLOCK_SIZE 16"
};

// Inputs are distinct small integers, so that a correct result is exact. For every point: outputs
// are poisoned with NaN, one launch runs, and its result is compared with the reference (host,
// float64, if small; otherwise a result that passed Freivalds' check). Then launches warm up, and
// each timed launch runs alone between two CUDA events on a cold L2 cache. At the end the result is
// compared again. A wrong result becomes a note "result wrong: …" in place of samples.
//
// The data set's points are sorted by size, kernel and BLOCK_SIZE. Points that cannot run have a
// note in place of samples. Cancelling ends with the points measured so far, and so does a kernel
// that destroys the GPU's context or does not end. Fails if the plan is wrong.
struct SweepHooks {
  const std::atomic<bool>* cancel = nullptr;
  // After every point, in measuring order: the point, and all points so far, sorted.
  std::function<void(const Progress&, const Point&)> report;
  std::function<void(const DataSet&)> so_far;
};

struct SweepOutcome {
  DataSet data;
  std::string gpu_lost;  // what ended the sweep before its last point; empty: nothing
};

[[nodiscard]] Result<SweepOutcome> run_sweep(gpu::Device& device, compile::Compiler& compiler,
                                             const problem::Catalog& catalog, const SweepPlan& plan,
                                             const SweepHooks& hooks);

}  // namespace tilestep::timing
