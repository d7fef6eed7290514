// The text assembled from a decoded instruction must equal its original text.
#pragma once

#include "ptx/model/module.h"

#include <string>

namespace tilestep::ptx::test {

// "" if assemble() returns the instruction's text, except for modifiers that are dropped on
// purpose, the order of modifiers and the notation of numbers; otherwise both texts. Unknown
// instructions are not compared.
[[nodiscard]] std::string round_trip_difference(const Module& module, const Function& function,
                                                const Instruction& instruction);

}  // namespace tilestep::ptx::test
