// Registers that a function may read before it has written them: variables without an initial
// value.
#pragma once

#include "ptx/model/module.h"

#include <vector>

namespace tilestep::ptx {

// Of every path through the function some instruction reads them first (they are live where it
// starts); whether a thread takes that path is not known here. Not the stack pointers, which the
// machine sets.
[[nodiscard]] std::vector<Register> unset_registers(const Function& function);

using UnsetRegisters = std::vector<std::vector<Register>>;  // by function
[[nodiscard]] UnsetRegisters unset_registers(const Module& module);

}  // namespace tilestep::ptx
