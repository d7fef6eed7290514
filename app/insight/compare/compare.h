// Compares two runs: what they have in common, and the first product that only one of them adds.
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

// One of two compared runs, with its followed thread and its block's sums.

struct Side {
  const record::Recording& run;
  const BlockSums& sums;  // of `block`
  std::uint32_t block = 0;
  std::uint32_t thread = 0;        // in the block
  std::optional<std::size_t> sum;  // index into the block's sums; empty: the thread has none
};

// What two runs have in common: the keys by which a joint timeline (record/joint_timeline.h)
// matches statements, and the thread of one run that does the work of a thread of the other.

// The statements of the run in which the block executes anything, as a side of a joint timeline.
// Only statements of the followed thread have keys: products by number, lines by their text without
// comments and spaces. Executes the run once.
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
// The last thread that stored an element such as "C[1][2]"; empty if no thread did, or if there is
// no such element.
[[nodiscard]] std::optional<ThreadOfRun> who_stored(const record::Recording& run,
                                                    const std::string& element);

// For every element that both runs store, the first product that only one of them adds. Products
// are identified by the elements that they multiply and by their values, in any order.

struct SumDifference {
  std::string element;  // "C[1][0]"
  // One side of the difference; sides 1 and 2 in `sides`.
  struct Of {
    std::uint32_t thread = 0;  // thread that stores the element
    std::size_t product = 0;   // in the order of addition, from 0
    std::optional<Term> term;  // empty: this side has no product here
    std::uint64_t step = 0;    // after which the sum holds the term; without a term, that of the
                               // store
    float end = 0.0F;          // final stored value
  };
  std::array<Of, 2> sides;
};

struct SumComparison {
  std::vector<SumDifference> differences;  // in side 2's order
  std::size_t elements = 0;                // elements that the two blocks both store and follow
  std::size_t products = 0;                // products of these elements in side 1
};
[[nodiscard]] SumComparison compare_sums(const Side& one, const Side& two);

}  // namespace tilestep::insight
