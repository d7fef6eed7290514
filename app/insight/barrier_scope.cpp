#include "insight/barrier_scope.h"

namespace tilestep::insight {

bool is_whole_block_barrier(const simt::Program& program, const simt::StepInfo& info) {
  const ptx::Instruction& instruction = *info.instruction;
  if (instruction.op != ptx::Opcode::Bar) {
    return false;
  }
  const ptx::Function& function = program.module().functions[info.function];
  const bool reduces = instruction.mode == ptx::Mode::BarRedPopc ||
                       instruction.mode == ptx::Mode::BarRedAnd ||
                       instruction.mode == ptx::Mode::BarRedOr;
  const int operands = instruction.operand_count - instruction.dest_count - (reduces ? 1 : 0);
  if (operands < 2) {
    return true;  // bar.sync a: all threads of the block
  }
  const ptx::Operand& count =
      function.operands[instruction.first_operand + instruction.dest_count + 1U];
  return count.kind == ptx::OperandKind::Immediate && count.value == program.threads_per_block() &&
         instruction.mode != ptx::Mode::BarArrive;
}

}  // namespace tilestep::insight
