// A proposed description, adapted to a run of the kernel: the sizes of its buffers, which ones it
// reads and stores, an example that ends soon.
#pragma once

#include "compile/compiler.h"
#include "problem/propose/proposal.h"

namespace tilestep::cli {

enum class Fit { Clean, Races, Long, Findings };

// Clean: a run of the resulting description ends without a finding; Races: all findings are races
// that no value of the description causes; Long: it does not end soon. Otherwise notes and
// questions say what is missing.
[[nodiscard]] Fit fit_to_run(compile::Compiler& compiler, problem::Proposal& proposal);

// The sentence about a launch whose only findings are races.
[[nodiscard]] std::string races_sentence(const problem::Problem& size);

}  // namespace tilestep::cli
