// Cells of shared memory that hold mbarriers: their bits are no number.
#pragma once

#include <cstddef>

namespace tilestep::ui {

// What the mbarrier at these 8 bytes waits for in its phase: arrivals, and once these are complete,
// bytes.
[[nodiscard]] double still_to_come(const std::byte* from);

}  // namespace tilestep::ui
