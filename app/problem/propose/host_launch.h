// How a program launches a kernel, as far as its text gives numbers and names. There is no compiler
// here, so these are guesses.
#pragma once

#include "problem/launch/launch.h"
#include "problem/source/cuda_text.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace tilestep::problem {

// In an expression "{2}" means the kernel's third argument, "{threads}" the threads of a block.
struct HostLaunch {
  std::vector<std::string> template_arguments;
  std::optional<std::array<int, 3>> grid;  // if all of it are numbers
  std::optional<std::array<int, 3>> block;
  std::array<std::optional<std::string>, 3> grid_expressions;  // by axis; nullopt: unknown
  std::optional<std::string> shared_bytes;
  // The passed values by parameter; nullopt: not a number.
  std::vector<std::optional<int>> arguments;
};

// The parts of `kernel<arguments><<<grid, block, shared>>>(…)` or cudaLaunchKernel(kernel, …). Of
// several launches, the first with a known block, otherwise the first. Missing template arguments
// are those of an explicit instantiation.
[[nodiscard]] HostLaunch host_launch(const CudaText& text, const std::string& kernel);

// The number that is passed for an argument; `place`: "argument 2".
[[nodiscard]] std::optional<int> passed_at(const HostLaunch& launch, const std::string& place);

// `text` with placeholders replaced by the description's arguments and block; anything that is not
// an integer stays.
[[nodiscard]] std::string with_arguments(std::string text, const LaunchSpec& spec);

// How a kernel's text uses its parameters. There is no compiler here, so these are guesses.
struct ParameterUse {
  bool is_read = false;
  bool is_written = false;
  bool is_atomic = false;
  bool is_passed_on = false;  // by pointer arithmetic, another name or a call
};

[[nodiscard]] ParameterUse use_of(const CudaText& text, const CudaKernel& kernel,
                                  const std::string& parameter);

// Whether the kernel, or a function that it calls, may add products: `+=` with a factor, a product
// of two elements, an fma or mma of any name. A sum of two matrices does not, whatever the names.
[[nodiscard]] bool adds_products(const CudaText& text, const CudaKernel& kernel);

// Whether no block multiplies its index by anything but a parameter, as in `blockIdx.x * cols`:
// then a block is a row.
[[nodiscard]] bool block_is_a_row(const CudaText& text, const CudaKernel& kernel);

}  // namespace tilestep::problem
