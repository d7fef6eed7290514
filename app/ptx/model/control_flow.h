// Private to app/ptx: control flow, and where diverged lanes reconverge.
#pragma once

#include "ptx/model/module.h"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tilestep::ptx {

// Whether control never continues with the next instruction, except when a guard disables this one.
[[nodiscard]] bool ends_block(Opcode op);

// Sets Instruction::reconverge of every branch that lanes may take differently (guarded bra,
// brx.idx) to its immediate post-dominator: the first instruction on every path from the branch to
// the end of the function. kNoPc if the paths meet only at the end.
//
// A loop without an exit has no path to the end; its last block counts as if it had one, so that
// lanes meet inside the loop.
void find_reconvergence(Function& function);

// Live registers at an instruction: those whose values some path from there may read.

class Liveness {
 public:
  // Analyzes the whole function once. `function` must outlive this object.
  explicit Liveness(const Function& function);

  // Registers that may be read before they are written when control is at `pc`. A write under a
  // guard does not count as one.
  [[nodiscard]] std::vector<Register> at(std::uint32_t pc) const;

 private:
  const Function& function_;
  std::vector<std::vector<std::uint64_t>> live_;  // by pc; a bit for each of Function::registers
};

// Private to app/ptx: the instructions that write a function's registers.

// Unique for each register of a function.
[[nodiscard]] constexpr std::uint64_t register_key(Register reg) {
  return (static_cast<std::uint64_t>(reg.cls) << 32U) | reg.index;
}

class Definitions {
 public:
  explicit Definitions(const Function& function);

  // The only instruction that writes `reg`. Empty if several or none do, or if it does so under a
  // predicate.
  [[nodiscard]] std::optional<std::uint32_t> only_write(Register reg) const;
  // Whether a branch reaches `pc`, and not only the previous instruction.
  [[nodiscard]] bool is_branch_target(std::uint32_t pc) const { return branch_targets_[pc]; }

 private:
  std::unordered_map<std::uint64_t, std::uint32_t> writes_;  // kNoPc: several
  std::vector<bool> branch_targets_;                         // per pc, and one past the end
};

// Registers that a function may read before it has written them: variables without an initial
// value.

// Some path through the function reads these registers first (they are live at its start); whether
// a thread takes that path is not known here. Excludes the stack pointers, which the machine sets.
[[nodiscard]] std::vector<Register> unset_registers(const Function& function);

using UnsetRegisters = std::vector<std::vector<Register>>;  // by function
[[nodiscard]] UnsetRegisters unset_registers(const Module& module);

}  // namespace tilestep::ptx
