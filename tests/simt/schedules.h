// One schedule of each kind.
#pragma once

#include "simt/machine/schedule.h"

namespace tilestep::simt {

inline const Schedule kSchedules[] = {{ScheduleKind::Lockstep},
                                      {ScheduleKind::Sequential},
                                      {ScheduleKind::RunAhead, 1},
                                      {ScheduleKind::Random, 0, 5},
                                      {ScheduleKind::OnSm}};

}  // namespace tilestep::simt
