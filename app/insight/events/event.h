// Where a run can be taken to: the next finding, barrier, bank conflict, … from a step, forward or
// back. Found by executing the recording again; pure.
//
// Definitions (docs/insight/recordings.md, "Events") are those of the check, of the counters and of
// the narration, so that their numbers agree.
#pragma once

#include "insight/check/finding.h"
#include "problem/result.h"
#include "record/recording.h"
#include "record/words.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace tilestep::insight {

struct EventQuestion {
  record::EventKind kind = record::EventKind::Finding;
  std::uint64_t from = 0;  // steps executed so far
  int direction = +1;
  // In focus: what is its own is told where several have an event in one statement. Change, and
  // Access of a variable or of shared memory, are about it alone.
  std::uint32_t block = 0;
  std::uint32_t thread = 0;
  // Access: "As[1][2]", "A", "acc". Change: an expression (thread_expression.h).
  std::string what{};
  std::vector<Finding> findings{};  // Finding: of this very run
  // Finding: those of `findings` alone, each once. Else also what they are told for: the strikes of
  // the focus block's races, and every fault.
  bool first_only = false;
};

// One event.
struct EventHit {
  std::uint64_t step = 0;
  simt::WarpId warp;
  std::uint32_t lanes = 0;  // that it is about
  std::uint32_t line = 0;
};

struct EventAnswer {
  bool found = false;
  std::uint64_t stop = 0;    // where to go: after the event's statement, which shows it
  std::uint32_t block = 0;   // that it is about …
  std::uint32_t thread = 0;  // … and a thread of it
  std::string sentence;  // what it is; not found: that there is none, or why none was looked for
};

// Cancelled: not found, without a sentence.
[[nodiscard]] EventAnswer find_event(const record::Recording& recording,
                                     const EventQuestion& question,
                                     const std::atomic<bool>* cancel = nullptr);

// All events in steps [first, last), in order of their steps. Fails where `what` is nothing.
[[nodiscard]] Result<std::vector<EventHit>> events_between(const record::Recording& recording,
                                                           const EventQuestion& question,
                                                           std::uint64_t first, std::uint64_t last);

// The end of the statement that a step is part of.
[[nodiscard]] std::uint64_t end_of_statement(const record::Recording& recording,
                                             std::uint64_t step);
// Where a finding strikes: the step of its last party.
[[nodiscard]] std::uint64_t step_of(const Finding& finding);

}  // namespace tilestep::insight
