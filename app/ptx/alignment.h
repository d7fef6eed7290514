// Private to app/ptx: how well the addresses in a function's registers are aligned, as far as its
// text shows. ptxas makes wide loads of narrow ones by the same knowledge.
#pragma once

#include "ptx/module.h"

#include <cstdint>
#include <vector>

namespace tilestep::ptx {

// Of every value that a register gets anywhere in the function: it is a multiple of 2^exponent.
// Flow does not count; what arithmetic on it cannot tell (a thread's index, a loaded number) is a
// multiple of 1.
class Alignments {
 public:
  Alignments(const Module& module, std::uint32_t function);

  [[nodiscard]] int exponent(Register reg) const;
  // Of the address of a shared variable, in the order in which they are laid out (MemoryMap). 0 of
  // variables elsewhere.
  [[nodiscard]] int variable_exponent(std::uint32_t variable) const;

 private:
  void place_shared(const Module& module, std::uint32_t function);
  [[nodiscard]] int of(const Operand& operand) const;
  [[nodiscard]] int written(const Instruction& instruction) const;

  const Function& function_;
  std::vector<int> registers_;  // by first word
  std::vector<int> variables_;
};

}  // namespace tilestep::ptx
