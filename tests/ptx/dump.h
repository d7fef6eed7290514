// A module as readable text: what was understood of a PTX file, not what the file says.
#pragma once

#include "ptx/model/module.h"

#include <string>

namespace tilestep::ptx::test {

// Everything but debug information: variables, functions, registers, instructions, lines.
[[nodiscard]] std::string dump(const Module& module);

}  // namespace tilestep::ptx::test
