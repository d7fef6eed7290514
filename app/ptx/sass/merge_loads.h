// Neighbouring 32-bit loads from shared memory → the loads of 64 and 128 bits that ptxas makes of
// them, so that accesses and wavefronts are counted as the hardware executes them.
//
//   ld.shared.f32 %f1, [%rd3];        ld.shared.v4.f32 {%f1, %f2, %f3, _}, [%rd3];
//   ld.shared.f32 %f2, [%rd3+4];  →
//   ld.shared.f32 %f3, [%rd3+8];
//
// What ptxas does is not documented. This is what its machine code showed
// (docs/reports/counters.md):
//
// * Loads merge that are words of one 16-byte or 8-byte piece of memory. That a piece begins where
//   it does must show in the address arithmetic: the base is a multiple of 16 or 8.
// * Three or four words of a 16-byte piece become a load of 128 bits, two of an 8-byte piece one of
//   64 bits.
// * The wide load stands where the first one stood, also before branches that jump over the others:
//   a lane that takes one has loaded words that it does not need.
// * Nothing merges over a store to shared memory, a barrier or a label.
//
// Pure: a module becomes a module that computes the same.
#pragma once

#include "ptx/model/control_flow.h"
#include "ptx/model/module.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace tilestep::ptx {

// The module with the loads of one function merged. A merged load's text stands behind the PTX.
[[nodiscard]] Module merge_loads(Module module, std::uint32_t function);

// Private to app/ptx: loads from shared memory that differ by a constant offset.

struct LoadAt {
  std::uint32_t pc = 0;
  std::int64_t offset = 0;  // bytes from the group's base
};

// 32-bit loads without a guard, in the order of the text. All are executed or none, but for
// branches out of the stretch in which they stand, and nothing between them writes shared memory
// or waits for others who do.
struct LoadGroup {
  int exponent = 0;  // the base is a multiple of 2^exponent
  std::vector<LoadAt> loads;
};

[[nodiscard]] std::vector<LoadGroup> find_load_groups(const Module& module, std::uint32_t function);

// Whether control never passes from the instruction at `pc` to the next one, only after code
// elsewhere, or when a loop is over.
[[nodiscard]] bool ends_stretch(const Instruction& instruction, std::uint32_t pc);
// Whether it may leave the stretch here, and otherwise goes on to the next one.
[[nodiscard]] bool may_leave_stretch(const Instruction& instruction);

// Private to app/ptx: how well the addresses in a function's registers are aligned, as far as its
// text shows. ptxas makes wide loads of narrow ones by the same knowledge.

// Of every value that a register gets anywhere in the function: it is a multiple of 2^exponent.
// Flow does not count; what arithmetic on it cannot tell (a thread's index, a loaded number) is a
// multiple of 1.
class Alignments {
 public:
  Alignments(const Module& module, std::uint32_t function);

  [[nodiscard]] int exponent(Register reg) const;
  // The same seen through sums with constants: `offset` bytes behind a multiple of 2^exponent.
  // Sums count where `is_fixed(pc)`: what was written there is still what it was made of.
  struct AlignedOffset {
    int exponent = 0;
    std::int64_t offset = 0;
  };
  [[nodiscard]] AlignedOffset place(Register reg,
                                    const std::function<bool(std::uint32_t)>& is_fixed) const;
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
