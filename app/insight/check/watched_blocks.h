// Which blocks of a long launch the exact pass of a check executes.
#pragma once

#include "insight/check/suspects.h"
#include "simt/machine/program.h"

#include <cstdint>
#include <vector>

namespace tilestep::insight {

// Launches of so many warp instructions are watched as a whole, in one or two seconds.
inline constexpr std::uint64_t kAlwaysWatched = 2'000'000;
// Of longer ones, some blocks of that many.
inline constexpr std::uint64_t kWatched = 1'000'000;

// Those in which a fast pass of `steps` warp instructions found something odd: for each instruction
// the first, and the one that it met. `evenly`: more of them, from the first block to the last, as
// far as the time goes. Empty: all, because they are few, or may wait for each other, or because
// nobody knows which of them met.
[[nodiscard]] std::vector<std::uint32_t> watched_blocks(const simt::Program& program,
                                                        const SuspectBlocks& suspects,
                                                        std::uint64_t steps, bool evenly);

}  // namespace tilestep::insight
