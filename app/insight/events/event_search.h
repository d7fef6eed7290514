// The observer that notes events, and the search for the nearest one.
#pragma once

#include "insight/check/watchers.h"
#include "insight/count/counters.h"
#include "insight/events/event.h"
#include "problem/words.h"
#include "record/words.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilestep::insight {

// The observer that notes events.

// The accesses to look for: bytes [first, last) of memory, or a variable of one thread.
struct AccessTarget {
  std::uint64_t first = 0;  // generic
  std::uint64_t last = 0;
  bool shared = false;               // of the question's block alone
  std::string variable;              // of the question's thread; empty: memory
  std::vector<std::uint32_t> lines;  // lines that assign the variable
};
// "As[1][2]", "As", "C[3][4]", "acc". Fails with a sentence if there is no such thing.
[[nodiscard]] Result<AccessTarget> access_target(const simt::Program& program,
                                                 const std::string& what);

class EventWatch final : public simt::Observer {
 public:
  struct Options {
    record::EventKind kind = record::EventKind::Barrier;
    std::uint32_t block = 0;
    std::uint32_t thread = 0;
    AccessTarget target;
    std::uint64_t first = 0;                // number of the first observed step
    std::span<const std::uint64_t> starts;  // of statements
    std::vector<EventHit>* hits = nullptr;  // must outlive the observer
  };
  EventWatch(const simt::Machine& machine, Options options);
  ~EventWatch() override;
  EventWatch(const EventWatch&) = delete;
  EventWatch& operator=(const EventWatch&) = delete;
  EventWatch(EventWatch&&) = delete;
  EventWatch& operator=(EventWatch&&) = delete;

  [[nodiscard]] bool wants_steps() const override { return true; }
  void before_step(const simt::StepInfo& info) override;
  void after_step(const simt::StepInfo& info) override;
  void on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) override;
  void on_barrier(const simt::StepInfo& info, const simt::BarrierEvent& event) override;

 private:
  // A warp's statement in progress.
  struct Open {
    std::uint64_t step = 0;
    simt::WarpId warp;
    std::uint32_t line = 0;
    std::uint32_t mask = 0;
    std::uint32_t live = 0;
  };

  void hit(const simt::StepInfo& info, std::uint32_t lanes);
  void note_masked(const simt::StepInfo& info);
  void close(const Open& open);
  void note_cost(const simt::StepInfo& info, const simt::MemoryEvent& event);
  void note_access(const simt::StepInfo& info, const simt::MemoryEvent& event);
  void note_assignment(const simt::StepInfo& info);

  const simt::Machine& machine_;
  Options options_;
  WarpLines lines_;
  std::uint64_t step_;
  std::vector<std::uint64_t>::size_type next_start_ = 0;
  std::vector<Open> open_;
  std::vector<std::uint32_t> first_pc_;  // by function
  std::optional<PatternCache> patterns_;
  std::optional<NanWatch> nans_;
};

// Where R, E and F5 stop for findings: at every mark that is red on the timeline.

// The nearest finding, fault, or effect of the focused block's races. A finding is reported once
// for all its occurrences; the others are effects and faults. Not found: the sentence says why.
[[nodiscard]] EventAnswer nearest_finding(const record::Recording& recording,
                                          const EventQuestion& question);

// Search in a recording, window by window. A near result does not require executing the whole run
// again, and a cancelled search ends soon.

inline constexpr std::uint64_t kFirstWindow = 4096;     // steps; each window is twice as long as
                                                        // the last …
inline constexpr std::uint64_t kLastWindow = 1U << 20;  // … up to this, about 80 ms

// Visits windows of whole statements, starting at `from` in a direction, until `found(first, last)`
// returns true for one. False: it never did, or `cancel` was set.
template <class Found>
bool search_windows(const record::Recording& recording, std::uint64_t from, int direction,
                    const std::atomic<bool>* cancel, Found&& found) {
  const std::uint64_t end = recording.step_count();
  const auto starts = recording.statement_starts();
  const auto start_of = [&](std::uint64_t step) {
    const auto after = std::upper_bound(starts.begin(), starts.end(), step);
    return after == starts.begin() ? 0 : *(after - 1);
  };
  std::uint64_t width = kFirstWindow;
  std::uint64_t edge = std::min(from, end);
  while (direction > 0 ? edge < end : edge > 0) {
    if (cancel != nullptr && *cancel) {
      return false;
    }
    const std::uint64_t first = start_of(direction > 0 ? edge : edge - std::min(edge, width));
    const std::uint64_t last =
        end_of_statement(recording, (direction > 0 ? std::min(end, edge + width) : edge) - 1);
    if (found(first, last)) {
      return true;
    }
    edge = direction > 0 ? last : first;
    width = std::min(2 * width, kLastWindow);
  }
  return false;
}

// The hits of the stop nearest to `from`: their statements all end there. Hits are in order of
// their steps.
template <class Hit, class StopOf>
[[nodiscard]] std::vector<Hit> nearest_hits(const std::vector<Hit>& hits, std::uint64_t from,
                                            int direction, StopOf&& stop_of) {
  std::vector<Hit> nearest;
  std::uint64_t best = 0;
  for (const Hit& hit : hits) {
    const std::uint64_t stop = stop_of(hit);
    if (direction > 0 ? stop <= from : stop >= from) {
      continue;
    }
    const bool nearer = nearest.empty() || (direction > 0 ? stop < best : stop > best);
    if (nearer) {
      nearest.clear();
      best = stop;
    }
    if (stop == best) {
      nearest.push_back(hit);
    }
  }
  return nearest;
}

}  // namespace tilestep::insight

namespace tilestep::insight::events_english {

// The sentences about events, in one table, so that they can be read, tested and translated
// together.

// {kind}: the word of an event (record/words.h).
inline constexpr Message kNoneAfter = "No {kind} after this step.";
inline constexpr Message kNoneBefore = "No {kind} before this step.";
inline constexpr Message kNoneOfAfter = "No {kind} of {what} after this step.";
inline constexpr Message kNoneOfBefore = "No {kind} of {what} before this step.";

inline constexpr Message kBarrier =
    "Barrier at line {line}: all threads of {block} have arrived, and {warp} continues first.";
inline constexpr Message kConflict =
    "Bank conflict at line {line}: {warp} of {block} {verb} {array} in {passes} passes instead of "
    "{least}.";
inline constexpr Message kSectors =
    "Line {line}: {warp} of {block} {verb} {array} in {sectors} sectors; its bytes fit in {least}.";
inline constexpr Message kDivergence =
    "{warp} of {block} diverges at line {line}: {lanes} of {active} lanes branch, {others} "
    "continue.";
inline constexpr Message kMasked =
    "Line {line}: {lanes} of {active} lanes of {warp} of {block} are inactive.";
inline constexpr Message kNan = "Line {line}: {thread} computes a NaN from numbers{others}.";
inline constexpr Message kNanOthers = ", and so do {count} other lanes";
inline constexpr Message kAccess = "Line {line}: {thread} {verb} {what}{others}.";
inline constexpr Message kAccessOthers = ", and so do {count} more lanes";
inline constexpr Message kAssigned = "Line {line}: {thread} sets {what}.";
inline constexpr Message kChange = "{what}: {before} becomes {after} in {thread}.";

inline constexpr Message kNothingWatched =
    "Nothing is watched. Type an expression beside the play buttons, for example t or acc > 0.";
inline constexpr Message kNothingChosen =
    "No cell is chosen and nothing is watched. Click a cell of the stage, or watch a name.";
inline constexpr Message kPartOnly =
    "Only blocks {first} to {last} are recorded, but the step of a finding counts all blocks. "
    "Choose a smaller problem size to run to a finding.";

// {first}: the sentence of the finding that reports the first of these faults.
inline constexpr Message kAgain =
    "The same fault again at line {line}, caused by {thread}. First occurrence: {first}";

inline constexpr Message kBreakpoint = "Breakpoint: line {line} runs next.";
inline constexpr Message kCondition =
    "Breakpoint: line {line} runs next, and {condition} holds in {thread}.";
inline constexpr Message kWrongCondition = "Breakpoint at line {line}: {mistake}";
inline constexpr Message kRunOver = "The run is over: no {stops} after this step.";
inline constexpr Message kRunBegins =
    "This is the start: no {stops} before the step you came from.";
inline constexpr Message kFindingStop = "finding";
inline constexpr Message kBreakpointStop = "breakpoint and no finding";

}  // namespace tilestep::insight::events_english
