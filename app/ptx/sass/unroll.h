// Private to app/ptx: loops whose number of passes follows from the text, unrolled as ptxas does.
#pragma once

#include "ptx/model/module.h"

#include <cstdint>
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

}  // namespace tilestep::ptx
