// The output of `tilestep occupancy`: one row per BLOCK_SIZE, as text and as JSON
// (docs/formats/occupancy.md).
#pragma once

#include "compile/compiler.h"
#include "insight/occupancy/occupancy.h"
#include "problem/launch/launch.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace tilestep::cli {

// The occupancy of one BLOCK_SIZE.
struct OccupancyRow {
  int block_size = 0;
  // The reason why there is no such launch, or no code for it, as a sentence; then the members
  // below are invalid.
  std::string why_not;
  insight::Occupancy occupancy;
  int static_shared_bytes = 0;
  int dynamic_shared_bytes = 0;
  int local_bytes = 0;  // per thread
};

// The rows of one kernel on one architecture.
struct OccupancyReport {
  std::string kernel;
  problem::Problem problem;
  const insight::Architecture& sm;
  std::string compiler;  // "NVRTC 13.0"
  std::vector<OccupancyRow> rows;
};

// Compiles the kernel to machine code for each BLOCK_SIZE. Fails if nothing can be compiled; an
// impossible BLOCK_SIZE is a row with the reason.
[[nodiscard]] Result<OccupancyReport> occupancy_report(compile::Compiler& compiler,
                                                       const problem::LaunchSpec& spec,
                                                       const problem::Problem& problem,
                                                       const std::vector<int>& block_sizes,
                                                       const insight::Architecture& sm);

// "9.0", "90" or "sm_90"; the error for anything else lists the architectures.
[[nodiscard]] Result<const insight::Architecture*> parse_architecture(const std::string& text);

[[nodiscard]] std::string occupancy_text(const OccupancyReport& report);
[[nodiscard]] nlohmann::json occupancy_json(const OccupancyReport& report);

}  // namespace tilestep::cli
