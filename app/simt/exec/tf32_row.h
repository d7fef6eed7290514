// The rule of tf32_sum.h for a row of D at once, for operands and sums of usual size.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilestep::simt {

inline constexpr std::size_t kTf32Depth = 8;  // products of one sum

// Factors by k, so that the same k of all lines stand next to each other: value mantissa ·
// 2^(exponent - 10), the mantissa of 11 bits with its sign.
struct Tf32Lines {
  explicit Tf32Lines(std::size_t line_count);
  void set(std::size_t line, std::size_t k, std::uint32_t bits);

  std::size_t lines = 0;
  std::vector<std::int32_t> exponents;  // [k][line]
  std::vector<std::int32_t> mantissas;
  std::vector<std::uint8_t> odd;  // by line: one of it is an infinity or NaN
};

// One line of A, and `count` lines of B (a multiple of 8): d = c + the sum of their products, which
// is left to tf32_sum() where `left` is not 0.
struct Tf32Row {
  std::array<std::int32_t, kTf32Depth> exponents{};
  std::array<std::int32_t, kTf32Depth> mantissas{};
  const Tf32Lines* b = nullptr;
  const std::uint32_t* c = nullptr;
  std::uint32_t* d = nullptr;
  std::uint8_t* left = nullptr;
};
using AddTf32Row = void (*)(const Tf32Row& row);

}  // namespace tilestep::simt
