// Which of several guesses about a kernel holds: each is executed at a small size.
#pragma once

#include "compile/compiler.h"
#include "problem/propose/product.h"
#include "simt/machine/program.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace tilestep::cli {

// The first guess whose run has the right product and no finding (or, where there is none, races
// alone); its spec has a requirement where
// the kernel is wrong at a size that is no multiple of its tiles. Nothing where none holds, or
// where the work (a fixed amount) runs out first.
[[nodiscard]] std::optional<problem::ProductGuess> first_that_holds(
    compile::Compiler& compiler, const std::vector<problem::ProductGuess>& guesses);

// How often a run comes through the loops over tiles of a kernel.
// Loops of the kernel with accesses to shared memory that a run reaches and no warp passes twice.
// A run that takes more than `most_steps` counts for none.
[[nodiscard]] int loops_of_one_pass(const std::shared_ptr<const simt::Program>& program,
                                    std::uint64_t most_steps);

}  // namespace tilestep::cli
