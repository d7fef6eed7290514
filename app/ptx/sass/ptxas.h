// What ptxas makes of PTX before it is machine code, as far as counts depend on it: it unrolls
// loops and merges loads.
#pragma once

#include "ptx/model/control_flow.h"
#include "ptx/model/module.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace tilestep::ptx {

// A loop of one stretch of code without labels or other branches. Its counter starts at a constant
// just before it and is compared with one at its end:
//
//   mov.u32 %r1, 0;
//   HERE: …  add.s32 %r1, %r1, 2;  setp.ne.s32 %p1, %r1, 8;  @%p1 bra HERE;
struct CountedLoop {
  std::uint32_t first = 0;   // pc
  std::uint32_t branch = 0;  // pc of its end
  std::uint32_t passes = 0;
};

// The loops that can be unrolled: counters and pointers are used only for counting and addresses.
[[nodiscard]] std::vector<CountedLoop> find_counted_loops(const Function& function);

// The innermost loop around an instruction, as the pc of its shortest branch back over it; kNoPc
// outside loops.
[[nodiscard]] std::uint32_t innermost_loop(const Function& function, std::uint32_t pc);

// Repeats the body `times` times in each pass; the remaining passes are before the loop. If only
// one pass is left (times > passes / 2), there is no loop. The function has no events or scopes (a
// fast build). Precondition: 2 <= times <= loop.passes.
void unroll(Module& module, std::uint32_t function, const CountedLoop& loop, std::uint32_t times);

// Adjacent 32-bit loads from shared memory → the loads of 64 and 128 bits that ptxas merges them
// into, so that accesses and wavefronts are counted as the hardware executes them.
//
//   ld.shared.f32 %f1, [%rd3];        ld.shared.v4.f32 {%f1, %f2, %f3, _}, [%rd3];
//   ld.shared.f32 %f2, [%rd3+4];  →
//   ld.shared.f32 %f3, [%rd3+8];
//
// The rule of ptxas is not documented. Its machine code showed this (docs/reports/counters.md):
//
// * Loads merge if they read words of one 16-byte or 8-byte piece of memory. The address
//   arithmetic must show where the piece begins: the base is a multiple of 16 or 8.
// * Three or four words of a 16-byte piece become a load of 128 bits, two of an 8-byte piece one of
//   64 bits.
// * The wide load is at the place of the first one, also before branches that jump over the others:
//   a lane that takes one has loaded words that it does not need.
// * Nothing merges over a store to shared memory, a barrier or a label.
//
// Pure: the new module computes the same as the old one.

// The module with the loads of one function merged. A merged load's text is appended to the PTX.
[[nodiscard]] Module merge_loads(Module module, std::uint32_t function);

// Private to app/ptx: loads from shared memory that differ by a constant offset.

struct LoadAt {
  std::uint32_t pc = 0;
  std::int64_t offset = 0;  // bytes from the group's base
};

// 32-bit loads without a guard, in the order of the text. All or none are executed, except for
// branches out of their stretch, and no instruction between them writes shared memory or waits for
// others that do.
struct LoadGroup {
  int exponent = 0;  // the base is a multiple of 2^exponent
  std::vector<LoadAt> loads;
};

[[nodiscard]] std::vector<LoadGroup> find_load_groups(const Module& module, std::uint32_t function);

// Whether control never passes from the instruction at `pc` to the next one, except after code
// elsewhere or at the end of a loop.
[[nodiscard]] bool ends_stretch(const Instruction& instruction, std::uint32_t pc);
// Whether control may leave the stretch here, and otherwise continues with the next instruction.
[[nodiscard]] bool may_leave_stretch(const Instruction& instruction);

// Private to app/ptx: alignment of the addresses in a function's registers, as far as the text
// shows it. ptxas merges loads based on the same knowledge.

// Every value that a register gets anywhere in the function is a multiple of 2^exponent. Control
// flow is ignored; values that arithmetic does not determine (a thread's index, a loaded number)
// are multiples of 1.
class Alignments {
 public:
  Alignments(const Module& module, std::uint32_t function);

  [[nodiscard]] int exponent(Register reg) const;
  // The same for sums with constants: `offset` bytes after a multiple of 2^exponent. A sum at `pc`
  // counts if `is_fixed(pc)`: its operands still have the same values.
  struct AlignedOffset {
    int exponent = 0;
    std::int64_t offset = 0;
  };
  [[nodiscard]] AlignedOffset place(Register reg,
                                    const std::function<bool(std::uint32_t)>& is_fixed) const;
  // Alignment of a shared variable's address, in their layout order (MemoryMap). 0 for other
  // variables.
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
