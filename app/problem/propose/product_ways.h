// Ways to launch a matrix product: what a block covers, from the file's own launch, its constants,
// template arguments, launch bounds and shared arrays.
#pragma once

#include "problem/propose/proposal.h"
#include "problem/source/cuda_text.h"

#include <array>
#include <map>
#include <string>
#include <vector>

namespace tilestep::problem {

// One way to launch a matrix product.
struct ProductWay {
  // Expressions; "{2}" means the kernel's third argument.
  std::array<std::string, 3> grid;
  std::array<std::string, 3> block;
  std::array<int, 3> tiles{1, 1, 1};  // M, N, K are multiples of these
  bool slides = false;                // the start's own launch, with BLOCK_SIZE
  std::string shared_bytes;           // of dynamic shared memory
};

// Constants, macros and template arguments by their plain names (cuda_names.h).
[[nodiscard]] std::map<std::string, int> kernel_numbers(const LaunchSpec& start,
                                                        const CudaText& text,
                                                        const CudaKernel& kernel);

// The likeliest first.
[[nodiscard]] std::vector<ProductWay> product_ways(const LaunchSpec& start, const CudaText& text,
                                                   const CudaKernel& kernel,
                                                   const KernelInterface& interface);

}  // namespace tilestep::problem
