// Whom a barrier instruction waits for.
#pragma once

#include "simt/machine.h"

namespace tilestep::insight {

// bar.sync and bar.red for all threads of the block, as __syncthreads() is: no thread count, or
// the block's own. A count in a register is taken for a part of the block.
[[nodiscard]] bool is_whole_block_barrier(const simt::Program& program, const simt::StepInfo& info);

}  // namespace tilestep::insight
