#include "insight/check/stored_word.h"

namespace tilestep::insight {

std::optional<std::uint32_t> stored_word(const simt::Machine& machine, const simt::StepInfo& info,
                                         const simt::MemoryEvent& event, std::uint32_t lane,
                                         std::uint64_t word) {
  const ptx::Instruction& i = *info.instruction;
  const std::uint32_t size = ptx::byte_size(i.type);
  if (event.kind != simt::AccessKind::Store || i.op != ptx::Opcode::St || size == 0 || size > 8) {
    return std::nullopt;
  }
  const std::uint64_t address = event.addresses[lane];
  const std::uint64_t offset = word * 4 < address ? 0 : word * 4 - address;
  const std::uint64_t element = offset / size;
  if (element + 1 >= i.operand_count) {
    return std::nullopt;
  }
  const ptx::Function& function = machine.program().module().functions[info.function];
  const ptx::Operand& operand = function.operands[i.first_operand + 1 + element];
  std::uint64_t value = 0;
  if (operand.kind == ptx::OperandKind::Register) {
    value = machine.register_lane(info.id, operand.reg, static_cast<int>(lane), info.frame);
  } else if (operand.kind == ptx::OperandKind::Immediate) {
    value = static_cast<std::uint64_t>(operand.value);
  } else {
    return std::nullopt;
  }
  if (size < 4) {
    return i.vector == 1 ? std::optional(static_cast<std::uint32_t>(value << address % 4 * 8))
                         : std::nullopt;
  }
  return static_cast<std::uint32_t>(value >> offset % size * 8);
}

}  // namespace tilestep::insight
