// A sweep: which points to measure, and measuring them on a GPU.
#pragma once

#include "compile/compiler.h"
#include "gpu/device.h"
#include "problem/catalog.h"
#include "timing/dataset.h"

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace tilestep::timing {

inline constexpr int kFewestSamples = 20;

struct SweepPlan {
  std::vector<std::string> kernels;  // catalog ids
  std::vector<problem::Problem> problems;
  std::vector<int> block_sizes;        // 1..32
  int samples = 30;                    // >= kFewestSamples
  int warm_up = 3;                     // launches, and as many more as fill 50 ms
  bool cublas = true;                  // measured first for each problem, when the library is there
  double max_seconds_per_point = 5.0;  // slow points take fewer samples, never fewer than 20 …
  double slow_launch_seconds = 2.0;    // … unless one launch takes longer than this: then
  int slow_samples = 5;                // so many, and the point's note says so
  bool time_wrong_results = false;     // time a kernel whose result is wrong (it is noted)
  std::vector<Point> measured;         // taken over as they are, not measured again
  int measured_memory_clock_mhz = 0;   // of those points' data set; 0: unknown
};

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
// The data set's points are sorted by size, kernel and BLOCK_SIZE; `report` is called after every
// point, in the order of measuring (may be null). Points that cannot run carry a note instead
// of samples. Cancelling (may be null) ends with the points measured so far, and so does a kernel
// that destroys the GPU's context. Fails when the plan is wrong.
[[nodiscard]] Result<DataSet> run_sweep(
    gpu::Device& device, compile::Compiler& compiler, const problem::Catalog& catalog,
    const SweepPlan& plan, const std::atomic<bool>* cancel,
    const std::function<void(const Progress&, const Point&)>& report);

}  // namespace tilestep::timing
