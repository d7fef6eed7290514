// Counts of a launch from some of its blocks: an estimate, where blocks are too many to execute and
// no proof says which of them are alike.
#pragma once

#include "insight/count/profile.h"

#include <atomic>
#include <cstdint>
#include <memory>

namespace tilestep::insight {

// Blocks are taken from the corners, the edges and the inside of the grid, each of these by itself,
// at random: two of each, one of a part that is far smaller than the largest. More are taken where
// they lower the error most, until `most_steps` warp instructions are executed. Each block stands
// for its share of its part. A part of which one was taken counts as spread as the largest one;
// where blocks are very long, small parts count as the largest, and their share is added to the
// error. Profile::error is twice the standard error of the sums, relative (stratified sampling:
// Cochran, Sampling Techniques, section 5.4), the larger of warp instructions' and global sectors'.
// `known`: the blocks of a proof are counted exactly, and the parts are the ranges that it leaves.
// False: a block waits for another one, so that blocks cannot be executed by themselves; or, where
// only proved blocks are wanted, a block's counts may depend on the contents of memory.
enum class SampledBlocks { Any, Proved };
[[nodiscard]] bool profile_by_sample(const std::shared_ptr<const simt::Program>& program,
                                     std::uint64_t most_steps, Profile& result,
                                     const std::atomic<bool>* cancel,
                                     SampledBlocks blocks = SampledBlocks::Any,
                                     const PartialProof* known = nullptr);

}  // namespace tilestep::insight
