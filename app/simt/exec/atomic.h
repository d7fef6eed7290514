// atom and red.
#pragma once

#include "simt/exec/context.h"

namespace tilestep::simt {

// atom and red: in[0] address, in[1] operand, in[2] second operand of cas.
const Bound* atomic(Context& c, const Bound* i);
// Of vectors. in[0] address; Detail::slots: what is returned, if anything, and then the operand.
const Bound* atomic_vector(Context& c, const Bound* i);
[[nodiscard]] bool knows_atomic(const ptx::Instruction& i);

}  // namespace tilestep::simt
