// Two runs on one timeline: at each of its stops both stand at a statement's end, and what they
// have in common they do at the same stop. Where one has more to do between two such places, the
// other waits.
//
// Common are statements with the same key. Strong keys (the number of a product, of a phase) are
// matched first, weak ones (the text of a line) between them, both in the order of execution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tilestep::record {

// 0: the statement has none.
struct StatementKey {
  std::uint64_t strong = 0;  // given once in a run
  std::uint64_t weak = 0;    // may come again
};

// One of the two runs.
struct SideOfTimeline {
  // Recording::statement_starts(): sorted, the last one is the number of steps.
  std::span<const std::uint64_t> starts;
  std::span<const StatementKey> keys;  // one a statement: one fewer than `starts`
};

class JointTimeline {
 public:
  // Steps executed of each run.
  struct Stop {
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    friend bool operator==(const Stop&, const Stop&) = default;
  };

  JointTimeline() = default;
  JointTimeline(const SideOfTimeline& one, const SideOfTimeline& two);

  // From the start of both to the end of both; never empty, but for a default timeline. Neither
  // number ever falls.
  [[nodiscard]] std::span<const Stop> stops() const { return stops_; }
  // The stop that these steps are at, or have come by last. Where the second step is none that
  // belongs to the first, the earliest stop of the first.
  [[nodiscard]] std::size_t at(const Stop& steps) const;
  // The stops at which a run has come as far as `step`, and no further: [from, to], by index. A
  // step inside a statement counts as its start.
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
