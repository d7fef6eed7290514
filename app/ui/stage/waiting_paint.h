// Warps that wait at a barrier: a white double bar at the rows of each; where everybody has come,
// the bar closes around the block's threads.
#pragma once

#include "ui/stage/paint.h"

#include <cstdint>
#include <set>

namespace tilestep::ui {

// `state`: on stage; `statement`: just executed, or null.
void paint_waiting(const StagePicture& picture, const record::State& state,
                   const record::Activity* statement);

// In the block's corner, where warps have roles: who is at which line, and who waits for an
// mbarrier. `mbarriers`: lines of record::mbarrier_lines(); none: there are no roles.
void paint_warps(const StagePicture& p, const record::State& state,
                 const std::set<std::uint32_t>& mbarriers);

}  // namespace tilestep::ui
