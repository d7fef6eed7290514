// Measuring one point: check, warm up, take samples, check again.
#pragma once

#include "compile/compiler.h"
#include "gpu/device.h"
#include "problem/describe/catalog.h"
#include "timing/dataset.h"
#include "timing/operands.h"
#include "timing/sweep.h"

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tilestep::timing {

// One timed launch, in milliseconds.
using TimedLaunch = std::function<float(const gpu::TimeOptions&)>;

// Sets samples, verified, note and clock of `point`. Empty if it was cancelled in between. Memory
// clocks are appended to `memory_clocks`.
[[nodiscard]] std::optional<Point> sample(const SweepPlan& plan, Operands& operands,
                                          const TimedLaunch& time, const std::atomic<bool>* cancel,
                                          Point point, std::vector<int>& memory_clocks);

// Number of samples for a point with this launch time.
[[nodiscard]] int sample_count(const SweepPlan& plan, double launch_ms);

// Five significant digits: CUDA events resolve half a microsecond, and files stay small.
[[nodiscard]] double round_sample(double milliseconds);

[[nodiscard]] int median(std::vector<int> values);  // 0 if empty; of two, the upper

// The paragraph about the method in the data set.
[[nodiscard]] std::string method(const SweepPlan& plan);

// One launch that is timed repeatedly during a sweep: if its time changes, the GPU has changed
// (clocks, heat, other users), not the measured kernel.

class DriftReference {
 public:
  // `tiled`, 1024×1024×1024, BLOCK_SIZE 16. Empty if the catalog or the GPU has no such launch.
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

// The reference launch of a sweep, for a data set's method.
inline constexpr const char* kReferenceLaunch = "tiled, 1024, BLOCK_SIZE 16";

}  // namespace tilestep::timing
