// What two runs have in common, and the first product that only one of them adds.
#pragma once

#include "insight/trace/accumulators.h"
#include "record/joint_timeline.h"
#include "record/recording.h"
#include "record/words.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilestep::insight {

// One of two runs that are compared: the thread that is followed, and what its block adds up.

struct Side {
  const record::Recording& run;
  const BlockSums& sums;  // of the block below
  std::uint32_t block = 0;
  std::uint32_t thread = 0;        // in the block
  std::optional<std::size_t> sum;  // an index into the block's; nothing: the thread has none
};

// What two runs have in common: the keys that a joint timeline (record/joint_timeline.h) matches
// statements by, and the thread of one run that does the work of a thread of the other.

// The statements of the run in which the block executes anything, as a side of a joint timeline.
// Only those that the followed thread executes have keys: its products by number, its lines by
// their text without comments and spaces. Executes the run once.
struct BlockStatements {
  std::vector<std::uint64_t> boundaries;  // steps: 0, then each statement's end
  std::vector<record::StatementKey> keys;

  [[nodiscard]] record::SideOfTimeline side() const { return {boundaries, keys}; }
};
[[nodiscard]] BlockStatements block_statements(const Side& side, record::Alignment alignment);

struct ThreadOfRun {
  std::uint32_t block = 0;
  std::uint32_t thread = 0;
  friend bool operator==(const ThreadOfRun&, const ThreadOfRun&) = default;
};
// Who stored an element, "C[1][2]", last; nothing where nobody did, or there is no such element.
[[nodiscard]] std::optional<ThreadOfRun> who_stored(const record::Recording& run,
                                                    const std::string& element);

// Where two runs part: for every element that both store, the first product that only one of them
// adds. Products are told apart by the elements that they multiply and by their values, whatever
// their order.

struct SumDifference {
  std::string element;  // "C[1][0]"
  // Of side 1 and of side 2.
  struct Of {
    std::uint32_t thread = 0;  // that stores the element
    std::size_t product = 0;   // its number in the order it was added, from 0
    std::optional<Term> term;  // nothing: this side has no product in its place
    std::uint64_t step = 0;    // after which it is in the sum; without a term, of the store
    float end = 0.0F;          // what is stored in the end
  };
  std::array<Of, 2> sides;
};

struct SumComparison {
  std::vector<SumDifference> differences;  // as side 2 comes to them
  std::size_t elements = 0;                // that the two blocks both store and follow
  std::size_t products = 0;                // of them, in side 1
};
[[nodiscard]] SumComparison compare_sums(const Side& one, const Side& two);

}  // namespace tilestep::insight
