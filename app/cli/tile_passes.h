// How often a run comes through the loops over tiles of a kernel.
#pragma once

#include "simt/machine/program.h"

#include <cstdint>
#include <memory>

namespace tilestep::cli {

// Loops of the kernel with accesses to shared memory that a run reaches and no warp passes twice.
// A run that takes more than `most_steps` counts for none.
[[nodiscard]] int loops_of_one_pass(const std::shared_ptr<const simt::Program>& program,
                                    std::uint64_t most_steps);

}  // namespace tilestep::cli
