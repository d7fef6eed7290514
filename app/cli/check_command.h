// What `tilestep check` prints.
#pragma once

#include "cli/prepare.h"
#include "insight/check/check.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace tilestep::cli {

// What the step build adds to the check of the fast one.
struct StepCheck {
  std::vector<insight::Finding> more;  // that the fast build does not have
  std::string left_out;                // a sentence, where it was not checked
  bool has_steps = true;               // as CheckResult::has_steps()
};

// What was checked.
struct CheckedLaunch {
  const problem::Launch& launch;
  compile::Build build = compile::Build::Fast;
  std::string guessed;  // as Prepared::guessed
};
[[nodiscard]] nlohmann::json check_json(const CheckedLaunch& checked,
                                        const insight::CheckResult& result, const StepCheck& step);
// One row for each thread of a finding.
[[nodiscard]] std::string findings_csv(const nlohmann::json& check);

}  // namespace tilestep::cli
