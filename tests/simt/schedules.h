// One schedule of each kind.
#pragma once

#include "simt/machine/schedule.h"

namespace tilestep::simt {

inline constexpr Schedule kSchedules[] = {{ScheduleKind::Lockstep},
                                          {ScheduleKind::Sequential},
                                          {ScheduleKind::RunAhead, 1},
                                          {ScheduleKind::Random, 0, 5}};

}  // namespace tilestep::simt
