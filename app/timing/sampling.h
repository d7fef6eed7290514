// Measuring one point: check, warm up, take samples, check again.
#pragma once

#include "gpu/device.h"
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

// Fills in samples, verified, note and clock of `point`. Nothing when cancelled half-way.
// Memory clocks are appended to `memory_clocks`.
[[nodiscard]] std::optional<Point> sample(const SweepPlan& plan, Operands& operands,
                                          const TimedLaunch& time, const std::atomic<bool>* cancel,
                                          Point point, std::vector<int>& memory_clocks);

// How many samples a point takes whose launch lasts so long.
[[nodiscard]] int sample_count(const SweepPlan& plan, double launch_ms);

// Five significant digits: CUDA events resolve half a microsecond, and files stay small.
[[nodiscard]] double round_sample(double milliseconds);

[[nodiscard]] int median(std::vector<int> values);  // 0 for none; of two, the upper

// The paragraph that stands in the data set.
[[nodiscard]] std::string method(const SweepPlan& plan);

}  // namespace tilestep::timing
