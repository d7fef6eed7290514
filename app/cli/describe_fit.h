// A proposed description, made to fit what a run of the kernel does: how large its buffers have to
// be, which it reads and which it stores, an example that ends soon.
#pragma once

#include "compile/compiler.h"
#include "problem/propose/proposal.h"

namespace tilestep::cli {

// True where a run of what it then describes ends without a finding; otherwise its notes and
// questions say what is missing.
bool fit_to_run(compile::Compiler& compiler, problem::Proposal& proposal);

}  // namespace tilestep::cli
