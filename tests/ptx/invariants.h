// What the machine relies on without looking: it must hold for every module that parses, however
// damaged its text was.
#pragma once

#include "ptx/model/module.h"

#include <string>

namespace tilestep::ptx::test {

// "" when everything points to something that is there; otherwise what does not.
[[nodiscard]] std::string broken_invariant(const Module& module);

}  // namespace tilestep::ptx::test
