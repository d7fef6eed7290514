// Guesses the launch of a .cu without a .toml from the kernel's text.
#pragma once

#include "problem/launch/launch.h"
#include "problem/result.h"
#include "problem/source/cuda_text.h"

#include <string>

namespace tilestep::problem {

// Understands the textbooks' signatures: pointers A, B, C (or M, N, P; two const and one non-const;
// with prefixes such as d_), sizes M, N, K (or wA, wB, numARows, …; a single one means square),
// alpha and beta, Matrix structs by value; a block of BLOCK_SIZE×BLOCK_SIZE threads, given by
// template parameter, macro, constant or blockDim. The error gives the reason if it cannot guess.
[[nodiscard]] Result<LaunchSpec> guess_launch(const std::string& source);

// As above, for the kernel of this name; the text may have several.
[[nodiscard]] Result<LaunchSpec> guess_launch(const CudaText& text, const std::string& kernel);

}  // namespace tilestep::problem
