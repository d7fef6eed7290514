// f32 and f64 arithmetic (PTX ISA 9.0, 9.7.3).
#include "simt/exec/float_semantics.h"
#include "simt/exec/lanes.h"
#include "simt/exec/rounding_mode.h"

TILESTEP_BEGIN_ISA
namespace tilestep::simt::TILESTEP_ISA {
namespace {

using O = ptx::Opcode;
using T = ptx::Type;

// Under the rounding mode that the instruction asks for.
template <auto F, bool kMasked>
const Bound* rounded(Context& c, const Bound* i) {
  const RoundingMode mode(i->source->rounding);
  for_lanes<F, kMasked>(c, i, F);
  return i + 1;
}

// One operation with its modifiers: [flags], to nearest and as asked.
struct FloatRow {
  O op;
  T type;
  std::array<LaneExecutor, 4> nearest;   // by kFlush | kSaturate
  std::array<LaneExecutor, 4> directed;  // no executor: rounding makes no difference
};

template <auto F>
constexpr LaneExecutor directed_of() {
  LaneExecutor executor = widths_of(F);
  executor.run = {rounded<F, false>, rounded<F, true>};
  return executor;
}

template <auto... F>
constexpr FloatRow r(O op, T type) {
  return {op, type, {lanes_of<F>()...}, {directed_of<F>()...}};
}
template <auto... F>
constexpr FloatRow exact(O op, T type) {
  return {op, type, {lanes_of<F>()...}, {}};
}

// clang-format off
constexpr FloatRow kRows[] = {
    r<float_add<float, 0>, float_add<float, 1>, float_add<float, 2>, float_add<float, 3>>(O::Add, T::F32),
    r<float_sub<float, 0>, float_sub<float, 1>, float_sub<float, 2>, float_sub<float, 3>>(O::Sub, T::F32),
    r<float_mul<float, 0>, float_mul<float, 1>, float_mul<float, 2>, float_mul<float, 3>>(O::Mul, T::F32),
    r<float_fma<float, 0>, float_fma<float, 1>, float_fma<float, 2>, float_fma<float, 3>>(O::Fma, T::F32),
    r<float_div<float, 0>, float_div<float, 1>>(O::Div, T::F32),
    r<float_rcp<float, 0>, float_rcp<float, 1>>(O::Rcp, T::F32),
    r<float_sqrt<float, 0>, float_sqrt<float, 1>>(O::Sqrt, T::F32),
    r<float_add<double, 0>>(O::Add, T::F64),
    r<float_sub<double, 0>>(O::Sub, T::F64),
    r<float_mul<double, 0>>(O::Mul, T::F64),
    r<float_fma<double, 0>>(O::Fma, T::F64),
    r<float_div<double, 0>>(O::Div, T::F64),
    r<float_rcp<double, 0>, float_rcp<double, 0>>(O::Rcp, T::F64),
    r<float_sqrt<double, 0>>(O::Sqrt, T::F64),
    exact<float_abs<float, 0>, float_abs<float, 1>>(O::Abs, T::F32),
    exact<float_neg<float, 0>, float_neg<float, 1>>(O::Neg, T::F32),
    exact<float_abs<double, 0>>(O::Abs, T::F64),
    exact<float_neg<double, 0>>(O::Neg, T::F64),
    exact<float_min<float, 0>, float_min<float, 1>>(O::Min, T::F32),
    exact<float_max<float, 0>, float_max<float, 1>>(O::Max, T::F32),
    exact<float_min<double, 0>>(O::Min, T::F64),
    exact<float_max<double, 0>>(O::Max, T::F64),
    exact<float_copysign<float>>(O::Copysign, T::F32),
    exact<float_copysign<double>>(O::Copysign, T::F64),
    exact<float_function<reciprocal_root, 0>, float_function<reciprocal_root, 1>>(O::Rsqrt, T::F32),
    exact<float_function<sine, 0>, float_function<sine, 1>>(O::Sin, T::F32),
    exact<float_function<cosine, 0>, float_function<cosine, 1>>(O::Cos, T::F32),
    exact<float_function<log2_of, 0>, float_function<log2_of, 1>>(O::Lg2, T::F32),
    exact<float_function<exp2_of, 0>, float_function<exp2_of, 1>>(O::Ex2, T::F32),
    exact<float_function<tanh_of, 0>>(O::Tanh, T::F32),
    exact<double_function<reciprocal_root>, double_function<reciprocal_root>>(O::Rsqrt, T::F64),
};
constexpr FloatRow kApproximateRows[] = {
    exact<float_div_approx<0>, float_div_approx<1>>(O::Div, T::F32),
};
constexpr FloatRow kNanRows[] = {
    exact<float_min_nan<float, 0>, float_min_nan<float, 1>>(O::Min, T::F32),
    exact<float_max_nan<float, 0>, float_max_nan<float, 1>>(O::Max, T::F32),
};
// clang-format on

template <std::size_t N>
[[nodiscard]] std::optional<LaneExecutor> pick(const FloatRow (&rows)[N],
                                               const ptx::Instruction& i) {
  const unsigned flags =
      ((i.flags & ptx::kFtz) != 0 ? kFlush : 0U) | ((i.flags & ptx::kSat) != 0 ? kSaturate : 0U);
  const bool is_directed = i.rounding == ptx::Rounding::Rz || i.rounding == ptx::Rounding::Rm ||
                           i.rounding == ptx::Rounding::Rp;
  for (const FloatRow& row : rows) {
    if (row.op != i.op || row.type != i.type) {
      continue;
    }
    const LaneExecutor& executor = is_directed ? row.directed[flags] : row.nearest[flags];
    return executor.run[0] == nullptr ? std::nullopt : std::optional{executor};
  }
  return std::nullopt;
}

}  // namespace

std::array<std::array<LaneExecutor, 3>, 2> find_contracted() {
  return {{{lanes_of<float_fma<float, 0>>(), lanes_of<product_minus<float>>(),
            lanes_of<minus_product<float>>()},
           {lanes_of<float_fma<double, 0>>(), lanes_of<product_minus<double>>(),
            lanes_of<minus_product<double>>()}}};
}

std::optional<LaneExecutor> find_floating(const ptx::Instruction& i) {
  constexpr unsigned kUnsupported = ptx::kRelu | ptx::kXorSign | ptx::kAbsolute;
  if ((i.flags & kUnsupported) != 0) {
    return std::nullopt;
  }
  if (i.op == ptx::Opcode::Div && i.rounding == ptx::Rounding::Approx) {
    return pick(kApproximateRows, i);
  }
  return (i.flags & ptx::kNanResult) != 0 ? pick(kNanRows, i) : pick(kRows, i);
}

}  // namespace tilestep::simt::TILESTEP_ISA
TILESTEP_END_ISA
