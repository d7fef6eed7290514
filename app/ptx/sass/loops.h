// The loops of machine code (SASS), and how long one warp alone takes for a pass of each.
//
// Every instruction encodes what its warp has to wait for (Jia, Maggioni, Staiger and Scarpazza
// 2018, "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", section 2; the fields
// are in ptx/sass/decode.h). Waits for instructions of fixed latency are in clocks, waits for loads
// use scoreboards. So the time of a lone warp follows from the code and the latencies of memory.
//
// Pure: bytes in, numbers out.
#pragma once

#include "ptx/model/module.h"
#include "ptx/sass/decode.h"

#include <array>
#include <cstdint>
#include <vector>

namespace tilestep::ptx {

// Clocks of a scheduler's tensor core for a product of 16×8 by 8 numbers of TF32, or 16×8 by 16 of
// 16 bits: 128 multiply-adds of TF32 per clock, according to the A100 architecture paper. Hopper's
// tensor cores are twice as fast, but apparently not with mma.sync (docs/insight/model.md, "Tensor
// cores").
inline constexpr double kClocksOfMatrixProduct = 8.0;

// The registers that products read, and the limit of the two banks.
//
// The registers of a scheduler are in two banks, those with even and those with odd numbers (Jia et
// al., section 3.1). A float32 multiply-add has three operands, a product of matrices (HMMA) has
// ten registers. An operand that is marked `.reuse` is kept for the next instruction of its kind,
// which then need not read it.

// Reads of a warp that the two banks of a scheduler serve in a clock. Not documented: a fit of
// docs/insight/model.md, "Register ports".
inline constexpr double kReadsInAClock = 2.0;

// Each read is of all lanes of a warp.
struct RegisterReads {
  std::uint32_t products = 0;         // FFMA: float32 multiply-adds
  std::uint32_t matrix_products = 0;  // HMMA
  // Reads of multiply-adds.
  std::uint32_t even = 0;  // from the bank of even registers
  std::uint32_t odd = 0;
  std::uint32_t kept = 0;  // operands that the previous instruction has kept
  // Reads of matrix products, counted as 16×8 by 8 of TF32, or 16×8 by 16 of 16 bits, with sums of
  // float: four registers, two, and four for the sums.
  std::uint32_t of_matrices = 0;

  // Clocks that the reads take beyond one per product, if they are distributed evenly.
  [[nodiscard]] double waits() const;
};

// Processes instructions in order.
class RegisterReader {
 public:
  void add(const SassInstruction& instruction);
  [[nodiscard]] const RegisterReads& reads() const { return reads_; }

 private:
  using Kept = std::array<std::uint8_t, 3>;
  static constexpr Kept kNone{kZeroRegister, kZeroRegister, kZeroRegister};

  RegisterReads reads_;
  Kept kept_ = kNone;
  bool kept_of_matrices_ = false;
};

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
