// What the next kernel of the ladder changes, from the counts of both launches; and what limits the
// last one. No sentence belongs to a kernel: the numbers choose the sentences.
#pragma once

#include "analysis/gpu_model.h"
#include "analysis/launch_facts.h"

#include <string>
#include <vector>

namespace tilestep::analysis {

// A quantity that takes time, of two whole launches of one problem.
struct Change {
  std::string of_what;  // "bank conflicts"
  std::string unit;     // "passes"
  double before = 0.0;
  double after = 0.0;
  // Time of the larger one of the two on the given GPU if nothing hid the difference.
  double ms = 0.0;

  [[nodiscard]] bool is_removed() const { return after < before; }
};

// Everything that differs by at least 2% and by more than half a percent of the launch's predicted
// time; the longest first. Preconditions: both facts' why_not is empty, gpu.is_known().
[[nodiscard]] std::vector<Change> changes(const LaunchFacts& facts, const LaunchFacts& next,
                                          const GpuModel& gpu);

// "Warp tile removes 100% of the bank conflicts (54,525,952 → 0 passes). It needs as many
// registers (127 per thread) and …". Preconditions as above.
[[nodiscard]] std::string changes_text(const std::string& title_of_next, const LaunchFacts& facts,
                                       const LaunchFacts& next, const GpuModel& gpu);

// The limiting resource of a launch that no rung follows, and its distance from the ceiling of its
// products. `measured_ms` 0: not measured. Preconditions as above.
[[nodiscard]] std::string ceiling_text(const LaunchFacts& facts, double measured_ms,
                                       const GpuModel& gpu);

}  // namespace tilestep::analysis
