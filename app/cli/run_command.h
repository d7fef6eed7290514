// One launch on the GPU and on the emulator: the same PTX, the same inputs, compared bit by bit.
#pragma once

#include "cli/prepare.h"
#include "gpu/device.h"
#include "problem/launch/expected.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilestep::cli {

// One output buffer of both.
struct BitComparison {
  std::string buffer;
  std::size_t elements = 0;
  std::size_t different = 0;  // elements whose bits differ
  std::size_t first = 0;      // linear index of the first that differs
  std::uint64_t gpu_bits = 0;
  std::uint64_t machine_bits = 0;
};

// The comparison of one launch on the GPU and on the emulator.
struct RunReport {
  std::string fault;                   // the emulator's; then nothing ran on the GPU
  std::vector<BitComparison> buffers;  // outputs, in the launch's order
  // The GPU's most relevant buffer compared with the host's float64 reference, if values are
  // expected.
  std::optional<problem::BufferComparison> reference;
  gpu::KernelResources resources;

  [[nodiscard]] bool same_bits() const;
  [[nodiscard]] bool fine() const;  // no fault, same bits, correct result
};

// Runs the emulator first: a kernel that reads or stores outside its buffers is not launched on the
// GPU, where it could destroy the context. Throws gpu::GpuError.
[[nodiscard]] Result<RunReport> compare_with_gpu(const loading::Prepared& prepared,
                                                 const simt::Schedule& schedule,
                                                 gpu::Device& device);

[[nodiscard]] BitComparison compare_bits(const problem::Buffer& shape,
                                         const std::vector<std::byte>& gpu,
                                         std::span<const std::byte> machine);

// Every kernel of the catalog on the GPU and on the emulator, at a dozen sizes each.
struct SizedLaunch {
  problem::Problem problem;
  int block_size = 0;
};

// Sizes to try, including odd ones: a kernel runs at the first twelve that it accepts (many require
// multiples of BLOCK_SIZE, some a single block).
[[nodiscard]] std::span<const SizedLaunch> sizes_to_try();
inline constexpr std::size_t kSizesEach = 12;

// One kernel's comparison.
struct KernelBits {
  std::string kernel;
  std::size_t same = 0;                  // launches with equal outputs
  std::size_t different = 0;             // launches with different outputs …
  std::vector<std::string> differences;  // … and where they differ
  std::size_t not_taken = 0;     // sizes at which it races or faults, or that it does not allow
  std::string why_not_compared;  // if it was compared at no size
};

// The build and inputs of a comparison.
struct BitRun {
  compile::Build build = compile::Build::Fast;
  std::string input = "random:1";  // as on the command line
};

// Throws gpu::GpuError.
[[nodiscard]] KernelBits compare_kernel(const problem::LaunchSpec& spec, const BitRun& run,
                                        compile::Compiler& compiler, gpu::Device& device);

// Compares all of them; returns the exit status.
Result<int> run_all(const BitRun& run, Context& context, bool as_json);

}  // namespace tilestep::cli
