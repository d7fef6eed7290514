// Ways in which a kernel may be a matrix product: the pointers of A, B and C, their memory layout,
// the size that each integer means, and what the grid covers. Names only determine the order: the
// caller executes them to find the one that holds.
#pragma once

#include "problem/launch/launch.h"
#include "problem/propose/proposal.h"
#include "problem/source/cuda_text.h"

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tilestep::problem {

// One way in which a kernel may be a matrix product.
struct ProductGuess {
  LaunchSpec spec;       // with a default_problem of three different sizes, if it takes them
  std::string evidence;  // "A is M×K, B is K×N, C is M×N; m = M, n = K, k = N"
  std::string multiple;  // a requirement of kernels without guards: "M % 64 == 0 && …"
  std::array<int, 3> tiles{1, 1, 1};  // the same as numbers
  bool races = false;                 // its runs have races and no other finding
  std::size_t family = 0;             // guesses of one family differ only in the integers' meanings
  // Arguments whose meaning the kernel's text does not name, and their parameters.
  std::vector<std::pair<std::size_t, std::string>> unused;
};

// The likeliest first; empty unless the kernel takes three pointers to numbers, integers and
// floating-point numbers. `start`: the result of start_proposal.
[[nodiscard]] std::vector<ProductGuess> product_guesses(const LaunchSpec& start,
                                                        const CudaText& text,
                                                        const KernelInterface& kernel);

// Ways to launch a matrix product: what a block covers, from the file's own launch, its constants,
// template arguments, launch bounds and shared arrays.

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
