// A proposed description, made to fit what a run of the kernel does: how large its buffers have to
// be, which it reads and which it stores, an example that ends soon.
#pragma once

#include "compile/compiler.h"
#include "problem/propose/proposal.h"

namespace tilestep::cli {

enum class Fit { Clean, Races, Long, Findings };

// Clean where a run of what it then describes ends without a finding; Races where all findings are
// races that no value of the description makes; Long where it does not end soon. Otherwise its
// notes and questions say what is missing.
[[nodiscard]] Fit fit_to_run(compile::Compiler& compiler, problem::Proposal& proposal);

// Of a launch whose findings are races alone.
[[nodiscard]] std::string races_sentence(const problem::Problem& size);

}  // namespace tilestep::cli
