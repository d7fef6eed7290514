// Ways in which a kernel may be a matrix product: which pointer is A, B and C, how they lie in
// memory, which integer is which size, and what the grid covers. Names only order them: a caller
// tells by executing them which one holds.
#pragma once

#include "problem/launch/launch.h"
#include "problem/propose/proposal.h"

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace tilestep::problem {

struct ProductGuess {
  LaunchSpec spec;       // with a default_problem of three different sizes, where it takes them
  std::string evidence;  // "A is M×K, B is K×N, C is M×N; m = M, n = K, k = N"
  std::string multiple;  // a requirement, for a kernel without guards: "M % 64 == 0 && …"
  std::array<int, 3> tiles{1, 1, 1};  // the same as numbers
  bool races = false;                 // its runs have races, and no other finding
  std::size_t family = 0;             // guesses of one differ only in which integer is which size
  // Arguments that the kernel's text does not name, and their parameters.
  std::vector<std::pair<std::size_t, std::string>> unused;
};

// The likeliest first; empty for a kernel that does not take three pointers to numbers, integers
// and floating-point numbers. `start`: start_proposal's.
[[nodiscard]] std::vector<ProductGuess> product_guesses(const LaunchSpec& start,
                                                        const CudaText& text,
                                                        const KernelInterface& kernel);

}  // namespace tilestep::problem
