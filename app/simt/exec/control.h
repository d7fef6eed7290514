// Executors without vector code: control flow, barriers, and warp-wide operations.
#pragma once

#include "simt/exec/context.h"
#include "simt/state/bound.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilestep::simt {

const Bound* branch_always(Context& c, const Bound* i);
const Bound* branch_if(Context& c, const Bound* i);  // in[0]: predicate; value: inverts it
const Bound* branch_indexed(Context& c, const Bound* i);
const Bound* call(Context& c, const Bound* i);
const Bound* return_from(Context& c, const Bound* i);
const Bound* exit_thread(Context& c, const Bound* i);
const Bound* trap(Context& c, const Bound* i);
const Bound* nothing(Context& c, const Bound* i);
// Executes Bound::steps instructions unless the warp has done so before (bind_shared_work.cpp).
const Bound* settle_once(Context& c, const Bound* i);
// Detail::guard selects the lanes that execute Detail::inner.
const Bound* guarded(Context& c, const Bound* i);
// Active lanes whose guard is true.
[[nodiscard]] std::uint32_t guard_mask(const Context& c, const Bound* i);
// Zero-extends the 32-bit address register Detail::narrow for Detail::widened.
const Bound* with_wide_address(Context& c, const Bound* i);
const Bound* barrier(Context& c, const Bound* i);
const Bound* read_clock(Context& c, const Bound* i);
// value: offset in the frame, with the window added. Without the window it fits in a 32-bit word.
template <class Word>
const Bound* local_address(Context& c, const Bound* i);

// Called when no path of the warp can move and one waits at a barrier: the warp arrives there if
// its lanes do. `in_part`: also if some never will. False: nothing was done.
[[nodiscard]] bool arrive_at_barrier(Context& c, bool in_part);
// Completes barriers that wait for no other warp any more.
void release_complete_barriers(Context& c, const Bound* i);

// Exits these lanes; completes barriers that waited only for them.
const Bound* exit_lanes(Context& c, const Bound* i, std::uint32_t lanes);

// How the lanes of a warp diverge and reconverge (control_paths.cpp explains it).

// Lanes on the paths above one. Its remaining lanes have arrived at its pc.
[[nodiscard]] std::uint32_t lanes_above(const std::vector<Path>& paths, std::size_t index);
// Whether the path is no other path's join.
[[nodiscard]] bool is_leaf(const std::vector<Path>& paths, std::size_t index);

// Lanes that only have to leave the kernel. The step build has one `ret` for all returns; a lane
// that took an early one waits there for the rest of its warp.
[[nodiscard]] std::uint32_t leaving_lanes(const Context& c);

// Destination of some of the path's lanes.
struct Branch {
  std::uint32_t pc = 0;
  std::uint32_t mask = 0;
};

// Splits the running path; the first branch runs first. Empty branches are allowed.
const Bound* diverge(Context& c, std::uint32_t reconverge, const Branch* branches,
                     std::size_t count);
// Drops paths that have lost all their lanes; a warp with live lanes keeps one.
void drop_empty_paths(Warp& warp);
// Drops top paths that have arrived at their join or lost all lanes, and frames without a path.
void settle_paths(Warp& warp);
// Continues with the path that runs next, after paths have changed. Waiting paths are skipped. If
// all paths wait, their wait is ended (control_paths.cpp).
const Bound* next_path(Context& c);
// The running path has passed an instruction that found nothing new (a lock is still taken, a flag
// still unset): other paths of the warp move, or other warps.
const Bound* give_way(Context& c, const Bound* i);
// Makes the waiting path with this mask the running one; returns its instruction.
const Bound* raise_path(Context& c, std::uint32_t mask);
// Moves a path that is not waiting to the top, if there is one.
void raise_ready_path(Warp& warp);
// Merges paths with the same pc, join and frame.
void merge_paths(Warp& warp);

}  // namespace tilestep::simt
