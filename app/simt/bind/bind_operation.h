// An instruction on its way from ptx::Instruction to Bound.
#pragma once

#include "simt/bind/bind.h"

#include <cstdint>
#include <memory>

namespace tilestep::simt {

struct Binder::Operation {
  const ptx::Instruction& instruction;
  Bound& bound;
  const ptx::Function& function;
  std::unique_ptr<Detail> detail;

  [[nodiscard]] const ptx::Operand& operand(std::uint32_t k) const {
    return function.operands[instruction.first_operand + k];
  }
  [[nodiscard]] std::uint32_t count() const { return instruction.operand_count; }
  void run(Executor executor) { bound.run = every(executor); }
  void run(const LaneExecutor& executor) {
    bound.run = {executor.run[0], executor.run[1], executor.run[0], executor.run[1]};
  }
};

}  // namespace tilestep::simt
