// cvt for one lane (PTX ISA 9.0, 9.7.9.21): every combination by `convert_value`, the frequent ones
// as small functions that vectorize.
#pragma once

#include "ptx/model/instruction.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace tilestep::simt {

// Any cvt of one lane. `bits` is the source register's content; the result is extended to 64 bits
// by the destination type's signedness.
[[nodiscard]] std::uint64_t convert_value(const ptx::Instruction& i, std::uint64_t bits,
                                          std::uint64_t second = 0);

// 16-bit formats as numbers, and back with one rounding.
[[nodiscard]] double half_to_double(std::uint16_t bits);
[[nodiscard]] double bfloat_to_double(std::uint16_t bits);
[[nodiscard]] std::uint16_t double_to_half(double value, ptx::Rounding rounding);
[[nodiscard]] std::uint16_t double_to_bfloat(double value, ptx::Rounding rounding);

template <class D, class S>
inline D cast(S v) {
  return static_cast<D>(v);
}

template <ptx::Rounding kMode, class F>
inline F to_integral(F v) {
  switch (kMode) {
    case ptx::Rounding::Rzi:
      return std::trunc(v);
    case ptx::Rounding::Rmi:
      return std::floor(v);
    case ptx::Rounding::Rpi:
      return std::ceil(v);
    default:
      return std::rint(v);
  }
}

// Result for a NaN (measured on an H200): 0, but the smallest signed integer of the width if either
// side has 64 bits.
template <class D, class F>
inline constexpr D kIntegerOfNan = sizeof(D) == 8 || sizeof(F) == 8
                                       ? static_cast<D>(std::uint64_t{1} << (8 * sizeof(D) - 1))
                                       : D{0};

// Saturating.
template <class D, class F, ptx::Rounding kMode>
inline D float_to_int(F v) {
  constexpr F kEnd =
      static_cast<F>(2) *
      static_cast<F>(std::uint64_t{1} << (8 * sizeof(D) - (std::is_signed_v<D> ? 2 : 1)));
  constexpr F kLow = std::is_signed_v<D> ? -kEnd : F{0};
  const F r = to_integral<kMode>(v);
  const bool too_high = r >= kEnd;
  const bool too_low = r < kLow;
  const D inside = static_cast<D>(too_high || too_low || std::isnan(r) ? F{0} : r);
  return too_high        ? std::numeric_limits<D>::max()
         : too_low       ? std::numeric_limits<D>::min()
         : std::isnan(r) ? kIntegerOfNan<D, F>
                         : inside;
}

}  // namespace tilestep::simt
