// tilestep clock --measure and --stamps: a kernel with stamps (clock/stamping.h) on the GPU here,
// or as it was measured, beside the estimate for the same machine code.
#pragma once

#include "cli/command.h"
#include "cli/launch_options.h"
#include "clock/estimate.h"
#include "clock/stamps.h"
#include "gpu/device.h"
#include "loading/prepare.h"
#include "problem/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilestep::cli {

struct StampOptions {
  LaunchOptions launch;
  clock::Extent kept = clock::Extent::Wave;  // blocks of the SM: the first, the first wave, all
  bool is_warm = false;                      // L2 has the matrices from the start
  int device = 0;
  std::string gpu = "H200";  // of shipped stamps
  std::string stamps;        // a file, or kShippedStamps; empty: measure
  std::string out;           // a file for what was measured, or its folder; empty: none
};
inline constexpr const char* kShippedStamps = "shipped";

// Prints the phases; the exit status.
[[nodiscard]] Result<int> show_stamps(const StampOptions& options, Context& context);

// One launch on the GPU. `plain`: of Build::Machine, with contents. `records`: as many as a warp
// makes at most. Fails with a sentence, also if C is wrong; throws gpu::GpuError.
struct StampMeasurement {
  std::uint32_t records = 0;
  clock::Extent kept = clock::Extent::Wave;
  bool is_warm = false;
  int blocks_at_once = 0;  // as in clock::StampOptions
};
[[nodiscard]] Result<clock::StampedRun> measure_stamps(gpu::Device& device,
                                                       compile::Compiler& compiler,
                                                       const loading::Prepared& plain,
                                                       const StampMeasurement& measurement);

// A table of the phases, and how long the launch takes with stamps and without. `estimated` empty:
// only what was measured.
[[nodiscard]] Result<std::string> stamps_text(const clock::StampedRun& measured,
                                              const std::vector<clock::StampedWarp>& estimated);

}  // namespace tilestep::cli
