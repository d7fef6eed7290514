// Counts of a launch from some of its blocks: an estimate, where blocks are too many to execute and
// no proof says which of them are alike.
#pragma once

#include "insight/count/profile.h"

#include <atomic>
#include <cstdint>
#include <memory>

namespace tilestep::insight {

// Blocks are taken from the corners, the edges and the inside of the grid, each of these by itself,
// at random and at least two of each where there are two; more of them in rounds until `most_steps`
// warp instructions are executed. Each block stands for its share of its part.
// Profile::error is twice the standard error of the sums, relative (stratified sampling: Cochran,
// Sampling Techniques, section 5.4), the larger of warp instructions' and global sectors'. False: a
// block waits for another one, so that blocks cannot be executed by themselves.
[[nodiscard]] bool profile_by_sample(const std::shared_ptr<const simt::Program>& program,
                                     std::uint64_t most_steps, Profile& result,
                                     const std::atomic<bool>* cancel);

}  // namespace tilestep::insight
