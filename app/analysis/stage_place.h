// Where a cause of slowness is to be seen: a line of the kernel on the stage, a warp, or a page of
// the Timing tab. Pure.
#pragma once

#include "analysis/compare_points.h"
#include "analysis/launch_facts.h"

#include <cstdint>

namespace tilestep::analysis {

enum class Sight {
  Memory,       // banks and sectors of the accesses of a line
  Warp,         // the last warp of a block, at a line, with the lanes that have no thread
  MaskedLanes,  // the first statement that some lanes sit out
  Barrier,      // the first barrier
  Ptx,          // the instructions of a line
  Occupancy,    // the table
  BySize,       // the plot over N
  Roofline      // the plot with the GPU's ceilings
};

struct SeenAt {
  Sight sight = Sight::Memory;
  std::uint32_t line = 0;    // 0: none
  std::uint32_t thread = 0;  // linear in the block
};

// For the launch that is slower by this cause.
[[nodiscard]] SeenAt seen_at(Cause cause, const LaunchFacts& facts);

}  // namespace tilestep::analysis
