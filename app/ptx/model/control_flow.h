// Private to app/ptx: where control goes, and where diverged lanes meet again.
#pragma once

#include "ptx/model/module.h"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tilestep::ptx {

// Whether control does not go on to the next instruction unless a guard keeps this one from it.
[[nodiscard]] bool ends_block(Opcode op);

// Sets Instruction::reconverge of every branch that lanes may take differently (guarded bra,
// brx.idx) to its immediate post-dominator: the first instruction that every path from the branch
// to the end of the function passes. kNoPc when the paths meet only at the end.
//
// A loop that cannot be left has no path to the end; its last block counts as if it had one, so
// that lanes meet inside the loop.
void find_reconvergence(Function& function);

// Which registers an instruction finds with values that some path from there may read.

class Liveness {
 public:
  // Of the whole function, once. It must outlive this.
  explicit Liveness(const Function& function);

  // Where control comes to `pc`, these may be read before they are written: a write under a guard
  // does not count as one.
  [[nodiscard]] std::vector<Register> at(std::uint32_t pc) const;

 private:
  const Function& function_;
  std::vector<std::vector<std::uint64_t>> live_;  // by pc; a bit for each of Function::registers
};

// Private to app/ptx: where the registers of a function get their values.

// What tells a register of a function from all others.
[[nodiscard]] constexpr std::uint64_t register_key(Register reg) {
  return (static_cast<std::uint64_t>(reg.cls) << 32U) | reg.index;
}

class Definitions {
 public:
  explicit Definitions(const Function& function);

  // The one instruction that writes `reg`. Nothing when several do, none does, or it does so under
  // a predicate.
  [[nodiscard]] std::optional<std::uint32_t> only_write(Register reg) const;
  // Whether `pc` is reached by a branch, and not only from the instruction before it.
  [[nodiscard]] bool is_branch_target(std::uint32_t pc) const { return branch_targets_[pc]; }

 private:
  std::unordered_map<std::uint64_t, std::uint32_t> writes_;  // kNoPc: several
  std::vector<bool> branch_targets_;                         // per pc, and one past the end
};

// Registers that a function may read before it has written them: variables without an initial
// value.

// Of every path through the function some instruction reads them first (they are live where it
// starts); whether a thread takes that path is not known here. Not the stack pointers, which the
// machine sets.
[[nodiscard]] std::vector<Register> unset_registers(const Function& function);

using UnsetRegisters = std::vector<std::vector<Register>>;  // by function
[[nodiscard]] UnsetRegisters unset_registers(const Module& module);

}  // namespace tilestep::ptx
