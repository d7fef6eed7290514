// Which accesses to shared memory are to mbarriers: a recording keeps lines, not instructions.
#pragma once

#include "ptx/model/module.h"
#include "record/activity.h"

#include <cstdint>
#include <set>

namespace tilestep::record {

// Lines of the source that set up mbarriers, arrive at them or wait for them: a word that such a
// line wrote last is part of one.
[[nodiscard]] std::set<std::uint32_t> mbarrier_lines(const ptx::Module& module);

// Whether it is what a thread does to an mbarrier itself. `lines`: mbarrier_lines().
[[nodiscard]] bool is_of_mbarrier(const Access& access, const std::set<std::uint32_t>& lines);

}  // namespace tilestep::record
