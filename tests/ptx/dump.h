// A module as readable text: the decoded PTX file, not its text.
#pragma once

#include "ptx/model/module.h"

#include <string>

namespace tilestep::ptx::test {

// Everything but debug information: variables, functions, registers, instructions, lines.
[[nodiscard]] std::string dump(const Module& module);

}  // namespace tilestep::ptx::test
