// One launch on the GPU and on our machine: the same PTX, the same inputs, compared bit by bit.
#pragma once

#include "cli/prepare.h"
#include "gpu/device.h"
#include "problem/launch/expected.h"

#include <cstddef>
#include <cstdint>
#include <optional>
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

struct RunReport {
  std::string fault;                   // our machine's; then nothing ran on the GPU
  std::vector<BitComparison> buffers;  // outputs, in the launch's order
  // The GPU's most telling buffer against the host's float64 one, where something is expected.
  std::optional<problem::BufferComparison> reference;
  gpu::KernelResources resources;

  [[nodiscard]] bool same_bits() const;
  [[nodiscard]] bool fine() const;  // no fault, same bits, right result
};

// Runs our machine first: a kernel that it finds reading or writing outside its buffers is not
// launched on the GPU, where it could take the context down with it. Throws gpu::GpuError.
[[nodiscard]] Result<RunReport> compare_with_gpu(const loading::Prepared& prepared,
                                                 const simt::Schedule& schedule,
                                                 gpu::Device& device);

[[nodiscard]] BitComparison compare_bits(const problem::Buffer& shape,
                                         const std::vector<std::byte>& gpu,
                                         std::span<const std::byte> machine);

}  // namespace tilestep::cli
