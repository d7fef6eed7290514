// What the Timing tab shows of one SM in time.
#pragma once

#include "clock/estimate.h"
#include "clock/measured.h"
#include "clock/sm_table.h"
#include "clock/stamps.h"
#include "problem/problem.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilestep::workspace {

// The same launch with stamps of the clock (clock/stamping.h): blocks of one SM that a GPU ran, and
// the estimate for the same machine code.
struct ShownStamps {
  clock::StampedRun measured;
  std::vector<clock::StampedWarp> estimated;  // of as many blocks
  std::vector<clock::ComparedPhase> phases;
};

// One wave of a launch on an SM, or all its blocks.
struct ShownSm {
  std::string kernel;
  problem::Parameters parameters;
  bool is_whole = false;  // all blocks of the launch
  std::string why_not;    // a sentence; empty: there is an estimate
  std::shared_ptr<const clock::SmTable> table;
  insight::Occupancy occupancy;
  int at_once = 0;  // blocks
  int most_at_once = 0;
  std::vector<clock::CodedInstruction> code;
  clock::SmRun run;  // with the states of each warp
  // The clocks of a wave by the number of blocks at once, with the matrices in L2: estimated (empty
  // until they are computed) and measured (empty: not measured).
  std::vector<std::pair<int, std::int64_t>> by_blocks;
  std::vector<std::pair<int, std::int64_t>> measured_by_blocks;
  std::optional<clock::SmSummary> summary;  // of the busiest SM; nullopt: not computed yet
  std::optional<clock::MeasuredLaunch> measured;
  // Nullopt: this launch was not measured, or not computed yet.
  std::optional<ShownStamps> stamped;
};

}  // namespace tilestep::workspace
