// How a kernel's text uses its parameters: no compiler, so guesses only.
#pragma once

#include "problem/source/cuda_text.h"

#include <string>

namespace tilestep::problem {

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
