// Events to navigate to: the next finding, barrier, bank conflict, … from a step, forward or back.
// Found by executing the recording again; pure.
//
// The check, the counters and the narration use the same definitions (docs/insight/recordings.md,
// "Events"), so their numbers agree.
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
  // In focus: its events are preferred if several are in one statement. Change, and Access of a
  // variable or of shared memory, concern it alone.
  std::uint32_t block = 0;
  std::uint32_t thread = 0;
  // Access: "As[1][2]", "A", "acc". Change: an expression (thread_expression.h).
  std::string what{};
  std::vector<Finding> findings{};  // Finding: of this run
  // Finding: only those of `findings`, each once. Otherwise also the effects of the focused block's
  // races, and every fault.
  bool first_only = false;
};

struct EventHit {
  std::uint64_t step = 0;
  simt::WarpId warp;
  std::uint32_t lanes = 0;  // affected lanes
  std::uint32_t line = 0;
};

struct EventAnswer {
  bool found = false;
  std::uint64_t stop = 0;    // where to go: after the event's statement, which shows it
  std::uint32_t block = 0;   // of the event
  std::uint32_t thread = 0;  // of the event
  std::string sentence;      // describes the event; not found: that there is none, or why there was
                             // no search
};

// If cancelled: not found, without a sentence.
[[nodiscard]] EventAnswer find_event(const record::Recording& recording,
                                     const EventQuestion& question,
                                     const std::atomic<bool>* cancel = nullptr);

// All events in steps [first, last), in order of their steps. Fails if `what` does not exist.
[[nodiscard]] Result<std::vector<EventHit>> events_between(const record::Recording& recording,
                                                           const EventQuestion& question,
                                                           std::uint64_t first, std::uint64_t last);

// The end of the statement that contains a step.
[[nodiscard]] std::uint64_t end_of_statement(const record::Recording& recording,
                                             std::uint64_t step);
// The step at which a finding takes effect: that of its last party.
[[nodiscard]] std::uint64_t step_of(const Finding& finding);

}  // namespace tilestep::insight
