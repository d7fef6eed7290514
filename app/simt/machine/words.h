// The words for what the machine does.
#pragma once

#include "problem/words.h"
#include "simt/machine/schedule.h"

namespace tilestep {

template <>
inline constexpr auto kWords<simt::ScheduleKind> = std::to_array<Word<simt::ScheduleKind>>(
    {{simt::ScheduleKind::Lockstep, "lockstep", "lockstep",
      "All resident blocks together, statement by statement: the lecture's view. The blocks of a "
      "large grid come in waves, as on a GPU."},
     {simt::ScheduleKind::Sequential, "sequential", "sequential",
      "Block after block; in a block warp after warp, to the barrier."},
     {simt::ScheduleKind::RunAhead, "run_ahead", "run ahead",
      "One warp runs as far as barriers let it: the adversary that makes a missing barrier "
      "visible."},
     {simt::ScheduleKind::Random, "random", "random",
      "Any warp of a resident block next, the same for a seed."}});

template <>
inline constexpr auto kWords<simt::AccessKind> =
    std::to_array<Word<simt::AccessKind>>({{simt::AccessKind::Load, "load", "load"},
                                           {simt::AccessKind::Store, "store", "store"},
                                           {simt::AccessKind::Atomic, "atomic", "atomic"}});

}  // namespace tilestep
