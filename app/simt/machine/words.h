// The words for what the machine does.
#pragma once

#include "problem/words.h"
#include "simt/machine/schedule.h"

namespace tilestep {

template <>
inline constexpr auto kWords<simt::ScheduleKind> = std::to_array<Word<simt::ScheduleKind>>(
    {{simt::ScheduleKind::Lockstep, "lockstep", "lockstep",
      "All resident blocks together, statement by statement, as in a lecture. The blocks of a "
      "large "
      "grid run in waves, as on a GPU."},
     {simt::ScheduleKind::Sequential, "sequential", "sequential",
      "One block after another; within a block one warp after another, up to the barrier."},
     {simt::ScheduleKind::RunAhead, "run_ahead", "run ahead",
      "One warp runs ahead as far as the barriers allow: makes a missing barrier visible."},
     {simt::ScheduleKind::Random, "random", "random",
      "A random warp of a resident block moves next; a seed repeats the order."}});

template <>
inline constexpr auto kWords<simt::AccessKind> =
    std::to_array<Word<simt::AccessKind>>({{simt::AccessKind::Load, "load", "load"},
                                           {simt::AccessKind::Store, "store", "store"},
                                           {simt::AccessKind::Atomic, "atomic", "atomic"}});

}  // namespace tilestep
