// What an instruction says about the order of memory accesses (PTX ISA, "Memory Consistency
// Model"). Other blocks see nothing of what is of scope .cta.
#pragma once

#include "ptx/model/instruction.h"

namespace tilestep::insight {

// An access to a flag in shared memory. A volatile one is none: programs from before independent
// thread scheduling use `volatile` where a barrier belongs.
[[nodiscard]] inline bool is_flag_access(const ptx::Instruction& instruction) {
  const bool is_other = instruction.op == ptx::Opcode::Ld || instruction.op == ptx::Opcode::St;
  return ptx::is_atomic(instruction.op) || (is_other && ptx::is_strong(instruction) &&
                                            instruction.order != ptx::MemoryOrder::Volatile);
}

// An access that others may meet: an atomic, .volatile, .relaxed, …
[[nodiscard]] inline bool is_strong_access(const ptx::Instruction& instruction) {
  const bool is_other = instruction.op == ptx::Opcode::Ld || instruction.op == ptx::Opcode::St;
  return instruction.scope != ptx::MemoryScope::Cta &&
         (ptx::is_atomic(instruction.op) || (is_other && ptx::is_strong(instruction)));
}

// A fence, or an access with one in front of it.
[[nodiscard]] inline bool releases_in_block(const ptx::Instruction& instruction) {
  switch (instruction.op) {
    case ptx::Opcode::Membar:
    case ptx::Opcode::Fence:
      return instruction.order != ptx::MemoryOrder::Acquire;
    case ptx::Opcode::Atom:
    case ptx::Opcode::Red:
    case ptx::Opcode::Ld:
    case ptx::Opcode::St:
      return instruction.order == ptx::MemoryOrder::Release ||
             instruction.order == ptx::MemoryOrder::AcqRel;
    default:
      return false;
  }
}

[[nodiscard]] inline bool releases(const ptx::Instruction& instruction) {
  return instruction.scope != ptx::MemoryScope::Cta && releases_in_block(instruction);
}

[[nodiscard]] inline bool is_fence(const ptx::Instruction& instruction) {
  const bool may_be = instruction.op == ptx::Opcode::Membar || instruction.op == ptx::Opcode::Fence;
  return may_be && releases_in_block(instruction);
}

}  // namespace tilestep::insight
