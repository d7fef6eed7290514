// f32 and f64 arithmetic (PTX ISA 9.0, 9.7.3).
#include "simt/exec/convert_semantics.h"
#include "simt/exec/directed.h"
#include "simt/exec/float_semantics.h"
#include "simt/exec/lanes.h"

#include <cstring>
#include <immintrin.h>

TILESTEP_BEGIN_ISA
namespace tilestep::simt::TILESTEP_ISA {
namespace {

using O = ptx::Opcode;
using T = ptx::Type;
using std::uint32_t;

template <bool kMasked, class R, class... A, std::size_t... I>
void directed_lanes(Context& c, const Bound* i, R (*nearest)(A...), std::index_sequence<I...>) {
  Bits<R>* const d = row<Bits<R>>(c, i->d);
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const R in[] = {from_bits<A>(row<const Bits<A>>(c, i->in[I])[lane])...};
    put<kMasked>(d + lane, to_bits<R>(directed(*i->source, in, nearest(in[I]...))), c.mask, lane);
  }
}
template <bool kMasked, class R, class... A>
void directed_lanes(Context& c, const Bound* i, R (*nearest)(A...)) {
  directed_lanes<kMasked>(c, i, nearest, std::index_sequence_for<A...>{});
}

// Executes under the instruction's rounding mode.
template <auto F, bool kMasked>
const Bound* rounded(Context& c, const Bound* i) {
  if constexpr (kHostRounds) {
    const RoundingMode mode(i->source->rounding);
    for_lanes<F, kMasked>(c, i, F);
  } else {
    directed_lanes<kMasked>(c, i, F);
  }
  return i + 1;
}

// One operation with its modifiers: [flags], to nearest and with directed rounding.
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

using C = ptx::Compare;
using std::int16_t;
using std::int32_t;
using std::int64_t;
using std::uint16_t;
using std::uint64_t;

// Bit `lane` of the result is the lane's sign bit.
[[nodiscard]] inline uint32_t sign_bits(const int32_t* lanes) {
  uint32_t bits = 0;
#if defined(TILESTEP_SIMT_AVX2)
  for (uint32_t group = 0; group < 4; ++group) {
    float v[8];
    std::memcpy(v, lanes + 8 * group, sizeof v);
    bits |= static_cast<uint32_t>(_mm256_movemask_ps(_mm256_loadu_ps(v))) << (8 * group);
  }
#else
  for (uint32_t group = 0; group < 8; ++group) {
    float v[4];
    std::memcpy(v, lanes + 4 * group, sizeof v);
    bits |= static_cast<uint32_t>(_mm_movemask_ps(_mm_loadu_ps(v))) << (4 * group);
  }
#endif
  return bits;
}

template <auto F, class A>
[[nodiscard]] inline uint32_t compare_lanes(Context& c, const Bound* i, bool (*)(A, A)) {
  const Bits<A>* const a = row<const Bits<A>>(c, i->in[0]);
  const Bits<A>* const b = row<const Bits<A>>(c, i->in[1]);
  alignas(32) int32_t holds[kLanes];
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    holds[lane] = F(from_bits<A>(a[lane]), from_bits<A>(b[lane])) ? -1 : 0;
  }
  return sign_bits(holds);
}

inline void put_predicate(Context& c, Slot slot, uint32_t value) {
  uint32_t& to = predicate(c, slot);
  to = (to & ~c.mask) | (value & c.mask);
}

// setp p, a, b. Lanes without a thread never get a bit, so one executor serves both.
template <auto F>
const Bound* compare_simple(Context& c, const Bound* i) {
  put_predicate(c, i->d, compare_lanes<F>(c, i, F));
  return i + 1;
}

[[nodiscard]] inline uint32_t combine(ptx::BoolOp op, uint32_t a, uint32_t b) {
  switch (op) {
    case ptx::BoolOp::And:
      return a & b;
    case ptx::BoolOp::Or:
      return a | b;
    case ptx::BoolOp::Xor:
      return a ^ b;
    default:
      return a;
  }
}

// setp p|q, a, b, {!}c: p = (a cmp b) op c, q = !(a cmp b) op c.
template <auto F>
const Bound* compare_full(Context& c, const Bound* i) {
  const uint32_t holds = compare_lanes<F>(c, i, F);
  uint32_t third = 0;
  if (i->source->bool_op != ptx::BoolOp::None) {
    third = predicate(c, i->in[2]) ^ static_cast<uint32_t>(i->value);
  }
  if (!(i->d == kNoSlot)) {
    put_predicate(c, i->d, combine(i->source->bool_op, holds, third));
  }
  if (!(i->in[3] == kNoSlot)) {
    put_predicate(c, i->in[3], combine(i->source->bool_op, ~holds, third));
  }
  return i + 1;
}

// set d, a, b{, c}: all ones or 1.0f if true.
template <auto F>
const Bound* compare_set(Context& c, const Bound* i) {
  uint32_t holds = compare_lanes<F>(c, i, F);
  if (i->source->bool_op != ptx::BoolOp::None) {
    holds = combine(i->source->bool_op, holds,
                    predicate(c, i->in[2]) ^ static_cast<uint32_t>(i->value));
  }
  uint32_t* const d = row<uint32_t>(c, i->d);
  const uint32_t truth = i->source->type == T::F32 ? 0x3f800000U : ~0U;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const uint32_t value = (holds >> lane & 1U) != 0 ? truth : 0U;
    put<true>(d + lane, value, c.mask, lane);
  }
  return i + 1;
}

struct CompareRow {
  C compare;
  std::array<Executor, 3> run;  // simple setp, full setp, set
};

template <auto F>
constexpr CompareRow compared(C compare) {
  return {compare, {compare_simple<F>, compare_full<F>, compare_set<F>}};
}

template <class S, class U>
constexpr CompareRow kIntegerRows[] = {
    compared<equal<U>>(C::Eq),   compared<not_equal<U>>(C::Ne),
    compared<less<S>>(C::Lt),    compared<less_equal<S>>(C::Le),
    compared<greater<S>>(C::Gt), compared<greater_equal<S>>(C::Ge),
    compared<less<U>>(C::Lo),    compared<less_equal<U>>(C::Ls),
    compared<greater<U>>(C::Hi), compared<greater_equal<U>>(C::Hs),
};

template <class F, bool kFtz>
constexpr CompareRow kFloatRows[] = {
    compared<float_eq<F, kFtz>>(C::Eq),   compared<float_ne<F, kFtz>>(C::Ne),
    compared<float_lt<F, kFtz>>(C::Lt),   compared<float_le<F, kFtz>>(C::Le),
    compared<float_gt<F, kFtz>>(C::Gt),   compared<float_ge<F, kFtz>>(C::Ge),
    compared<float_equ<F, kFtz>>(C::Equ), compared<float_neu<F, kFtz>>(C::Neu),
    compared<float_ltu<F, kFtz>>(C::Ltu), compared<float_leu<F, kFtz>>(C::Leu),
    compared<float_gtu<F, kFtz>>(C::Gtu), compared<float_geu<F, kFtz>>(C::Geu),
    compared<float_num<F, kFtz>>(C::Num), compared<float_nan<F, kFtz>>(C::Nan),
};

template <std::size_t N>
[[nodiscard]] const CompareRow* find_compare(const CompareRow (&rows)[N], C compare) {
  for (const CompareRow& row : rows) {
    if (row.compare == compare) {
      return &row;
    }
  }
  return nullptr;
}

[[nodiscard]] const CompareRow* find_rows(T type, C compare, bool ftz) {
  switch (type) {
    case T::S16:
      return find_compare(kIntegerRows<int16_t, uint16_t>, compare);
    case T::U16:
    case T::B16:
      return find_compare(kIntegerRows<uint16_t, uint16_t>, compare);
    case T::S32:
      return find_compare(kIntegerRows<int32_t, uint32_t>, compare);
    case T::U32:
    case T::B32:
      return find_compare(kIntegerRows<uint32_t, uint32_t>, compare);
    case T::S64:
      return find_compare(kIntegerRows<int64_t, uint64_t>, compare);
    case T::U64:
    case T::B64:
      return find_compare(kIntegerRows<uint64_t, uint64_t>, compare);
    case T::F32:
      return ftz ? find_compare(kFloatRows<float, true>, compare)
                 : find_compare(kFloatRows<float, false>, compare);
    case T::F64:
      return find_compare(kFloatRows<double, false>, compare);
    default:
      return nullptr;
  }
}

using R = ptx::Rounding;

struct ConvertRow {
  T to;
  T from;
  R rounding;
  LaneExecutor executor;
};

template <class D, class S>
constexpr ConvertRow converted(T to, T from, R rounding = R::None) {
  return {to, from, rounding, lanes_of<cast<D, S>>()};
}

template <class D, class F>
constexpr ConvertRow kToInteger[4] = {
    {T::None, T::None, R::Rni, lanes_of<float_to_int<D, F, R::Rni>>()},
    {T::None, T::None, R::Rzi, lanes_of<float_to_int<D, F, R::Rzi>>()},
    {T::None, T::None, R::Rmi, lanes_of<float_to_int<D, F, R::Rmi>>()},
    {T::None, T::None, R::Rpi, lanes_of<float_to_int<D, F, R::Rpi>>()},
};

// A NaN keeps as much of its payload as fits, as on the GPU.
inline float narrow_float(double v) {
  return static_cast<float>(v);
}

constexpr ConvertRow kConversionRows[] = {
    converted<int64_t, int32_t>(T::S64, T::S32),
    converted<int64_t, int32_t>(T::U64, T::S32),
    converted<uint64_t, uint32_t>(T::U64, T::U32),
    converted<uint64_t, uint32_t>(T::S64, T::U32),
    converted<uint32_t, uint64_t>(T::U32, T::U64),
    converted<uint32_t, uint64_t>(T::U32, T::S64),
    converted<uint32_t, uint64_t>(T::S32, T::U64),
    converted<uint32_t, uint64_t>(T::S32, T::S64),
    converted<uint32_t, uint16_t>(T::U32, T::U16),
    converted<uint32_t, uint16_t>(T::S32, T::U16),
    converted<int32_t, int16_t>(T::S32, T::S16),
    converted<uint16_t, uint32_t>(T::U16, T::U32),
    converted<uint16_t, uint32_t>(T::S16, T::S32),
    converted<float, int32_t>(T::F32, T::S32, R::Rn),
    converted<float, uint32_t>(T::F32, T::U32, R::Rn),
    converted<double, int32_t>(T::F64, T::S32, R::Rn),
    converted<double, uint32_t>(T::F64, T::U32, R::Rn),
    converted<double, float>(T::F64, T::F32),
    {T::F32, T::F64, R::Rn, lanes_of<narrow_float>()},
};

[[nodiscard]] const LaneExecutor* find_to_integer(const ptx::Instruction& i) {
  const auto pick = [&](const ConvertRow(&rows)[4]) -> const LaneExecutor* {
    for (const ConvertRow& row : rows) {
      if (row.rounding == i.rounding) {
        return &row.executor;
      }
    }
    return nullptr;
  };
  const bool is_double = i.source_type == T::F64;
  if (!is_double && i.source_type != T::F32) {
    return nullptr;
  }
  switch (i.type) {
    case T::S32:
      return is_double ? pick(kToInteger<int32_t, double>) : pick(kToInteger<int32_t, float>);
    case T::U32:
      return is_double ? pick(kToInteger<uint32_t, double>) : pick(kToInteger<uint32_t, float>);
    case T::S64:
      return is_double ? pick(kToInteger<int64_t, double>) : pick(kToInteger<int64_t, float>);
    case T::U64:
      return is_double ? pick(kToInteger<uint64_t, double>) : pick(kToInteger<uint64_t, float>);
    default:
      return nullptr;
  }
}

// D, S: lane types of the two registers. Bound::value: the destination register's bits.
template <class D, class S>
const Bound* convert_each(Context& c, const Bound* i) {
  D* const d = row<D>(c, i->d);
  const S* const a = row<const S>(c, i->in[0]);
  const S* const b = i->in[1] == kNoSlot ? a : row<const S>(c, i->in[1]);
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    if ((c.mask >> lane & 1U) != 0) {
      const uint64_t value = convert_value(*i->source, a[lane], b[lane]);
      d[lane] = static_cast<D>(value & static_cast<uint64_t>(i->value));
    }
  }
  return i + 1;
}

template <class D, class S>
constexpr LaneExecutor each() {
  return {{convert_each<D, S>, convert_each<D, S>}, sizeof(D), {sizeof(S)}};
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

// setp, set, testp: comparisons (PTX ISA 9.0, 9.7.6, 9.7.3.1).
//
// A comparison of 32 lanes gives a mask of 32 bits. Vectors are explicit here, because the compiler
// does not find the instruction that gathers a vector's sign bits.

std::optional<LaneExecutor> find_compare(const ptx::Instruction& i) {
  const bool is_set = i.op == O::Set;
  if (!is_set && i.op != O::Setp) {
    return std::nullopt;
  }
  if (is_set && i.type != T::F32 && i.type != T::U32 && i.type != T::S32) {
    return std::nullopt;
  }
  const T compared = is_set ? i.source_type : i.type;
  const CompareRow* const row = find_rows(compared, i.compare, (i.flags & ptx::kFtz) != 0);
  if (row == nullptr) {
    return std::nullopt;
  }
  const auto width = static_cast<std::uint8_t>(ptx::byte_size(compared) == 8 ? 8 : 4);
  const bool has_third = i.bool_op != ptx::BoolOp::None;
  const bool is_full = has_third || (i.flags & ptx::kDestPred) != 0;
  const Executor run = row->run[is_set ? 2 : is_full ? 1 : 0];
  const auto third = static_cast<std::uint8_t>(has_third ? 1 : 0);
  return LaneExecutor{{run, run}, static_cast<std::uint8_t>(is_set ? 4 : 1), {width, width, third}};
}

// cvt: the frequent combinations as vector code, all others lane by lane.

std::optional<LaneExecutor> find_convert(const ptx::Instruction& i, bool dest_is_long,
                                         bool source_is_long) {
  const bool dest_fits = dest_is_long == (ptx::byte_size(i.type) == 8);
  const bool source_fits = source_is_long == (ptx::byte_size(i.source_type) == 8);
  if (dest_fits && source_fits && (i.flags & (ptx::kFtz | ptx::kSat | ptx::kRelu)) == 0) {
    if (const LaneExecutor* const found = find_to_integer(i)) {
      return *found;
    }
    for (const ConvertRow& row : kConversionRows) {
      if (row.to == i.type && row.from == i.source_type && row.rounding == i.rounding) {
        return row.executor;
      }
    }
  }
  if (dest_is_long) {
    return source_is_long ? each<uint64_t, uint64_t>() : each<uint64_t, uint32_t>();
  }
  return source_is_long ? each<uint32_t, uint64_t>() : each<uint32_t, uint32_t>();
}

}  // namespace tilestep::simt::TILESTEP_ISA

TILESTEP_END_ISA
