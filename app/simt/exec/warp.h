// Executors of instructions in which the lanes of a warp exchange values. A second destination
// (the predicate of shfl, match, elect) stands in the last free source slot.
#pragma once

#include "simt/exec/context.h"

#include <array>

namespace tilestep::simt {

const Bound* active_mask(Context& c, const Bound* i);

// shfl (in: value, b, c; in[3]: predicate out), vote (predicate, members), match (value, members;
// in[2]: predicate out), redux (value, members), elect (in[3]: predicate out) and bar.warp.sync:
// done when all lanes of Detail::members have come.
const Bound* meet(Context& c, const Bound* i);
// What they do then, for the lanes of the running path, with all that take part (c.together).
const Bound* exchange(Context& c, const Bound* i);
// The first source operand of the executing lanes.
void bring_operand(const Context& c, const Bound* i, std::array<std::uint64_t, kLanes>& values);

}  // namespace tilestep::simt
