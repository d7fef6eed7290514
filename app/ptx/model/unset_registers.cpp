#include "ptx/model/unset_registers.h"

#include "ptx/model/liveness.h"

namespace tilestep::ptx {

std::vector<Register> unset_registers(const Function& function) {
  std::vector<Register> unset = Liveness(function).at(0);
  std::erase_if(unset, [&](const Register& reg) {
    return reg == function.stack_pointer || reg == function.stack_pointer_local;
  });
  return unset;
}

UnsetRegisters unset_registers(const Module& module) {
  UnsetRegisters unset;
  for (const Function& function : module.functions) {
    unset.push_back(unset_registers(function));
  }
  return unset;
}

}  // namespace tilestep::ptx
