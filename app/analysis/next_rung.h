// What the next kernel of the ladder changes, from what was counted of both launches; and what
// still limits the last one. No sentence belongs to a kernel: the numbers decide what is said.
#pragma once

#include "analysis/gpu_model.h"
#include "analysis/launch_facts.h"

#include <string>
#include <vector>

namespace tilestep::analysis {

// Something that takes time, of two whole launches of one problem.
struct Change {
  std::string of_what;  // "bank conflicts"
  std::string unit;     // "passes"
  double before = 0.0;
  double after = 0.0;
  // What the larger of the two would take on the given GPU if nothing hid the difference.
  double ms = 0.0;

  [[nodiscard]] bool is_removed() const { return after < before; }
};

// All that differs by at least 2 % and by more than half a percent of the launch's predicted time;
// what takes most first. Preconditions: both facts' why_not is empty, gpu.is_known().
[[nodiscard]] std::vector<Change> changes(const LaunchFacts& facts, const LaunchFacts& next,
                                          const GpuModel& gpu);

// "Warp tile removes 100 % of the bank conflicts (54,525,952 → 0 passes). It needs as many
// registers (127 per thread) and …". Preconditions as above.
[[nodiscard]] std::string told_changes(const std::string& title_of_next, const LaunchFacts& facts,
                                       const LaunchFacts& next, const GpuModel& gpu);

// What binds a launch that no rung follows, and how far it is from the ceiling of its products.
// `measured_ms` 0: not measured. Preconditions as above.
[[nodiscard]] std::string told_ceiling(const LaunchFacts& facts, double measured_ms,
                                       const GpuModel& gpu);

}  // namespace tilestep::analysis
