// Executors that need no vector code: control flow, barriers, and what warps do together.
#pragma once

#include "simt/exec/context.h"
#include "simt/state/bound.h"

namespace tilestep::simt {

const Bound* branch_always(Context& c, const Bound* i);
const Bound* branch_if(Context& c, const Bound* i);  // in[0]: predicate, value: inverts it
const Bound* branch_indexed(Context& c, const Bound* i);
const Bound* call(Context& c, const Bound* i);
const Bound* return_from(Context& c, const Bound* i);
const Bound* exit_thread(Context& c, const Bound* i);
const Bound* trap(Context& c, const Bound* i);
const Bound* nothing(Context& c, const Bound* i);
// Executes Bound::steps instructions unless the warp has done so before (bind_settled.cpp).
const Bound* settle_once(Context& c, const Bound* i);
// Detail::guard decides which lanes execute Detail::inner.
const Bound* guarded(Context& c, const Bound* i);
// Active lanes whose guard holds.
[[nodiscard]] std::uint32_t guard_mask(const Context& c, const Bound* i);
// Zero-extends the 32-bit address register Detail::narrow for Detail::widened.
const Bound* with_wide_address(Context& c, const Bound* i);
const Bound* barrier(Context& c, const Bound* i);
const Bound* read_clock(Context& c, const Bound* i);
// value: offset in the frame, window added. Without the window it fits in a 32-bit word.
template <class Word>
const Bound* local_address(Context& c, const Bound* i);

// No path of the warp can move and one waits at a barrier: the warp arrives there if its lanes do.
// `in_part`: also if some will not. False: nothing was done.
[[nodiscard]] bool arrive_at_barrier(Context& c, bool in_part);
// Completes barriers that wait for nobody any more.
void release_complete_barriers(Context& c, const Bound* i);

// Lanes leave the warp for good; completes barriers that waited for nobody else.
const Bound* exit_lanes(Context& c, const Bound* i, std::uint32_t lanes);

}  // namespace tilestep::simt
