// Comparisons of one lane's operands (PTX ISA 9.0, tables of setp). Ordered float comparisons are
// false where an operand is NaN, unordered ones (…u) true.
#pragma once

#include <cmath>
#include <cstdint>

namespace tilestep::simt {

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
