// A sweep: which points to measure, and measuring them on a GPU.
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

// What a sweep measures, in which order, and which part of it.

inline constexpr int kFewestSamples = 20;

// One of `count` parts of a plan that several GPUs or machines share: every count-th point,
// beginning with `index`. A part depends on nothing but the plan.
struct Shard {
  int index = 0;
  int count = 1;
};

struct SweepPlan {
  std::vector<std::string> kernels;  // catalog ids
  std::vector<problem::Problem> problems;
  std::vector<int> block_sizes;          // 1..32
  int samples = 30;                      // >= kFewestSamples
  bool cublas = true;                    // measured too for each problem, when the library is there
  std::vector<std::string> more_cublas;  // ids of dataset_points.h that are measured beside it
  bool warm = false;                     // samples on a warm L2 cache as well
  bool reference = true;                 // time one and the same launch beside every point
  double max_seconds_per_point = 0.5;    // of samples: slow points take fewer …
  int slow_samples = 3;                  // … but never fewer than these
  double slow_launch_seconds = 0.2;      // longer launches are not warmed up
  double time_limit_seconds = 60.0;      // a launch that takes longer ends the sweep
  bool time_wrong_results = false;       // time a kernel whose result is wrong (it is noted)
  // Points of a problem are measured in an order drawn from this, so that what drifts with time
  // does not look like an effect of BLOCK_SIZE; 0: as listed.
  std::uint32_t order_seed = 1;
  Shard shard;
  std::vector<Point> measured;        // taken over as they are, not measured again
  int measured_memory_clock_mhz = 0;  // of those points' data set; 0: unknown
  std::vector<Point> skipped;         // neither taken over nor measured: others have them
};

struct Workload {
  const problem::LaunchSpec* spec = nullptr;
  problem::Parameters parameters;

  std::string launched{};  // the kernel behind best_by_size

  [[nodiscard]] bool is_cublas() const { return timing::is_cublas(spec->id); }
  [[nodiscard]] Point point() const;       // without samples
  [[nodiscard]] std::string name() const;  // "tiled, 2048, BLOCK_SIZE 16"
};

// Descriptions that a catalog does not have: each way to call cuBLAS, so that it shares the buffers
// and the checks of the kernels; and best_by_size at each problem, under that id.
class PlanSpecs {
 public:
  [[nodiscard]] const problem::LaunchSpec& cublas(const std::string& id);
  // Fails where there is no table of winners.
  [[nodiscard]] Result<const problem::LaunchSpec*> best(const problem::Catalog& catalog,
                                                        problem::Problem problem,
                                                        std::string& launched);

 private:
  std::map<std::string, problem::LaunchSpec> specs_;  // by id, or by the kernel behind best_by_size
};

// This shard's points that are not measured yet, in the order to measure them. Fails when a kernel
// is not in the catalog, and where a size, a number of samples, a BLOCK_SIZE or the shard is out of
// range. The result points into `catalog` and `specs`.
[[nodiscard]] Result<std::vector<Workload>> workloads(const SweepPlan& plan,
                                                      const problem::Catalog& catalog,
                                                      PlanSpecs& specs, bool has_cublas);

struct Progress {
  std::size_t done = 0;
  std::size_t total = 0;
  std::string current;  // "tiled, 2048, BLOCK_SIZE 16"
};

// Inputs are distinct small integers, so that a right result is right to the last bit. For every
// point: outputs are poisoned with NaN, one launch runs, its result is compared with the reference
// (host, float64, where small; else a result that passed Freivalds' check), then launches warm up,
// then each timed launch runs alone between two CUDA events on a cold L2 cache; at the end the
// result is compared again. A wrong one is a note "result wrong: …" instead of samples.
//
// The data set's points are sorted by size, kernel and BLOCK_SIZE. Points that cannot run carry a
// note instead of samples. Cancelling ends with the points measured so far, and so does a kernel
// that destroys the GPU's context or does not end. Fails when the plan is wrong.
struct SweepHooks {
  const std::atomic<bool>* cancel = nullptr;
  // After every point, in the order of measuring: the point, and all there are so far, sorted.
  std::function<void(const Progress&, const Point&)> report;
  std::function<void(const DataSet&)> so_far;
};

struct SweepOutcome {
  DataSet data;
  std::string gpu_lost;  // what ended the sweep before its last point; empty: nothing did
};

[[nodiscard]] Result<SweepOutcome> run_sweep(gpu::Device& device, compile::Compiler& compiler,
                                             const problem::Catalog& catalog, const SweepPlan& plan,
                                             const SweepHooks& hooks);

}  // namespace tilestep::timing
