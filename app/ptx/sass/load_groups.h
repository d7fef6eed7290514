// Private to app/ptx: loads from shared memory that differ by a constant offset.
#pragma once

#include "ptx/model/module.h"

#include <cstdint>
#include <vector>

namespace tilestep::ptx {

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

}  // namespace tilestep::ptx
