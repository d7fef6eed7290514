// tilestep clock --measure-gpu: the numbers of this GPU's SM, by microbenchmarks.
#pragma once

#include "cli/command.h"
#include "clock/sm_measured.h"
#include "compile/compiler.h"
#include "gpu/device.h"
#include "problem/result.h"

#include <string>

namespace tilestep::cli {

struct NumbersOptions {
  int device = 0;
  std::string out;  // a file for the table; empty: none
};

// Prints each number as it was and as it is; the exit status.
[[nodiscard]] Result<int> show_numbers(const NumbersOptions& options, Context& context);

// Launches the kernels of `source` (kernels/sm_numbers.cu). Fails with a sentence; throws
// gpu::GpuError.
[[nodiscard]] Result<clock::MeasuredClocks> measure_clocks(gpu::Device& device,
                                                           compile::Compiler& compiler,
                                                           const std::string& source);

}  // namespace tilestep::cli
