// How a kernel's text uses its pointers, and how a program launches the kernel: no compiler, so
// guesses only.
#pragma once

#include "problem/source/cuda_text.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace tilestep::problem {

struct ParameterUse {
  bool is_read = false;
  bool is_written = false;
  bool is_atomic = false;
  bool is_passed_on = false;  // pointer arithmetic, another name, a call
};

[[nodiscard]] ParameterUse use_of(const CudaText& text, const CudaKernel& kernel,
                                  const std::string& parameter);

// What stands in `kernel<arguments><<<grid, block, shared>>>`, as far as it is numbers or the text
// says which numbers it is.
struct HostLaunch {
  std::vector<std::string> template_arguments;
  std::optional<std::array<int, 3>> grid;
  std::optional<std::array<int, 3>> block;
  // The grid where it is computed; "{2}" stands for the launch's third argument.
  std::optional<std::array<std::string, 3>> grid_expressions;
};
[[nodiscard]] HostLaunch host_launch(const CudaText& text, const std::string& kernel);

}  // namespace tilestep::problem
