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

#include "ptx/model/module.h"

#include <cstdint>

namespace tilestep::ptx {

// The module with the loads of one function merged. A merged load's text stands behind the PTX.
[[nodiscard]] Module merge_loads(Module module, std::uint32_t function);

}  // namespace tilestep::ptx
