// How the lanes of a warp part and come together again (paths.cpp says how it works).
#pragma once

#include "simt/exec/context.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilestep::simt {

// Lanes on the paths above one; lanes of it that are there have not arrived where it waits.
[[nodiscard]] std::uint32_t lanes_above(const std::vector<Path>& paths, std::size_t index);
// Whether a path is nobody's join.
[[nodiscard]] bool is_leaf(const std::vector<Path>& paths, std::size_t index);

// Lanes that have nothing left to do but to leave the kernel. The step build has one `ret` for all
// returns; a lane that took an early one waits there for the rest of its warp.
[[nodiscard]] std::uint32_t leaving_lanes(const Context& c);

// Where a part of the path's lanes goes.
struct Branch {
  std::uint32_t pc = 0;
  std::uint32_t mask = 0;
};

// Splits the running path; the first branch runs first. Empty branches are allowed.
const Bound* diverge(Context& c, std::uint32_t reconverge, const Branch* branches,
                     std::size_t count);
// Drops paths that have lost all their lanes; a warp with live lanes keeps one.
void drop_empty_paths(Warp& warp);
// Drops paths on top that have arrived at their join or lost all lanes, and frames without a path.
void settle_paths(Warp& warp);
// Takes up the path that runs next, after paths have changed. Paths that wait are passed over, and
// where all do, what they wait for is brought about (paths_choice.cpp).
const Bound* next_path(Context& c);
// The running path has gone past an instruction that found nothing new (a lock is still taken, a
// flag still unset): others of the warp move, or other warps.
const Bound* give_way(Context& c, const Bound* i);
// Makes the waiting path with this mask the running one; its instruction.
const Bound* raise_path(Context& c, std::uint32_t mask);
// Takes a path that can move to the top, if one can.
void raise_ready_path(Warp& warp);
// The same place, join and frame: paths go on as one.
void merge_paths(Warp& warp);

}  // namespace tilestep::simt
