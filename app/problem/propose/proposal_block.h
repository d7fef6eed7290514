// Threads of a block: what the file's own launch says, or the kernel's bounds, or a constant or
// template argument that is called so.
#pragma once

#include "problem/propose/proposal.h"
#include "problem/source/cuda_text.h"

#include <array>
#include <string>

namespace tilestep::problem {

struct BlockGuess {
  std::array<int, 3> block{1, 1, 1};
  int step = 0;     // rows that a block covers, where they are not its threads
  std::string why;  // as a comment
};
[[nodiscard]] BlockGuess block_guess(const LaunchSpec& start, const CudaText& text,
                                     const CudaKernel& kernel, const KernelInterface& interface);

}  // namespace tilestep::problem
