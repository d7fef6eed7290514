// Processor cores for work that a room without threads hands out (insight::Cores).
#pragma once

#include "insight/names.h"

namespace tilestep::workspace {

// `count` cores; 0: as many as the system has. What a part throws comes out of run().
[[nodiscard]] insight::Cores cores(std::size_t count);

}  // namespace tilestep::workspace
