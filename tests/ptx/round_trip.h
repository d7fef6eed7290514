// A decoded instruction put together again must say what its text says.
#pragma once

#include "ptx/model/module.h"

#include <string>

namespace tilestep::ptx::test {

// "" when assemble() gives back the instruction's text, but for modifiers that are dropped on
// purpose, the order of modifiers and the way numbers are written; otherwise both texts.
// Unknown instructions are not compared.
[[nodiscard]] std::string round_trip_difference(const Module& module, const Function& function,
                                                const Instruction& instruction);

}  // namespace tilestep::ptx::test
