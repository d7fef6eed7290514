// Results of binary32 and binary64 instructions, for one lane (PTX ISA 9.0, 9.7.3).
//
// The host computes in IEEE 754; this file adds what PTX defines on top: canonical NaN for f32,
// .ftz, .sat, and min/max that prefer numbers. The f64 NaN that is passed on, of several, was
// measured on an H200 (tests/gpu/instructions_test.cpp). Directed rounding is the host's rounding
// mode, set around the loop over lanes (isa_float.cpp). Approximate instructions are computed in
// double and rounded once.
#pragma once

#include "ptx/model/instruction.h"

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace tilestep::simt {

// The host's rounding mode during an instruction with directed rounding.

[[nodiscard]] inline int host_mode(ptx::Rounding rounding) {
  switch (rounding) {
    case ptx::Rounding::Rz:
    case ptx::Rounding::Rzi:
      return FE_TOWARDZERO;
    case ptx::Rounding::Rm:
    case ptx::Rounding::Rmi:
      return FE_DOWNWARD;
    case ptx::Rounding::Rp:
    case ptx::Rounding::Rpi:
      return FE_UPWARD;
    default:
      return FE_TONEAREST;
  }
}

// The calls are opaque to the compiler and the lanes are memory, so no operation on them can move
// out of the scope. Operands inside must be lanes, not constants.
class RoundingMode {
 public:
  explicit RoundingMode(ptx::Rounding rounding) : before_(std::fegetround()) {
    std::fesetround(host_mode(rounding));
  }
  ~RoundingMode() { std::fesetround(before_); }
  RoundingMode(const RoundingMode&) = delete;
  RoundingMode& operator=(const RoundingMode&) = delete;
  RoundingMode(RoundingMode&&) = delete;
  RoundingMode& operator=(RoundingMode&&) = delete;

 private:
  int before_;
};

// Results of f32 instructions carry no NaN payload.
inline constexpr std::uint32_t kCanonicalNan = 0x7fffffffU;

inline float canonical(float v) {
  return std::isnan(v) ? std::bit_cast<float>(kCanonicalNan) : v;
}
inline double canonical(double v) {
  return v;
}

// A NaN as an f64 instruction passes it on: quiet, with its payload.
inline double quiet(double nan) {
  constexpr std::uint64_t kQuiet = 0x0008000000000000ULL;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(nan) | kQuiet);
}

inline float flush(float v) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(v);
  const bool is_small = (bits & 0x7f800000U) == 0;
  return std::bit_cast<float>(is_small ? bits & 0x80000000U : bits);
}
inline double flush(double v) {
  return v;
}

// Clamps to [0, 1]; NaN gives +0.
template <class F>
inline F saturate(F v) {
  const F low = v > F{0} ? v : F{0};
  return low < F{1} ? low : F{1};
}

// Modifiers of an instruction as a template argument.
inline constexpr unsigned kPlain = 0;
inline constexpr unsigned kFlush = 1;
inline constexpr unsigned kSaturate = 2;

template <unsigned kFlags, class F>
inline F in(F v) {
  return (kFlags & kFlush) != 0 ? flush(v) : v;
}
template <unsigned kFlags, class F>
inline F out(F v) {
  const F flushed = (kFlags & kFlush) != 0 ? flush(v) : v;
  return (kFlags & kSaturate) != 0 ? saturate(flushed) : canonical(flushed);
}

template <class F, unsigned kFlags>
inline F float_add(F a, F b) {
  return out<kFlags>(in<kFlags>(a) + in<kFlags>(b));
}
template <class F, unsigned kFlags>
inline F float_sub(F a, F b) {
  if constexpr (std::is_same_v<F, double>) {
    return std::isnan(b) ? quiet(b) : a - b;
  }
  return out<kFlags>(in<kFlags>(a) - in<kFlags>(b));
}
template <class F, unsigned kFlags>
inline F float_mul(F a, F b) {
  return out<kFlags>(in<kFlags>(a) * in<kFlags>(b));
}
template <class F, unsigned kFlags>
inline F float_div(F a, F b) {
  return out<kFlags>(in<kFlags>(a) / in<kFlags>(b));
}
template <class F, unsigned kFlags>
inline F float_fma(F a, F b, F c) {
  if constexpr (std::is_same_v<F, double>) {
    return std::isnan(b) ? quiet(b) : std::isnan(c) ? quiet(c) : std::fma(a, b, c);
  }
  return out<kFlags>(std::fma(in<kFlags>(a), in<kFlags>(b), in<kFlags>(c)));
}
template <class F>
inline F opposite(F v) {
  return std::isnan(v) ? v : -v;
}
template <class F>
inline F product_minus(F a, F b, F c) {
  return float_fma<F, 0>(a, b, opposite(c));
}
template <class F>
inline F minus_product(F a, F b, F c) {
  return float_fma<F, 0>(opposite(a), b, c);
}
// div.approx: a × (1/b), with 0 as the reciprocal of a very large b.
template <unsigned kFlags>
inline float float_div_approx(float a, float b) {
  const float divisor = in<kFlags>(b);
  const float magnitude = std::fabs(divisor);
  const bool vanishes = magnitude > 0x1p126F && magnitude <= std::numeric_limits<float>::max();
  const float dividend = in<kFlags>(a);
  return out<kFlags>(vanishes ? dividend * std::copysign(0.0F, divisor) : dividend / divisor);
}
template <class F, unsigned kFlags>
inline F float_rcp(F a) {
  return out<kFlags>(F{1} / in<kFlags>(a));
}
template <class F, unsigned kFlags>
inline F float_sqrt(F a) {
  return out<kFlags>(std::sqrt(in<kFlags>(a)));
}

// f32: a NaN becomes the canonical one. f64: it keeps sign and payload.
template <class F, unsigned kFlags>
inline F float_abs(F a) {
  if constexpr (std::is_same_v<F, double>) {
    return std::isnan(a) ? quiet(a) : std::fabs(a);
  }
  return out<kFlags>(std::fabs(in<kFlags>(a)));
}
template <class F, unsigned kFlags>
inline F float_neg(F a) {
  if constexpr (std::is_same_v<F, double>) {
    return std::isnan(a) ? quiet(a) : -a;
  }
  return out<kFlags>(-in<kFlags>(a));
}

// The second of two operands if the first is a NaN.
inline float handed_on(float b) {
  return b;
}
inline double handed_on(double b) {
  return std::isnan(b) ? quiet(b) : b;
}

// The number if only one operand is NaN; -0 is less than +0.
template <class F, unsigned kFlags>
inline F float_min(F a, F b) {
  const F x = in<kFlags>(a);
  const F y = in<kFlags>(b);
  const F lower = x < y || (x == y && std::signbit(x)) ? x : y;
  return out<kFlags>(std::isnan(x) ? handed_on(y) : std::isnan(y) ? x : lower);
}
template <class F, unsigned kFlags>
inline F float_max(F a, F b) {
  const F x = in<kFlags>(a);
  const F y = in<kFlags>(b);
  const F upper = x > y || (x == y && !std::signbit(x)) ? x : y;
  return out<kFlags>(std::isnan(x) ? handed_on(y) : std::isnan(y) ? x : upper);
}
// .NaN: NaN if any operand is.
template <class F, unsigned kFlags>
inline F float_min_nan(F a, F b) {
  return std::isnan(a) || std::isnan(b) ? out<kFlags>(std::numeric_limits<F>::quiet_NaN())
                                        : float_min<F, kFlags>(a, b);
}
template <class F, unsigned kFlags>
inline F float_max_nan(F a, F b) {
  return std::isnan(a) || std::isnan(b) ? out<kFlags>(std::numeric_limits<F>::quiet_NaN())
                                        : float_max<F, kFlags>(a, b);
}

// b with the sign of a.
template <class F>
inline F float_copysign(F a, F b) {
  return std::copysign(b, a);
}

// Approximate instructions: correctly rounded, so inside the manual's bounds.
template <double (*kFunction)(double), unsigned kFlags>
inline float float_function(float a) {
  return out<kFlags>(static_cast<float>(kFunction(static_cast<double>(in<kFlags>(a)))));
}
inline double reciprocal_root(double a) {
  return 1.0 / std::sqrt(a);
}
inline double sine(double a) {
  return std::sin(a);
}
inline double cosine(double a) {
  return std::cos(a);
}
inline double log2_of(double a) {
  return std::log2(a);
}
inline double exp2_of(double a) {
  return std::exp2(a);
}
inline double tanh_of(double a) {
  return std::tanh(a);
}
// rcp.approx.ftz.f64, rsqrt.approx.f64: the exact value; the manual promises only the high word.
template <double (*kFunction)(double)>
inline double double_function(double a) {
  return kFunction(a);
}

// Comparisons of one lane's operands (PTX ISA 9.0, tables of setp). Ordered float comparisons are
// false if an operand is NaN, unordered ones (…u) true.

template <class T>
inline bool equal(T a, T b) {
  return a == b;
}
template <class T>
inline bool not_equal(T a, T b) {
  return a != b;
}
template <class T>
inline bool less(T a, T b) {
  return a < b;
}
template <class T>
inline bool less_equal(T a, T b) {
  return a <= b;
}
template <class T>
inline bool greater(T a, T b) {
  return a > b;
}
template <class T>
inline bool greater_equal(T a, T b) {
  return a >= b;
}

// .ftz: a subnormal operand counts as zero.
template <class F, bool kFtz>
inline F operand(F a) {
  constexpr F kSmallest = static_cast<F>(1.17549435082228750797e-38);
  return kFtz && a > -kSmallest && a < kSmallest ? F{0} : a;
}

template <class F, bool kFtz>
inline bool float_eq(F a, F b) {
  return operand<F, kFtz>(a) == operand<F, kFtz>(b);
}
template <class F, bool kFtz>
inline bool float_lt(F a, F b) {
  return operand<F, kFtz>(a) < operand<F, kFtz>(b);
}
template <class F, bool kFtz>
inline bool float_le(F a, F b) {
  return operand<F, kFtz>(a) <= operand<F, kFtz>(b);
}
template <class F, bool kFtz>
inline bool float_gt(F a, F b) {
  return float_lt<F, kFtz>(b, a);
}
template <class F, bool kFtz>
inline bool float_ge(F a, F b) {
  return float_le<F, kFtz>(b, a);
}
template <class F, bool kFtz>
inline bool float_nan(F a, F b) {
  return std::isnan(a) || std::isnan(b);
}
template <class F, bool kFtz>
inline bool float_num(F a, F b) {
  return !float_nan<F, kFtz>(a, b);
}
template <class F, bool kFtz>
inline bool float_ne(F a, F b) {
  return !float_eq<F, kFtz>(a, b) && float_num<F, kFtz>(a, b);
}
template <class F, bool kFtz>
inline bool float_equ(F a, F b) {
  return float_eq<F, kFtz>(a, b) || float_nan<F, kFtz>(a, b);
}
template <class F, bool kFtz>
inline bool float_neu(F a, F b) {
  return !float_eq<F, kFtz>(a, b);
}
template <class F, bool kFtz>
inline bool float_ltu(F a, F b) {
  return !float_ge<F, kFtz>(a, b);
}
template <class F, bool kFtz>
inline bool float_leu(F a, F b) {
  return !float_gt<F, kFtz>(a, b);
}
template <class F, bool kFtz>
inline bool float_gtu(F a, F b) {
  return !float_le<F, kFtz>(a, b);
}
template <class F, bool kFtz>
inline bool float_geu(F a, F b) {
  return !float_lt<F, kFtz>(a, b);
}

}  // namespace tilestep::simt
