// Every kernel of the catalog on the GPU and on our machine, at a dozen sizes each.
#pragma once

#include "cli/run_command.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tilestep::cli {

struct SizedLaunch {
  problem::Problem problem;
  int block_size = 0;
};

// Sizes to try, odd ones among them: a kernel runs at the first twelve that it takes (many ask for
// multiples of BLOCK_SIZE, some for one block).
[[nodiscard]] std::span<const SizedLaunch> sizes_to_try();
inline constexpr std::size_t kSizesEach = 12;

// One kernel's comparison.
struct KernelBits {
  std::string kernel;
  std::size_t same = 0;                  // launches whose outputs agree in every bit
  std::size_t different = 0;             // launches that do not …
  std::vector<std::string> differences;  // … and where
  std::size_t not_taken = 0;             // sizes that it races or faults at, or does not allow
  std::string why_not_compared;          // at none of them: nothing was compared
};

struct BitRun {
  compile::Build build = compile::Build::Fast;
  std::string input = "random:1";  // as on the command line
};

// Throws gpu::GpuError.
[[nodiscard]] KernelBits compare_kernel(const problem::LaunchSpec& spec, const BitRun& run,
                                        compile::Compiler& compiler, gpu::Device& device);

// All of them; returns the exit status.
int run_all(const BitRun& run, Context& context, bool as_json);

}  // namespace tilestep::cli
