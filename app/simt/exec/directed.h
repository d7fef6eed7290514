// Directed rounding without the host's rounding mode, which WebAssembly does not have.
#pragma once

#include "ptx/model/instruction.h"
#include "simt/exec/float_semantics.h"

#include <cmath>
#include <limits>

namespace tilestep::simt {

#ifdef __EMSCRIPTEN__
inline constexpr bool kHostRounds = false;
#else
inline constexpr bool kHostRounds = true;
#endif

// At least 113 bits: the product of two doubles is exact.
#if __LDBL_MANT_DIG__ >= 113
using Float128 = long double;
#else
__extension__ typedef __float128 Float128;  // NOLINT: __extension__ needs a typedef
#endif

// An exact result: `near` is one of its two neighbors or equal to it, and `beyond` has the sign of
// the exact result minus `near`.
template <class F>
struct Neighbor {
  F near = 0;
  int beyond = 0;
};

template <class F>
Neighbor<F> neighbor(Float128 value, Float128 error = 0) {
  const F near = static_cast<F>(value);
  const auto difference = [](Float128 a, Float128 b) { return a > b ? 1 : a < b ? -1 : 0; };
  const int beyond = difference(value, static_cast<Float128>(near));
  return {near, beyond != 0 ? beyond : difference(error, 0)};
}

// x + y (Knuth's sum: value and error are exact together).
template <class F>
Neighbor<F> exact_sum(Float128 x, Float128 y) {
  const Float128 sum = x + y;
  const Float128 part = sum - x;
  return neighbor<F>(sum, (x - (sum - part)) + (y - part));
}

template <class F>
F toward(Neighbor<F> result, ptx::Rounding mode) {
  constexpr F kInfinity = std::numeric_limits<F>::infinity();
  const auto [near, beyond] = result;
  switch (mode) {
    case ptx::Rounding::Rp:
      return beyond > 0 ? std::nextafter(near, kInfinity) : near;
    case ptx::Rounding::Rm:
      return beyond < 0 ? std::nextafter(near, -kInfinity) : near;
    default:
      return (std::signbit(near) ? beyond > 0 : beyond < 0) ? std::nextafter(near, F{0}) : near;
  }
}

// The result of an instruction with .rz, .rm or .rp; `in`: its operands; `nearest`: the result that
// is rounded to nearest, which is the result if it is a NaN.
template <class F>
F directed(const ptx::Instruction& i, const F* in, F nearest) {
  using O = ptx::Opcode;
  const bool ftz = (i.flags & ptx::kFtz) != 0;
  const auto operand = [&](int k) { return ftz ? flush(in[k]) : in[k]; };
  const F a = operand(0);
  Neighbor<F> result;
  if (i.op == O::Add || i.op == O::Sub || i.op == O::Fma) {
    const Float128 x =
        i.op == O::Fma ? static_cast<Float128>(a) * operand(1) : static_cast<Float128>(a);
    const F y = i.op == O::Fma ? operand(2) : i.op == O::Sub ? -operand(1) : operand(1);
    result = exact_sum<F>(x, y);
    const bool cancels = result.near == 0 && result.beyond == 0;
    const bool is_negative =
        i.op == O::Fma ? std::signbit(a) != std::signbit(operand(1)) : std::signbit(a);
    if (cancels && i.rounding == ptx::Rounding::Rm && is_negative != std::signbit(y)) {
      result.near = -F{0};
    }
  } else if (i.op == O::Mul) {
    result = neighbor<F>(static_cast<Float128>(a) * operand(1));
  } else if (i.op == O::Sqrt) {
    result.near = std::sqrt(a);
    const Float128 square = static_cast<Float128>(result.near) * result.near;
    result.beyond = square < a ? 1 : square > a ? -1 : 0;
  } else {
    // A quotient of two F that is no F differs from every F by more than Float128's error.
    const F divisor = i.op == O::Rcp ? a : operand(1);
    result = neighbor<F>(static_cast<Float128>(i.op == O::Rcp ? F{1} : a) / divisor);
  }
  if (std::isnan(result.near)) {
    return nearest;
  }
  const F rounded = toward(result, i.rounding);
  const F flushed = ftz ? flush(rounded) : rounded;
  return (i.flags & ptx::kSat) != 0 ? saturate(flushed) : flushed;
}

}  // namespace tilestep::simt
