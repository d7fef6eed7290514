// What `tilestep counters` prints.
#pragma once

#include "insight/count/cost.h"
#include "insight/count/profile.h"
#include "simt/machine/program.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace tilestep::cli {

enum class CountersBy { Kernel, Line, Warp, Access };

// The result of --as-machine-code.
struct MachineCodeNote {
  std::string architecture;  // "9.0"
  bool agrees = false;       // the counts are the machine code's
  std::string why_not;       // why the counts are the PTX's; a sentence
  std::string padding;       // a sentence if loads precede asynchronous copies
};

// The inputs of a report.
struct CountersReport {
  std::string headline;
  std::string build;  // "fast" or "step"
  const simt::Program& program;
  const insight::Profile& profile;
  std::vector<insight::ComparedForm> closed_forms;
  std::optional<MachineCodeNote> machine_code;
};

[[nodiscard]] std::string counters_text(const CountersReport& report, CountersBy by);
[[nodiscard]] nlohmann::json counters_json(const CountersReport& report);
// A row for the kernel (line "total") and one per line; the columns are those of a cost.
[[nodiscard]] std::string counters_csv(const nlohmann::json& counters);

}  // namespace tilestep::cli
