// What one block asks of the L1 cache and of the L2 behind it, for estimates of time.
//
// Exact for the block that is executed. Others of the launch may straddle lines differently, so
// multiplied by the number of blocks this is an estimate, unlike the counts of profile.h.
#pragma once

#include "simt/machine/machine.h"

#include <cstdint>
#include <memory>

namespace tilestep::insight {

struct LineSample {
  std::uint64_t requests = 0;  // to global memory, of one block
  bool is_whole = true;        // all of them; otherwise its first
  // Distinct 128-byte lines of every global request, summed: the cache looks one up in a clock.
  std::uint64_t lines = 0;
  // Distinct 32-byte sectors that they touch: what comes from L2 if the cache keeps them as long as
  // the block runs.
  std::uint64_t distinct_sectors = 0;
};

// Executes a block in the middle of the grid, its warps by turns, until it has made so many
// requests, or 300,000 warp instructions.
[[nodiscard]] LineSample sample_lines(const std::shared_ptr<const simt::Program>& program,
                                      std::uint64_t most_requests = 50'000);

}  // namespace tilestep::insight
