// Blocks that provably do the same, executed once each.
#pragma once

#include "insight/count/block_axes.h"
#include "insight/count/profile.h"
#include "problem/result.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace tilestep::insight {

// Most blocks are proved to do the same as a few that were executed.
struct PartialProof {
  std::vector<BlockClass> classes;
  std::uint64_t blocks = 0;  // of the classes
  std::uint64_t blocks_executed = 0;
  BlockAxes axes;
  std::vector<BlockRange> rest;  // along the axes: nothing is known of these
};

// Fills `result` and says true; or says false, with result.why_full (and result.partial), where the
// method does not hold, or takes more than `most_steps` warp instructions.
[[nodiscard]] bool profile_by_representatives(const std::shared_ptr<const simt::Program>& program,
                                              std::uint64_t most_steps, Profile& result,
                                              const std::atomic<bool>* cancel);

// The blocks that have to be executed to know what all of them do.
struct BlockClasses {
  std::uint64_t blocks = 0;
  std::uint64_t warp_instructions = 0;         // of all of them
  std::vector<std::uint32_t> representatives;  // linear indices, ascending
};

// Every block does what one of few representatives does, at other addresses of the same buffers;
// no two blocks store one element, none reads what another one stores, and all elements of outputs
// (and of what else something is expected of) are stored. Otherwise a sentence says what of it is
// not proved within `most_steps` warp instructions.
[[nodiscard]] Result<BlockClasses> block_classes(
    const std::shared_ptr<const simt::Program>& program, std::uint64_t most_steps,
    const std::atomic<bool>* cancel);

inline constexpr std::uint64_t kAnySteps = ~std::uint64_t{0};

// Executes all blocks.
void profile_fully(const std::shared_ptr<const simt::Program>& program, Profile& result,
                   const std::atomic<bool>* cancel);

}  // namespace tilestep::insight
