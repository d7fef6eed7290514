// What two runs have in common: the keys that a joint timeline (record/joint_timeline.h) matches
// statements by, and the thread of one run that does the work of a thread of the other.
#pragma once

#include "insight/compare/side.h"
#include "record/alignment.h"
#include "record/joint_timeline.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilestep::insight {

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

}  // namespace tilestep::insight
