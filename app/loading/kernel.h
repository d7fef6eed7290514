// A kernel as the compiler made it, read.
#pragma once

#include "compile/compiler.h"
#include "problem/result.h"
#include "ptx/model/module.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tilestep::loading {

struct Kernel {
  std::shared_ptr<const ptx::Module> module;
  std::uint32_t entry = 0;  // index into Module::functions
  compile::Build build = compile::Build::Step;
  compile::Output output;  // diagnostics (warnings too), compiler name
  std::string note;        // why shared arrays have no types, as a sentence; empty: they have
  // The step build of the same text beside a fast one, whose PTX does not declare the parameters
  // (load_kernel says when); else null.
  std::shared_ptr<const Kernel> step;
};

struct LoadFailure {
  Error error;                                   // one sentence for the status line
  std::vector<compile::Diagnostic> diagnostics;  // at their lines, when the text did not compile
};

}  // namespace tilestep::loading
