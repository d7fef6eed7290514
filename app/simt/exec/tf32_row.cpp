#include "simt/exec/tf32_row.h"

#include "simt/exec/tf32_sum.h"

namespace tilestep::simt {

Tf32Lines::Tf32Lines(std::size_t line_count)
    : lines(line_count),
      exponents(line_count * kTf32Depth),
      mantissas(line_count * kTf32Depth),
      odd(line_count) {}

void Tf32Lines::set(std::size_t line, std::size_t k, std::uint32_t bits) {
  constexpr int kCutBits = 13;
  const FloatParts parts = tf32_parts(bits);
  const auto magnitude = static_cast<std::int32_t>(parts.mantissa >> kCutBits);
  exponents[k * lines + line] = parts.exponent;
  mantissas[k * lines + line] = parts.negative ? -magnitude : magnitude;
  odd[line] |= parts.kind == FloatParts::Kind::Finite ? 0 : 1;
}

}  // namespace tilestep::simt
