// Executors of instructions in which the lanes of a warp exchange values. A second destination
// (the predicate of shfl, match, elect) stands in the last free source slot.
#pragma once

#include "simt/context.h"

namespace tilestep::simt {

const Bound* shuffle(Context& c, const Bound* i);      // in: value, b, c; in[3]: predicate out
const Bound* vote(Context& c, const Bound* i);         // in: predicate, members
const Bound* match(Context& c, const Bound* i);        // in: value, members; in[2]: predicate out
const Bound* reduce_warp(Context& c, const Bound* i);  // in: value, members
const Bound* active_mask(Context& c, const Bound* i);
const Bound* elect(Context& c, const Bound* i);  // in[3]: predicate out
const Bound* warp_barrier(Context& c, const Bound* i);

// atom and red: in[0] address, in[1] operand, in[2] second operand of cas.
const Bound* atomic(Context& c, const Bound* i);
[[nodiscard]] bool knows_atomic(const ptx::Instruction& i);

}  // namespace tilestep::simt
