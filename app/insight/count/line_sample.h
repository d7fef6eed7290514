// What a block asks of the L1 cache and of the L2 behind it, for estimates of time.
//
// Exact for the blocks that are executed. Others of the launch may straddle sectors differently, so
// multiplied by the number of blocks this is an estimate, unlike the counts of profile.h.
#pragma once

#include "simt/machine/machine.h"

#include <cstdint>
#include <memory>

namespace tilestep::insight {

struct LineSample {
  std::uint64_t requests = 0;  // to global memory
  // Passes through the L1 cache, summed over the requests. It is the same memory as shared memory
  // and has its banks, so a request takes as many passes as its lanes want different words of one
  // bank; at least one for every line of 128 bytes, because a pass reads from one of them.
  std::uint64_t passes = 0;
  // Distinct 32-byte sectors that a block's requests touch, summed over the blocks: what comes from
  // L2 if the cache keeps them as long as the block runs.
  std::uint64_t distinct_sectors = 0;
  // Of the load that does so most often: how often it is executed, and how often it touches a
  // 64-byte piece that its warp has not touched before. The first to come has to fetch such a piece
  // from DRAM, two sectors at a time, and who waits for several loads waits for that one.
  std::uint64_t loads = 0;
  std::uint64_t loads_of_new = 0;
};

// Executes blocks in the middle of the grid, neighbours along its diagonal because they straddle
// lines in different ways, the warps of each by turns, until they have made so many requests, or
// 300,000 warp instructions, together.
[[nodiscard]] LineSample sample_lines(const std::shared_ptr<const simt::Program>& program,
                                      std::uint64_t most_requests = 50'000);

}  // namespace tilestep::insight
