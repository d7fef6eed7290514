// How a program launches a kernel, as far as its text says it in numbers and names: no compiler, so
// guesses only.
#pragma once

#include "problem/launch/launch.h"
#include "problem/source/cuda_text.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace tilestep::problem {

// In an expression "{2}" stands for the kernel's third argument, "{threads}" for the threads of a
// block.
struct HostLaunch {
  std::vector<std::string> template_arguments;
  std::optional<std::array<int, 3>> grid;  // where all of it is numbers
  std::optional<std::array<int, 3>> block;
  std::array<std::optional<std::string>, 3> grid_expressions;  // by axis; nothing: not known
  std::optional<std::string> shared_bytes;
  // What is passed, by parameter, where it is a number.
  std::vector<std::optional<int>> arguments;
};

// What stands in `kernel<arguments><<<grid, block, shared>>>(…)` or in cudaLaunchKernel(kernel, …).
// Of several launches the first whose block is known, otherwise the first. Template arguments that
// none gives are those of an explicit instantiation.
[[nodiscard]] HostLaunch host_launch(const CudaText& text, const std::string& kernel);

// The number that is passed for an argument; `place`: "argument 2".
[[nodiscard]] std::optional<int> passed_at(const HostLaunch& launch, const std::string& place);

// `text` with what a description's arguments and its block stand for; what is no integer stays as
// it is.
[[nodiscard]] std::string with_arguments(std::string text, const LaunchSpec& spec);

// How a kernel's text uses its parameters: no compiler, so guesses only.
struct ParameterUse {
  bool is_read = false;
  bool is_written = false;
  bool is_atomic = false;
  bool is_passed_on = false;  // pointer arithmetic, another name, a call
};

[[nodiscard]] ParameterUse use_of(const CudaText& text, const CudaKernel& kernel,
                                  const std::string& parameter);

// Whether it may add up products: `+=` with a factor, a product of two elements, an fma or mma by
// whatever name, also in what it calls. A sum of two matrices does not, whatever their names.
[[nodiscard]] bool adds_products(const CudaText& text, const CudaKernel& kernel);

// Whether no block multiplies its index by anything but a parameter, as in `blockIdx.x * cols`:
// then it is a row's.
[[nodiscard]] bool block_is_a_row(const CudaText& text, const CudaKernel& kernel);

}  // namespace tilestep::problem
