// What `tilestep counters` prints: the same numbers as text and as JSON (docs/formats.md).
#pragma once

#include "cli/prepare.h"
#include "insight/closed_form.h"
#include "insight/cost.h"
#include "insight/profile.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace tilestep::cli {

enum class CountersBy { Kernel, Line, Warp, Access };

struct CountersReport {
  std::string headline;
  std::string build;  // "fast" or "step"
  const simt::Program& program;
  const insight::Profile& profile;
  std::vector<insight::ComparedForm> closed_forms;
};

[[nodiscard]] std::string counters_text(const CountersReport& report, CountersBy by);
[[nodiscard]] nlohmann::json counters_json(const CountersReport& report);

}  // namespace tilestep::cli
