// What a tensor core makes of TF32 operands: one element of D = A·B + C, bit for bit as an H200.
// PTX ISA 9.0 (9.7.14, "mma") leaves the order and the rounding of the additions open; the rule was
// found by probing: docs/reports/tensor-units.md.
#pragma once

#include <cstdint>
#include <span>

namespace tilestep::simt {

// A float's bits, taken apart: mantissa · 2^(exponent - 23), subnormals with exponent -126.
struct FloatParts {
  enum class Kind : std::uint8_t { Finite, Infinity, NaN };
  Kind kind = Kind::Finite;
  bool negative = false;
  int exponent = 0;
  std::uint32_t mantissa = 0;
};
[[nodiscard]] FloatParts float_parts(std::uint32_t bits);

// As above, without the low 13 bits: they are no part of TF32.
[[nodiscard]] FloatParts tf32_parts(std::uint32_t bits);

// The bits of c + Σ a[k]·b[k], all of them added at once. `a` and `b` have the same length, at most
// 32 (sums of more could leave 64 bits), and come from tf32_parts.
[[nodiscard]] std::uint32_t tf32_sum(std::span<const FloatParts> a, std::span<const FloatParts> b,
                                     std::uint32_t c);

}  // namespace tilestep::simt
