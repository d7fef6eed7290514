// What `tilestep check` prints.
#pragma once

#include "cli/prepare.h"
#include "insight/check/check.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace tilestep::cli {

// The additions of the step build's check to the fast one's.
struct StepCheck {
  std::vector<insight::Finding> more;  // findings that the fast build does not have
  std::string left_out;                // why it was not checked, a sentence
  bool has_steps = true;               // as CheckResult::has_steps()
};

// The checked launch.
struct CheckedLaunch {
  const problem::Launch& launch;
  compile::Build build = compile::Build::Fast;
  std::string guessed;  // as Prepared::guessed
};
[[nodiscard]] nlohmann::json check_json(const CheckedLaunch& checked,
                                        const insight::CheckResult& result, const StepCheck& step);
// One row per thread of a finding.
[[nodiscard]] std::string findings_csv(const nlohmann::json& check);

}  // namespace tilestep::cli
