// Invariants that the machine relies on without checks: they must hold for every module that
// parses, however damaged its text was.
#pragma once

#include "ptx/model/module.h"

#include <string>

namespace tilestep::ptx::test {

// "" if all references are valid; otherwise the broken one.
[[nodiscard]] std::string broken_invariant(const Module& module);

}  // namespace tilestep::ptx::test
