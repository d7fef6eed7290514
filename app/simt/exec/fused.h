// Sequences of instructions that are executed in one pass (exec_fused.cpp, bind_fused.cpp).
#pragma once

#include "simt/state/bound.h"

namespace tilestep::simt {

// Each executes several Bounds from the one it is called with and returns the next.
struct FusedExecutors {
  Executor element_address = nullptr;    // cvt.s64.s32, shl.b64, add.s64
  Executor move_and_add = nullptr;       // mov.b64, add.u64 of what was moved
  Executor multiply_then_add = nullptr;  // mul.f32, add.f32
  Executor move_twice = nullptr;         // mov.b32, mov.b32
  Executor move_twice_and_jump = nullptr;
  // ld.shared.f32, ld.shared.f32, fma.f32, and several of these (Bound::chain); may be missing.
  Executors load_two_and_multiply{};
  Executors product_chain{};
};

}  // namespace tilestep::simt
