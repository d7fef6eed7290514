// Two runs on one timeline. At each of its stops both are at a statement's end, and they execute
// common statements at the same stop. If one has more statements between two such places, the other
// waits.
//
// Statements with the same key are common. Strong keys (the number of a product, of a phase) are
// matched first, weak ones (the text of a line) between them, both in execution order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tilestep::record {

// 0: the statement has none.
struct StatementKey {
  std::uint64_t strong = 0;  // unique in a run
  std::uint64_t weak = 0;    // may repeat
};

// One of the two runs.
struct SideOfTimeline {
  // Recording::statement_starts(): sorted, the last one is the number of steps.
  std::span<const std::uint64_t> starts;
  std::span<const StatementKey> keys;  // one per statement: one fewer than `starts`
};

class JointTimeline {
 public:
  // Executed steps of each run.
  struct Stop {
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    friend bool operator==(const Stop&, const Stop&) = default;
  };

  JointTimeline() = default;
  JointTimeline(const SideOfTimeline& one, const SideOfTimeline& two);

  // From the start of both to the end of both; empty only in a default timeline. Neither number
  // ever decreases.
  [[nodiscard]] std::span<const Stop> stops() const { return stops_; }
  // The stop with these steps, or the last one before them. If the second step does not belong to
  // the first, the earliest stop of the first.
  [[nodiscard]] std::size_t at(const Stop& steps) const;
  // The stops at which a run has executed exactly `step` steps: [from, to), by index. A step inside
  // a statement counts as its start.
  struct Stretch {
    std::size_t from = 0;
    std::size_t to = 0;
  };
  [[nodiscard]] Stretch of(std::uint64_t Stop::*run, std::uint64_t step) const;
  [[nodiscard]] Stretch of_first(std::uint64_t first) const { return of(&Stop::first, first); }
  [[nodiscard]] Stretch of_second(std::uint64_t second) const { return of(&Stop::second, second); }

 private:
  std::vector<Stop> stops_;
};

}  // namespace tilestep::record
