// A large problem's edges on a size that can be stepped.
#pragma once

#include "problem/problem.h"

namespace tilestep::problem {

// The problem with the fewest tiles of BLOCK_SIZE (two a dimension where `full` has as many, more
// until it has 8 elements) whose last tiles are as full as those of `full`: 1000 with BLOCK_SIZE 16
// becomes 24, two tiles of which the second is half empty. 0: the kernel has no BLOCK_SIZE, and
// every element counts as a tile.
[[nodiscard]] Problem miniature(const Problem& full, int block_size);

}  // namespace tilestep::problem
