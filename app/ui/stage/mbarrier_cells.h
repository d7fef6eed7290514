// Cells of shared memory that hold mbarriers: their bits are no number.
#pragma once

#include "ptx/model/module.h"

#include <cstddef>
#include <cstdint>
#include <set>

namespace tilestep::ui {

// Lines of the source that set up mbarriers, arrive at them or wait for them: a word that such a
// line wrote last is part of one.
[[nodiscard]] std::set<std::uint32_t> mbarrier_lines(const ptx::Module& module);

// What the mbarrier at these 8 bytes waits for in its phase: arrivals, and once these are complete,
// bytes.
[[nodiscard]] double still_to_come(const std::byte* from);

}  // namespace tilestep::ui
