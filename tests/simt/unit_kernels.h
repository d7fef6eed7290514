// Kernels that use the tensor cores and the TMA unit, one instruction each: for the machine
// alone, and for comparing it with a GPU.
#pragma once

#include "simulated.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilestep::test {

// D = A·B^T (+ C) by one wgmma per block: A 64×8, B N×8, C and D 64×N, one block's matrices after
// another's. B is in shared memory with the swizzle, at 32 bytes times `begin` of its rows; so is A
// unless it is in registers.
struct Warpgroup {
  int columns = 8;  // N
  int swizzle = 0;
  int begin = 0;
  bool in_registers = true;
  bool adds = true;
  int scale_a = 1;
  int scale_b = 1;
};
[[nodiscard]] problem::Launch warpgroup_launch(const Warpgroup& shape, int blocks,
                                               const std::vector<std::uint32_t>& a,
                                               const std::vector<std::uint32_t>& b,
                                               const std::vector<std::uint32_t>& c);

// Each block copies a box of `in` (rows × cols floats, pitch a multiple of 4) to shared memory and
// writes it out in the layout there. Then it copies the box to the same place of `back`, unless the
// box begins before the matrix, which a GPU refuses to store. Where: the blocks' pairs of column
// and row.
struct Boxes {
  int rows = 20;
  int cols = 24;
  int pitch = 24;
  int box_rows = 8;
  int box_cols = 8;
  int swizzle = 0;
};
[[nodiscard]] problem::Launch boxes_launch(const Boxes& boxes, const std::vector<int>& where);

// One block copies `bytes` from `in` to shared memory, adds 1 to each number, and copies them to
// `out`.
[[nodiscard]] problem::Launch bulk_launch(int words);

}  // namespace tilestep::test
