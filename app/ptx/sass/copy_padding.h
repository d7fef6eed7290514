// The loads from shared memory that ptxas puts before asynchronous copies and that are never
// executed, from compute capability 9.0 on:
//
//   @!PT LDS RZ, [RZ]    three times, then   LDGSTS, LDGSTS, …
//
// The hardware counts them as instructions (docs/reports/counters.md). They stand before the first
// copy of straight code, and again before the first one after a barrier or another access to shared
// memory.
#pragma once

#include "ptx/model/module.h"
#include "ptx/sass/sass.h"

#include <cstdint>

namespace tilestep::ptx {

inline constexpr std::uint32_t kPaddingOfCopies = 3;

// Sets Function::padding where machine code has as much as the rule gives, loops copied or not;
// false: it has not, and nothing is set.
[[nodiscard]] bool mark_copy_padding(Function& function, const Sass& machine_code);

}  // namespace tilestep::ptx
