// Private to app/ptx: how well the addresses in a function's registers are aligned, as far as its
// text shows. ptxas makes wide loads of narrow ones by the same knowledge.
#pragma once

#include "ptx/model/definitions.h"
#include "ptx/model/module.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace tilestep::ptx {

// Of every value that a register gets anywhere in the function: it is a multiple of 2^exponent.
// Flow does not count; what arithmetic on it cannot tell (a thread's index, a loaded number) is a
// multiple of 1.
class Alignments {
 public:
  Alignments(const Module& module, std::uint32_t function);

  [[nodiscard]] int exponent(Register reg) const;
  // The same seen through sums with constants: `offset` bytes behind a multiple of 2^exponent.
  // Sums count where `is_fixed(pc)`: what was written there is still what it was made of.
  struct Place {
    int exponent = 0;
    std::int64_t offset = 0;
  };
  [[nodiscard]] Place place(Register reg, const std::function<bool(std::uint32_t)>& is_fixed) const;
  // Of the address of a shared variable, in the order in which they are laid out (MemoryMap). 0 of
  // variables elsewhere.
  [[nodiscard]] int variable_exponent(std::uint32_t variable) const;

 private:
  void place_shared(const Module& module, std::uint32_t function);
  [[nodiscard]] int of(const Operand& operand) const;
  [[nodiscard]] int written(const Instruction& instruction) const;

  const Function& function_;
  Definitions definitions_;
  std::vector<int> registers_;  // by first word
  std::vector<int> variables_;
};

}  // namespace tilestep::ptx
