// Where R, E and F5 stop for what is wrong: at every mark that the timeline has in red.
#pragma once

#include "insight/events/event.h"

namespace tilestep::insight {

// The nearest finding, fault, or strike of the focus block's races. A finding is told once for all
// its occurrences, the others are strikes and faults. Not found: says why.
[[nodiscard]] EventAnswer nearest_finding(const record::Recording& recording,
                                          const EventQuestion& question);

}  // namespace tilestep::insight
