// Kept answers (kept_answers.h) as the text of their file: a first line with the format's version,
// a checksum, then JSON that is read by nobody but this program.
#pragma once

#include "analysis/launch_facts.h"

#include <optional>
#include <string>
#include <vector>

namespace tilestep::workspace {

struct KeptAnswer {
  std::string launch;  // digest of what is launched
  analysis::LaunchFacts facts;
};

// The kernel, its parameters and `why_not` are not written.
[[nodiscard]] std::string to_answer_text(const std::vector<KeptAnswer>& answers);
// Nothing for a text that is damaged or of another version.
[[nodiscard]] std::optional<std::vector<KeptAnswer>> from_answer_text(const std::string& text);

}  // namespace tilestep::workspace
