// The loops of machine code (SASS), and how long one warp alone takes for a pass of each.
//
// From compute capability 7.0 on every instruction encodes what its warp has to wait for (Jia,
// Maggioni, Staiger and Scarpazza 2018, "Dissecting the NVIDIA Volta GPU Architecture via
// Microbenchmarking", section 2; also found in the code of ptxas for 9.0):
//
//   bits 105–108  clocks until the warp's next instruction may start
//   bits 110–112  the scoreboard that is held until the result is there; 7: none
//   bits 113–115  the scoreboard that is held until the operands are read; 7: none
//   bits 116–121  the scoreboards that have to be free before this one starts
//
// Waits for instructions of fixed latency are in clocks, waits for loads use scoreboards. So the
// time of a lone warp follows from the code and the latencies of memory.
//
// Pure: bytes in, numbers out.
#pragma once

#include "ptx/model/module.h"
#include "ptx/sass/sass.h"

#include <cstdint>
#include <vector>

namespace tilestep::ptx {

// Clocks of a scheduler's tensor core for a product of 16×8 by 8 numbers of TF32, or 16×8 by 16 of
// 16 bits: 128 multiply-adds of TF32 per clock, according to the A100 architecture paper. Hopper's
// tensor cores are twice as fast, but apparently not with mma.sync (docs/insight/model.md, "Tensor
// cores").
inline constexpr double kClocksOfMatrixProduct = 8.0;

struct SassLoop {
  std::uint32_t first = 0;  // index of the instruction that its branch goes back to
  std::uint32_t last = 0;   // of the branch
  bool is_innermost = true;
  // In one pass, without inner loops. Includes instructions that other branches jump over.
  std::uint32_t instructions = 0;
  std::uint32_t ffma = 0;
  std::uint32_t matrix_products = 0;  // of tensor cores: HMMA
  RegisterReads registers;            // of the products
  std::uint32_t barriers = 0;
  std::uint32_t global_loads = 0;  // includes asynchronous copies
  std::uint32_t shared_stores = 0;
  // For one warp alone, after other passes: clocks if loads from global memory took no time, and
  // the increase in clocks for each clock that they take.
  double clocks = 0.0;
  double waits = 0.0;
};

// Ascending by `first`. Precondition: kernel.architecture is at least 70.
[[nodiscard]] std::vector<SassLoop> read_loops(const CubinKernel& kernel);

}  // namespace tilestep::ptx
