// How many registers the products of machine code (SASS) read, and what two banks can serve.
//
// The registers of a scheduler lie in two banks, those with even and those with odd numbers (Jia,
// Maggioni, Staiger and Scarpazza 2018, "Dissecting the NVIDIA Volta GPU Architecture via
// Microbenchmarking", section 3.1). A float32 multiply-add has three operands, a product of
// matrices (HMMA) has ten registers. An operand that is marked `.reuse` stays at its place for the
// next instruction of its kind, which then need not read it. The fields were found with nvdisasm,
// as those of sass.h:
//
//   bits 9–11     the form: 1 three registers; 2, 3, 7 the third operand is none; 4, 5, 6 the
//   second bits 24–31    the first operand; 255: zero, which nobody reads bits 32–39    the second
//   one of form 1 bits 64–71    the third one; of forms 2, 3, 7 the second bits 122–124  whether
//   the first, second and third operand is kept
//
// Pure: bytes in, numbers out.
#pragma once

#include <array>
#include <cstdint>

namespace tilestep::ptx {

// The two banks of a scheduler serve so many reads of a warp in a clock. Not documented: a fit of
// docs/insight/model.md, "Register ports".
inline constexpr double kReadsInAClock = 2.0;

// Each read is of all lanes of a warp.
struct RegisterReads {
  std::uint32_t products = 0;         // FFMA: float32 multiply-adds
  std::uint32_t matrix_products = 0;  // HMMA
  // Of multiply-adds.
  std::uint32_t even = 0;  // from the bank of even registers
  std::uint32_t odd = 0;
  std::uint32_t kept = 0;  // operands that the one before has kept
  // Of products of matrices, taken as 16×8 by 8 of TF32, or 16×8 by 16 of 16 bits, with sums of
  // float: four registers, two, and four for the sums.
  std::uint32_t of_matrices = 0;

  // Clocks that the reads take beyond one for each product, if they are spread evenly.
  [[nodiscard]] double waits() const;
};

// Goes through instructions in order. Precondition: from compute capability 7.0 on.
class RegisterReader {
 public:
  // `low` and `high`: an instruction's bits 0–63 and 64–127.
  void add(std::uint64_t low, std::uint64_t high);
  [[nodiscard]] const RegisterReads& reads() const { return reads_; }

 private:
  static constexpr std::uint32_t kNone = 255;  // RZ: its zero is not read
  using Operands = std::array<std::uint32_t, 3>;

  // Which of the operands have to be read; keeps those that are marked.
  std::array<bool, 3> are_read(const Operands& operands, std::uint64_t high, bool matrices);

  RegisterReads reads_;
  Operands kept_{kNone, kNone, kNone};
  bool kept_of_matrices_ = false;
};

}  // namespace tilestep::ptx
