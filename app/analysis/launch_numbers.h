// The few numbers of a launch that BLOCK_SIZE changes, each with its cause: for the row beside the
// slider.
#pragma once

#include "analysis/gpu_model.h"
#include "analysis/launch_facts.h"
#include "problem/launch/launch.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilestep::analysis {

enum class LaunchQuantity : std::uint8_t {
  Blocks,
  Loads,
  Sectors,
  Passes,
  IdleLanes,
  Waves,
  Speed
};

// Whether more of it is better: neither for what costs nothing by itself.
enum class Better : std::uint8_t { Neither, More, Less };

struct LaunchNumber {
  LaunchQuantity quantity = LaunchQuantity::Blocks;
  std::string name;  // "loads of an element of A"
  std::string of;    // "A"; of what is timed, the size
  double value = 0.0;
  Better better = Better::Neither;
  std::string cause;  // "289 threads in 10 warps of 32 lanes"

  // "1,024", "4.25", "9.4 %"
  [[nodiscard]] std::string text() const;
  // Else nobody has measured it.
  [[nodiscard]] bool is_known() const { return quantity != LaunchQuantity::Speed || value > 0.0; }
  friend bool operator==(const LaunchNumber&, const LaunchNumber&) = default;
};

struct NumberedLaunch {
  const problem::Launch* launch = nullptr;  // on stage
  const LaunchFacts* facts = nullptr;       // of it; null: not counted
  // The same kernel and BLOCK_SIZE at the size that timings are of: waves and speed. Null: not
  // counted.
  const LaunchFacts* timed = nullptr;
  std::optional<double> measured_ms;  // 0: not measured; nothing: not to be said
  problem::Problem measured;
  GpuModel gpu;
};
// Those that are known.
[[nodiscard]] std::vector<LaunchNumber> numbers_of(const NumberedLaunch& of);

}  // namespace tilestep::analysis
