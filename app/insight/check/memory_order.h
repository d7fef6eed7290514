// What an instruction says about the order of memory accesses (PTX ISA, "Memory Consistency
// Model"): as far as other blocks see it, so what is of scope .cta says nothing.
#pragma once

#include "ptx/model/instruction.h"

namespace tilestep::insight {

// An access that others may meet: an atomic, .volatile, .relaxed, …
[[nodiscard]] inline bool is_strong_access(const ptx::Instruction& instruction) {
  const bool is_atomic = instruction.op == ptx::Opcode::Atom || instruction.op == ptx::Opcode::Red;
  const bool is_other = instruction.op == ptx::Opcode::Ld || instruction.op == ptx::Opcode::St;
  return instruction.scope != ptx::MemoryScope::Cta &&
         (is_atomic || (is_other && ptx::is_strong(instruction)));
}

// A fence, or an access with one in front of it.
[[nodiscard]] inline bool releases(const ptx::Instruction& instruction) {
  if (instruction.scope == ptx::MemoryScope::Cta) {
    return false;
  }
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

}  // namespace tilestep::insight
