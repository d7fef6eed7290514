// setp, set, testp: comparisons (PTX ISA 9.0, 9.7.6, 9.7.3.1).
//
// A comparison of 32 lanes gives a mask of 32 bits. Vectors are written out here, because the
// compiler does not find the instruction that gathers a vector's sign bits.
#include "simt/exec/compare_semantics.h"
#include "simt/exec/lanes.h"

#include <cstring>
#include <immintrin.h>

TILESTEP_BEGIN_ISA
namespace tilestep::simt::TILESTEP_ISA {
namespace {

using C = ptx::Compare;
using O = ptx::Opcode;
using T = ptx::Type;
using std::int16_t;
using std::int32_t;
using std::int64_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;

// Bit `lane` of the result is lane's sign bit.
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

// set d, a, b{, c}: all ones or 1.0f where it holds.
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
constexpr CompareRow r(C compare) {
  return {compare, {compare_simple<F>, compare_full<F>, compare_set<F>}};
}

template <class S, class U>
constexpr CompareRow kIntegerRows[] = {
    r<equal<U>>(C::Eq),   r<not_equal<U>>(C::Ne),     r<less<S>>(C::Lt), r<less_equal<S>>(C::Le),
    r<greater<S>>(C::Gt), r<greater_equal<S>>(C::Ge), r<less<U>>(C::Lo), r<less_equal<U>>(C::Ls),
    r<greater<U>>(C::Hi), r<greater_equal<U>>(C::Hs),
};

template <class F, bool kFtz>
constexpr CompareRow kFloatRows[] = {
    r<float_eq<F, kFtz>>(C::Eq),   r<float_ne<F, kFtz>>(C::Ne),   r<float_lt<F, kFtz>>(C::Lt),
    r<float_le<F, kFtz>>(C::Le),   r<float_gt<F, kFtz>>(C::Gt),   r<float_ge<F, kFtz>>(C::Ge),
    r<float_equ<F, kFtz>>(C::Equ), r<float_neu<F, kFtz>>(C::Neu), r<float_ltu<F, kFtz>>(C::Ltu),
    r<float_leu<F, kFtz>>(C::Leu), r<float_gtu<F, kFtz>>(C::Gtu), r<float_geu<F, kFtz>>(C::Geu),
    r<float_num<F, kFtz>>(C::Num), r<float_nan<F, kFtz>>(C::Nan),
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

}  // namespace

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

}  // namespace tilestep::simt::TILESTEP_ISA
TILESTEP_END_ISA
