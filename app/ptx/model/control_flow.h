// Private to app/ptx: where control goes, and where diverged lanes meet again.
#pragma once

#include "ptx/model/module.h"

namespace tilestep::ptx {

// Whether control does not go on to the next instruction unless a guard keeps this one from it.
[[nodiscard]] bool ends_block(Opcode op);

// Sets Instruction::reconverge of every branch that lanes may take differently (guarded bra,
// brx.idx) to its immediate post-dominator: the first instruction that every path from the branch
// to the end of the function passes. kNoPc when the paths meet only at the end.
//
// A loop that cannot be left has no path to the end; its last block counts as if it had one, so
// that lanes meet inside the loop.
void find_reconvergence(Function& function);

}  // namespace tilestep::ptx
