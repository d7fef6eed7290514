// Where a run stops automatically: at breakpoints, with or without conditions, and at findings.
#pragma once

#include "insight/events/event.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tilestep::insight {

struct StopQuestion {
  std::uint64_t from = 0;
  int direction = +1;
  std::uint32_t block = 0;  // focused block
  std::uint32_t thread = 0;
  // By source line; "" always holds. A condition (thread_expression.h) is evaluated for the focused
  // block's threads that are about to execute the line.
  std::map<int, std::string> breakpoints{};
  std::vector<Finding> findings{};  // of this run
};

// Stops before the statement that reaches a breakpoint, or after the statement of a finding or a
// fault. If there is none: found, with the end of the run (or its start). Not found: cancelled, or
// a condition is wrong, as `sentence` says.
[[nodiscard]] EventAnswer find_stop(const record::Recording& recording,
                                    const StopQuestion& question,
                                    const std::atomic<bool>* cancel = nullptr);

// The error of a condition in this kernel; empty: none.
[[nodiscard]] std::optional<Error> condition_mistake(const simt::Program& program,
                                                     const std::string& condition);

}  // namespace tilestep::insight
