// Threads of a block: from the file's own launch, the launch bounds, or a constant or template
// argument with such a name.
#pragma once

#include "problem/propose/proposal.h"
#include "problem/source/cuda_text.h"

#include <array>
#include <string>

namespace tilestep::problem {

// A guessed block and the reason for it.
struct BlockGuess {
  std::array<int, 3> block{1, 1, 1};
  int step = 0;     // rows per block if they are not its threads
  std::string why;  // for a comment in the description
};
[[nodiscard]] BlockGuess block_guess(const LaunchSpec& start, const CudaText& text,
                                     const CudaKernel& kernel, const KernelInterface& interface);

}  // namespace tilestep::problem
