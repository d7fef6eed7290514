// A sweep: which points to measure, and measuring them on a GPU.
#pragma once

#include "compile/compiler.h"
#include "gpu/device.h"
#include "problem/describe/catalog.h"
#include "timing/sweep_plan.h"

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace tilestep::timing {

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
