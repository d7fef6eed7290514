#include "simt/exec/convert_semantics.h"
#include "simt/exec/executors.h"
#include "simt/exec/float_semantics.h"

#include <bit>
#include <cmath>
#include <limits>

namespace tilestep::simt {
namespace {

using O = ptx::Opcode;
using T = ptx::Type;

constexpr std::uint16_t kHalfNan = 0x7fff;

[[nodiscard]] bool is_half(T type) {
  return type == T::F16 || type == T::F16x2 || type == T::BF16 || type == T::BF16x2;
}
[[nodiscard]] bool is_brain(T type) {
  return type == T::BF16 || type == T::BF16x2;
}
[[nodiscard]] bool is_pair(T type) {
  return type == T::F16x2 || type == T::BF16x2;
}

// x + y rounded to odd: rounding it again to few bits gives the same as rounding the exact sum
// (Boldo, Melquiond 2008). The error of the sum is exact (Knuth's TwoSum).
[[nodiscard]] double sum_to_odd(double x, double y) {
  const double s = x + y;
  const double part = s - x;
  const double error = (x - (s - part)) + (y - part);
  const auto bits = std::bit_cast<std::uint64_t>(s);
  if (!std::isfinite(s) || error == 0.0 || (bits & 1U) != 0) {
    return s;
  }
  const double direction = std::numeric_limits<double>::infinity();
  return std::nextafter(s, error > 0.0 ? direction : -direction);
}

class Half {
 public:
  Half(const ptx::Instruction& i, T type) : i_(i), brain_(is_brain(type)) {}

  [[nodiscard]] std::uint16_t compute(std::uint16_t a, std::uint16_t b, std::uint16_t c) const {
    const double x = value(a);
    const double y = value(b);
    switch (i_.op) {
      case O::Add:
        return result(sum_to_odd(x, y));
      case O::Sub:
        return result(sum_to_odd(x, -y));
      case O::Mul:
        return result(x * y);
      case O::Fma:
        return result(sum_to_odd(x * y, value(c)));
      case O::Neg:
        return std::isnan(x) ? kHalfNan : static_cast<std::uint16_t>(flushed(a) ^ 0x8000U);
      case O::Abs:
        return std::isnan(x) ? kHalfNan : static_cast<std::uint16_t>(flushed(a) & 0x7fffU);
      case O::Min:
      case O::Max:
        return (i_.flags & ptx::kXorSign) != 0 ? extreme_magnitude(a, b) : extreme(a, b);
      case O::Ex2:
        return result(std::exp2(x));
      default:
        return result(std::tanh(x));
    }
  }

  [[nodiscard]] double value(std::uint16_t bits) const {
    const std::uint16_t in = flushed(bits);
    return brain_ ? bfloat_to_double(in) : half_to_double(in);
  }

 private:
  [[nodiscard]] std::uint16_t flushed(std::uint16_t bits) const {
    const std::uint16_t exponent = brain_ ? 0x7f80 : 0x7c00;
    const bool is_small = (bits & exponent) == 0;
    return (i_.flags & ptx::kFtz) != 0 && is_small ? static_cast<std::uint16_t>(bits & 0x8000U)
                                                   : bits;
  }

  [[nodiscard]] std::uint16_t result(double v) const {
    if ((i_.flags & ptx::kSat) != 0) {
      v = v > 0.0 ? (v < 1.0 ? v : 1.0) : 0.0;
    }
    if ((i_.flags & ptx::kRelu) != 0 && v <= 0.0) {
      v = 0.0;
    }
    return flushed(brain_ ? double_to_bfloat(v, ptx::Rounding::Rn)
                          : double_to_half(v, ptx::Rounding::Rn));
  }

  [[nodiscard]] std::uint16_t extreme(std::uint16_t a, std::uint16_t b) const {
    const double x = value(a);
    const double y = value(b);
    const bool is_min = i_.op == O::Min;
    return pick(
        a, b,
        is_min ? x < y || (x == y && std::signbit(x)) : x > y || (x == y && !std::signbit(x)));
  }

  // .xorsign.abs: compares magnitudes; the result has the sign of the product.
  [[nodiscard]] std::uint16_t extreme_magnitude(std::uint16_t a, std::uint16_t b) const {
    const std::uint16_t found =
        extreme(static_cast<std::uint16_t>(a & 0x7fffU), static_cast<std::uint16_t>(b & 0x7fffU));
    return std::isnan(value(found)) ? found
                                    : static_cast<std::uint16_t>(found | ((a ^ b) & 0x8000U));
  }

  [[nodiscard]] std::uint16_t pick(std::uint16_t a, std::uint16_t b, bool first) const {
    const bool a_is_nan = value(a) != value(a);
    const bool b_is_nan = value(b) != value(b);
    if ((a_is_nan && b_is_nan) || ((i_.flags & ptx::kNanResult) != 0 && (a_is_nan || b_is_nan))) {
      return kHalfNan;
    }
    return flushed(a_is_nan ? b : b_is_nan ? a : first ? a : b);
  }

  const ptx::Instruction& i_;
  bool brain_;
};

const Bound* half_lanes(Context& c, const Bound* i) {
  const Half half(*i->source, i->source->type);
  std::uint32_t* const d = row<std::uint32_t>(c, i->d);
  const auto source = [&](std::size_t k, std::uint32_t lane) {
    return i->in[k] == kNoSlot ? 0U : row<const std::uint32_t>(c, i->in[k])[lane];
  };
  for (std::uint32_t left = c.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    const std::uint32_t a = source(0, lane);
    const std::uint32_t b = source(1, lane);
    const std::uint32_t e = source(2, lane);
    const auto part = [&](unsigned shift) {
      return static_cast<std::uint32_t>(half.compute(static_cast<std::uint16_t>(a >> shift),
                                                     static_cast<std::uint16_t>(b >> shift),
                                                     static_cast<std::uint16_t>(e >> shift)));
    };
    d[lane] = is_pair(i->source->type) ? part(0) | part(16) << 16 : part(0);
  }
  return i + 1;
}

[[nodiscard]] bool holds(ptx::Compare compare, double a, double b) {
  switch (compare) {
    case ptx::Compare::Eq:
      return float_eq<double, false>(a, b);
    case ptx::Compare::Ne:
      return float_ne<double, false>(a, b);
    case ptx::Compare::Lt:
      return float_lt<double, false>(a, b);
    case ptx::Compare::Le:
      return float_le<double, false>(a, b);
    case ptx::Compare::Gt:
      return float_gt<double, false>(a, b);
    case ptx::Compare::Ge:
      return float_ge<double, false>(a, b);
    case ptx::Compare::Equ:
      return float_equ<double, false>(a, b);
    case ptx::Compare::Neu:
      return float_neu<double, false>(a, b);
    case ptx::Compare::Ltu:
      return float_ltu<double, false>(a, b);
    case ptx::Compare::Leu:
      return float_leu<double, false>(a, b);
    case ptx::Compare::Gtu:
      return float_gtu<double, false>(a, b);
    case ptx::Compare::Geu:
      return float_geu<double, false>(a, b);
    case ptx::Compare::Num:
      return float_num<double, false>(a, b);
    default:
      return float_nan<double, false>(a, b);
  }
}

// One bit per lane: the result of comparing one half of both operands.
[[nodiscard]] std::uint32_t compare_halves(const Context& c, const Bound* i, const Half& half,
                                           unsigned shift) {
  const auto* const a = row<const std::uint32_t>(c, i->in[0]);
  const auto* const b = row<const std::uint32_t>(c, i->in[1]);
  std::uint32_t result = 0;
  for (std::uint32_t left = c.mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const double x = half.value(static_cast<std::uint16_t>(a[lane] >> shift));
    const double y = half.value(static_cast<std::uint16_t>(b[lane] >> shift));
    result |= holds(i->source->compare, x, y) ? 1U << lane : 0U;
  }
  return result;
}

[[nodiscard]] std::uint32_t combined(const Context& c, const Bound* i, std::uint32_t result) {
  if (i->source->bool_op == ptx::BoolOp::None) {
    return result;
  }
  const std::uint32_t third = predicate(c, i->in[2]) ^ static_cast<std::uint32_t>(i->value);
  switch (i->source->bool_op) {
    case ptx::BoolOp::And:
      return result & third;
    case ptx::BoolOp::Or:
      return result | third;
    default:
      return result ^ third;
  }
}

void put_result(const Context& c, Slot slot, std::uint32_t result) {
  if (!(slot == kNoSlot)) {
    std::uint32_t& to = predicate(c, slot);
    to = (to & ~c.mask) | (result & c.mask);
  }
}

// setp: for a pair, the second predicate belongs to the upper half; otherwise it is the opposite.
const Bound* half_compare(Context& c, const Bound* i) {
  const Half half(*i->source, i->source->type);
  const std::uint32_t low = compare_halves(c, i, half, 0);
  const std::uint32_t second = is_pair(i->source->type) ? compare_halves(c, i, half, 16) : ~low;
  put_result(c, i->d, combined(c, i, low));
  if ((i->source->flags & ptx::kDestPred) != 0) {
    put_result(c, i->in[3], combined(c, i, second));
  }
  return i + 1;
}

// The result of set if the comparison is true.
[[nodiscard]] std::uint32_t truth_of(T type) {
  switch (type) {
    case T::F16:
    case T::F16x2:
      return 0x3c00;
    case T::BF16:
    case T::BF16x2:
      return 0x3f80;
    case T::F32:
      return 0x3f800000;
    case T::U16:
    case T::S16:
      return 0xffff;
    default:
      return 0xffffffff;
  }
}

const Bound* half_set(Context& c, const Bound* i) {
  const Half half(*i->source, i->source->source_type);
  const bool pair = is_pair(i->source->source_type);
  const std::uint32_t low = combined(c, i, compare_halves(c, i, half, 0));
  const std::uint32_t high = pair ? combined(c, i, compare_halves(c, i, half, 16)) : 0;
  const std::uint32_t truth = truth_of(i->source->type) & (pair ? 0xffffU : ~0U);
  auto* const d = row<std::uint32_t>(c, i->d);
  for (std::uint32_t left = c.mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    d[lane] =
        ((low >> lane & 1U) != 0 ? truth : 0U) | ((high >> lane & 1U) != 0 ? truth << 16 : 0U);
  }
  return i + 1;
}

struct HalfRow {
  O op;
  int sources;
};
constexpr HalfRow kRows[] = {{O::Add, 2}, {O::Sub, 2}, {O::Mul, 2}, {O::Fma, 3}, {O::Neg, 1},
                             {O::Abs, 1}, {O::Min, 2}, {O::Max, 2}, {O::Ex2, 1}, {O::Tanh, 1}};

}  // namespace

std::optional<LaneExecutor> find_half(const ptx::Instruction& i) {
  const auto third = static_cast<std::uint8_t>(i.bool_op != ptx::BoolOp::None ? 1 : 0);
  if (i.op == O::Set && is_half(i.source_type)) {
    return LaneExecutor{{half_set, half_set}, 4, {4, 4, third}};
  }
  if (!is_half(i.type)) {
    return std::nullopt;
  }
  if (i.op == O::Setp) {
    return LaneExecutor{{half_compare, half_compare}, 1, {4, 4, third}};
  }
  for (const HalfRow& row : kRows) {
    if (row.op == i.op) {
      const auto width = [&](int k) { return static_cast<std::uint8_t>(k < row.sources ? 4 : 0); };
      return LaneExecutor{{half_lanes, half_lanes}, 4, {width(0), width(1), width(2)}};
    }
  }
  return std::nullopt;
}

}  // namespace tilestep::simt
