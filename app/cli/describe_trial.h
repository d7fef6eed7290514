// Finds which of several guesses about a kernel holds by executing each at a small size.
#pragma once

#include "compile/compiler.h"
#include "problem/propose/product.h"
#include "simt/machine/program.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace tilestep::cli {

// The first guess whose run has the correct product and no finding (or, if there is none, only
// races); its spec has a requirement if the kernel is wrong at a size that is not a multiple of its
// tiles. Nullopt if none holds, or if the work limit (a fixed amount) is reached first.
[[nodiscard]] std::optional<problem::ProductGuess> first_that_holds(
    compile::Compiler& compiler, const std::vector<problem::ProductGuess>& guesses);

// Counts the passes of a run through the loops over tiles. Returns the number of loops with
// accesses to shared memory that a run reaches and that no warp passes twice. A run of more than
// `most_steps` gives 0.
[[nodiscard]] int loops_of_one_pass(const std::shared_ptr<const simt::Program>& program,
                                    std::uint64_t most_steps);

}  // namespace tilestep::cli
