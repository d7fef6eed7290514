// PTX text → Module.
#pragma once

#include "problem/result.h"
#include "ptx/model/module.h"

#include <string>

namespace tilestep::ptx {

// Parses a whole PTX file. An unknown instruction becomes Opcode::Unknown; a file that is not PTX
// at all, or is cut short, is an Error with its line.
[[nodiscard]] Result<Module> parse(std::string ptx_text);

}  // namespace tilestep::ptx
