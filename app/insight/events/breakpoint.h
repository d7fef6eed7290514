// Where a run stops by itself: at breakpoints, with conditions or without, and at findings.
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
  std::uint32_t block = 0;  // in focus
  std::uint32_t thread = 0;
  // By source line; "" holds always. A condition (thread_expression.h) is about the focus block's
  // threads that are about to execute the line.
  std::map<int, std::string> breakpoints{};
  std::vector<Finding> findings{};  // of this very run
};

// Before the statement that reaches a breakpoint; after the one of a finding or a fault. Where
// there is nothing more: found, and the end of the run (its start). Not found: cancelled, or a
// condition is wrong, which `sentence` says.
[[nodiscard]] EventAnswer find_stop(const record::Recording& recording,
                                    const StopQuestion& question,
                                    const std::atomic<bool>* cancel = nullptr);

// What is wrong with a condition in this kernel; nothing where nothing is.
[[nodiscard]] std::optional<Error> condition_mistake(const simt::Program& program,
                                                     const std::string& condition);

}  // namespace tilestep::insight
