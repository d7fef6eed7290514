// One and the same launch, timed again and again during a sweep: where its time changes, the GPU
// has changed (clocks, heat, a neighbour), not the kernel that is being measured.
#pragma once

#include "compile/compiler.h"
#include "gpu/device.h"
#include "problem/describe/catalog.h"

#include <memory>
#include <optional>

namespace tilestep::timing {

class DriftReference {
 public:
  // `tiled`, 1024×1024×1024, BLOCK_SIZE 16. Nothing when the catalog or the GPU has no such launch.
  [[nodiscard]] static std::optional<DriftReference> make(gpu::Device& device,
                                                          compile::Compiler& compiler,
                                                          const problem::Catalog& catalog);

  // Milliseconds: the median of three launches on a cold L2 cache. Throws gpu::GpuError.
  [[nodiscard]] double time();

 private:
  explicit DriftReference(gpu::Device& device) : device_(&device) {}

  gpu::Device* device_;
  std::vector<gpu::Buffer> buffers_;
  std::optional<gpu::LoadedKernel> kernel_;
  gpu::LaunchShape shape_;
  std::vector<std::byte> arguments_;
};

// What a sweep measured its drift by, for a data set's method.
inline constexpr const char* kReferenceLaunch = "tiled, 1024, BLOCK_SIZE 16";

}  // namespace tilestep::timing
