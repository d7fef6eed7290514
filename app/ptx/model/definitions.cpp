#include "ptx/model/definitions.h"

namespace tilestep::ptx {

Definitions::Definitions(const Function& function)
    : branch_targets_(function.instructions.size() + 1) {
  auto mark = [&](std::uint32_t pc) {
    if (pc < branch_targets_.size()) {
      branch_targets_[pc] = true;
    }
  };
  for (std::uint32_t pc = 0; pc < function.instructions.size(); ++pc) {
    const Instruction& instruction = function.instructions[pc];
    if (instruction.op == Opcode::Bra) {
      mark(instruction.target);
    }
    for (std::uint32_t i = 0; i < instruction.dest_count; ++i) {
      const Operand& operand = function.operands[instruction.first_operand + i];
      if (operand.kind != OperandKind::Register) {
        continue;
      }
      auto [place, is_first] = writes_.emplace(register_key(operand.reg), pc);
      if (!is_first || instruction.guard != kNoGuard) {
        place->second = kNoPc;
      }
    }
  }
  for (const std::vector<std::uint32_t>& table : function.branch_tables) {
    for (std::uint32_t target : table) {
      mark(target);
    }
  }
}

std::optional<std::uint32_t> Definitions::only_write(Register reg) const {
  auto found = writes_.find(register_key(reg));
  if (found == writes_.end() || found->second == kNoPc) {
    return std::nullopt;
  }
  return found->second;
}

}  // namespace tilestep::ptx
