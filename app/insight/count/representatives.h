// Blocks that provably do the same, executed once each.
#pragma once

#include "insight/count/profile.h"

#include <atomic>
#include <memory>

namespace tilestep::insight {

// Fills `result` and says true; or says false, with result.why_full, where the method does not
// hold, or takes more than `most_steps` warp instructions.
[[nodiscard]] bool profile_by_representatives(const std::shared_ptr<const simt::Program>& program,
                                              std::uint64_t most_steps, Profile& result,
                                              const std::atomic<bool>* cancel);

inline constexpr std::uint64_t kAnySteps = ~std::uint64_t{0};

// Executes all blocks.
void profile_fully(const std::shared_ptr<const simt::Program>& program, Profile& result,
                   const std::atomic<bool>* cancel);

}  // namespace tilestep::insight
