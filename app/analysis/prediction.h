// How long a launch should take, from counts alone: a small analytic model, stated in
// docs/insight.md, "Prediction", with its error against what was measured.
//
// Every resource gives a lower bound: the time it is busy if it never waits. The SM that has the
// most blocks decides (whole waves and the tail), and a resource is only as busy as the warps at
// hand keep it. The prediction is the root of the sum of their cubes, and a launch's own time.
#pragma once

#include "analysis/gpu_model.h"
#include "analysis/launch_facts.h"

#include <string>
#include <vector>

namespace tilestep::analysis {

enum class Resource { Issue, Latency, SharedMemory, L2, Dram };

struct Bound {
  Resource resource = Resource::Issue;
  double ms = 0.0;
};

struct Prediction {
  double ms = 0.0;
  std::vector<Bound> bounds;  // longest first
  double waves = 0.0;         // blocks / blocks that the GPU holds at once
  int blocks_of_sm = 0;       // at once
  std::uint64_t blocks_of_busiest_sm = 0;
  double balance = 1.0;  // average blocks of an SM / those of the busiest: 1 is no tail

  [[nodiscard]] Resource binding() const { return bounds.front().resource; }
};

// Precondition: facts.why_not is empty and gpu.is_known().
[[nodiscard]] Prediction predict(const LaunchFacts& facts, const GpuModel& gpu);

}  // namespace tilestep::analysis
