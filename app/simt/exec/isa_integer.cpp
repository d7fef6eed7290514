// Integer arithmetic of 16 to 64 bits (PTX ISA 9.0, 9.7.1 and 9.7.2).
#include "simt/exec/integer_semantics.h"
#include "simt/exec/lanes.h"

TILESTEP_BEGIN_ISA
namespace tilestep::simt::TILESTEP_ISA {
namespace {

using O = ptx::Opcode;
using M = ptx::Mode;
using T = ptx::Type;
using std::int16_t;
using std::int32_t;
using std::int64_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;

template <auto F>
constexpr ExecutorRow r(O op, T type, M mode = M::None) {
  return {op, type, mode, lanes_of<F>()};
}

template <class V>
std::uint32_t zeros(const Bits<V>* values) {
  std::uint32_t lanes = 0;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    lanes |= from_bits<V>(values[lane]) == 0 ? 1U << lane : 0U;
  }
  return lanes;
}

void report_division_by_zero(Context& c, const Bound* i, std::uint32_t lanes) {
  if (!c.program.module->is_debug) {
    if (c.observer != nullptr) {
      c.observer->on_undefined_quotient(step_info(c, i), lanes);
    }
    return;
  }
  FaultEvent fault;
  fault.kind = FaultKind::DivisionByZero;
  fault.mask = lanes;
  report_fault(c, i, fault);
}

template <auto F, bool kMasked, class V>
const Bound* divide_lanes(Context& c, const Bound* i) {
  if (const std::uint32_t lanes = zeros<V>(row<const Bits<V>>(c, i->in[1])) & c.mask; lanes != 0) {
    report_division_by_zero(c, i, lanes);
  }
  return lanewise<F, kMasked>(c, i);
}

// A quotient or a remainder of two V.
template <auto F, class V>
constexpr ExecutorRow quotient(O op, T type) {
  LaneExecutor executor = lanes_of<F>();
  executor.run = {divide_lanes<F, false, V>, divide_lanes<F, true, V>};
  return {op, type, M::None, executor};
}

// add.s32 and add.u32 are the same operation; signedness matters from mul.hi on.
constexpr ExecutorRow kRows[] = {
    r<add<uint16_t>>(O::Add, T::U16),
    r<add<uint16_t>>(O::Add, T::S16),
    r<add<uint32_t>>(O::Add, T::U32),
    r<add<uint32_t>>(O::Add, T::S32),
    r<add<uint64_t>>(O::Add, T::U64),
    r<add<uint64_t>>(O::Add, T::S64),
    r<sub<uint16_t>>(O::Sub, T::U16),
    r<sub<uint16_t>>(O::Sub, T::S16),
    r<sub<uint32_t>>(O::Sub, T::U32),
    r<sub<uint32_t>>(O::Sub, T::S32),
    r<sub<uint64_t>>(O::Sub, T::U64),
    r<sub<uint64_t>>(O::Sub, T::S64),
    r<mul_lo<uint16_t>>(O::Mul, T::U16, M::Lo),
    r<mul_lo<uint16_t>>(O::Mul, T::S16, M::Lo),
    r<mul_lo<uint32_t>>(O::Mul, T::U32, M::Lo),
    r<mul_lo<uint32_t>>(O::Mul, T::S32, M::Lo),
    r<mul_lo<uint64_t>>(O::Mul, T::U64, M::Lo),
    r<mul_lo<uint64_t>>(O::Mul, T::S64, M::Lo),
    r<mul_hi<uint16_t>>(O::Mul, T::U16, M::Hi),
    r<mul_hi<int16_t>>(O::Mul, T::S16, M::Hi),
    r<mul_hi<uint32_t>>(O::Mul, T::U32, M::Hi),
    r<mul_hi<int32_t>>(O::Mul, T::S32, M::Hi),
    r<mul_hi<uint64_t>>(O::Mul, T::U64, M::Hi),
    r<mul_hi<int64_t>>(O::Mul, T::S64, M::Hi),
    r<mul_wide<uint16_t>>(O::Mul, T::U16, M::Wide),
    r<mul_wide<int16_t>>(O::Mul, T::S16, M::Wide),
    r<mul_wide<uint32_t>>(O::Mul, T::U32, M::Wide),
    r<mul_wide<int32_t>>(O::Mul, T::S32, M::Wide),
    r<mad_lo<uint16_t>>(O::Mad, T::U16, M::Lo),
    r<mad_lo<uint16_t>>(O::Mad, T::S16, M::Lo),
    r<mad_lo<uint32_t>>(O::Mad, T::U32, M::Lo),
    r<mad_lo<uint32_t>>(O::Mad, T::S32, M::Lo),
    r<mad_lo<uint64_t>>(O::Mad, T::U64, M::Lo),
    r<mad_lo<uint64_t>>(O::Mad, T::S64, M::Lo),
    r<mad_hi<uint16_t>>(O::Mad, T::U16, M::Hi),
    r<mad_hi<int16_t>>(O::Mad, T::S16, M::Hi),
    r<mad_hi<uint32_t>>(O::Mad, T::U32, M::Hi),
    r<mad_hi<int32_t>>(O::Mad, T::S32, M::Hi),
    r<mad_hi<uint64_t>>(O::Mad, T::U64, M::Hi),
    r<mad_hi<int64_t>>(O::Mad, T::S64, M::Hi),
    r<mad_wide<uint16_t>>(O::Mad, T::U16, M::Wide),
    r<mad_wide<int16_t>>(O::Mad, T::S16, M::Wide),
    r<mad_wide<uint32_t>>(O::Mad, T::U32, M::Wide),
    r<mad_wide<int32_t>>(O::Mad, T::S32, M::Wide),
    r<mul24_lo<uint32_t>>(O::Mul24, T::U32, M::Lo),
    r<mul24_lo<int32_t>>(O::Mul24, T::S32, M::Lo),
    r<mul24_hi<uint32_t>>(O::Mul24, T::U32, M::Hi),
    r<mul24_hi<int32_t>>(O::Mul24, T::S32, M::Hi),
    r<mad24_lo<uint32_t>>(O::Mad24, T::U32, M::Lo),
    r<mad24_lo<int32_t>>(O::Mad24, T::S32, M::Lo),
    r<mad24_hi<uint32_t>>(O::Mad24, T::U32, M::Hi),
    r<mad24_hi<int32_t>>(O::Mad24, T::S32, M::Hi),
    r<sad<uint16_t>>(O::Sad, T::U16),
    r<sad<int16_t>>(O::Sad, T::S16),
    r<sad<uint32_t>>(O::Sad, T::U32),
    r<sad<int32_t>>(O::Sad, T::S32),
    r<sad<uint64_t>>(O::Sad, T::U64),
    r<sad<int64_t>>(O::Sad, T::S64),
    quotient<divide<uint16_t>, uint16_t>(O::Div, T::U16),
    quotient<divide<int16_t>, int16_t>(O::Div, T::S16),
    quotient<divide<uint32_t>, uint32_t>(O::Div, T::U32),
    quotient<divide<int32_t>, int32_t>(O::Div, T::S32),
    quotient<divide<uint64_t>, uint64_t>(O::Div, T::U64),
    quotient<divide<int64_t>, int64_t>(O::Div, T::S64),
    quotient<remainder<uint16_t>, uint16_t>(O::Rem, T::U16),
    quotient<remainder<int16_t>, int16_t>(O::Rem, T::S16),
    quotient<remainder<uint32_t>, uint32_t>(O::Rem, T::U32),
    quotient<remainder<int32_t>, int32_t>(O::Rem, T::S32),
    quotient<remainder<uint64_t>, uint64_t>(O::Rem, T::U64),
    quotient<remainder<int64_t>, int64_t>(O::Rem, T::S64),
    r<absolute<int16_t>>(O::Abs, T::S16),
    r<absolute<int32_t>>(O::Abs, T::S32),
    r<absolute<int64_t>>(O::Abs, T::S64),
    r<negate<uint16_t>>(O::Neg, T::S16),
    r<negate<uint32_t>>(O::Neg, T::S32),
    r<negate<uint64_t>>(O::Neg, T::S64),
    r<minimum<uint16_t>>(O::Min, T::U16),
    r<minimum<int16_t>>(O::Min, T::S16),
    r<minimum<uint32_t>>(O::Min, T::U32),
    r<minimum<int32_t>>(O::Min, T::S32),
    r<minimum<uint64_t>>(O::Min, T::U64),
    r<minimum<int64_t>>(O::Min, T::S64),
    r<maximum<uint16_t>>(O::Max, T::U16),
    r<maximum<int16_t>>(O::Max, T::S16),
    r<maximum<uint32_t>>(O::Max, T::U32),
    r<maximum<int32_t>>(O::Max, T::S32),
    r<maximum<uint64_t>>(O::Max, T::U64),
    r<maximum<int64_t>>(O::Max, T::S64),
    r<popc<uint32_t>>(O::Popc, T::B32),
    r<popc<uint64_t>>(O::Popc, T::B64),
    r<clz<uint32_t>>(O::Clz, T::B32),
    r<clz<uint64_t>>(O::Clz, T::B64),
    r<bfind<uint32_t>>(O::Bfind, T::U32),
    r<bfind<int32_t>>(O::Bfind, T::S32),
    r<bfind<uint64_t>>(O::Bfind, T::U64),
    r<bfind<int64_t>>(O::Bfind, T::S64),
    r<bfind_shift<uint32_t>>(O::Bfind, T::U32, M::Shiftamt),
    r<bfind_shift<int32_t>>(O::Bfind, T::S32, M::Shiftamt),
    r<bfind_shift<uint64_t>>(O::Bfind, T::U64, M::Shiftamt),
    r<bfind_shift<int64_t>>(O::Bfind, T::S64, M::Shiftamt),
    r<fns>(O::Fns, T::B32),
    r<brev<uint32_t>>(O::Brev, T::B32),
    r<brev<uint64_t>>(O::Brev, T::B64),
    r<bfe<uint32_t>>(O::Bfe, T::U32),
    r<bfe<int32_t>>(O::Bfe, T::S32),
    r<bfe<uint64_t>>(O::Bfe, T::U64),
    r<bfe<int64_t>>(O::Bfe, T::S64),
    r<bfi<uint32_t>>(O::Bfi, T::B32),
    r<bfi<uint64_t>>(O::Bfi, T::B64),
    r<szext<uint32_t, false>>(O::Szext, T::U32),
    r<szext<int32_t, false>>(O::Szext, T::S32),
    r<szext<uint32_t, true>>(O::Szext, T::U32, M::Wrap),
    r<szext<int32_t, true>>(O::Szext, T::S32, M::Wrap),
    r<bmsk<false>>(O::Bmsk, T::B32),
    r<bmsk<true>>(O::Bmsk, T::B32, M::Wrap),
};

struct DotRow {
  O op;
  T a;
  T b;
  M mode;
  LaneExecutor executor;
};

constexpr DotRow kDotRows[] = {
    {O::Dp4a, T::U32, T::U32, M::None, lanes_of<dp4a<uint32_t, uint32_t>>()},
    {O::Dp4a, T::U32, T::S32, M::None, lanes_of<dp4a<uint32_t, int32_t>>()},
    {O::Dp4a, T::S32, T::U32, M::None, lanes_of<dp4a<int32_t, uint32_t>>()},
    {O::Dp4a, T::S32, T::S32, M::None, lanes_of<dp4a<int32_t, int32_t>>()},
    {O::Dp2a, T::U32, T::U32, M::Lo, lanes_of<dp2a<uint32_t, uint32_t, 0>>()},
    {O::Dp2a, T::U32, T::S32, M::Lo, lanes_of<dp2a<uint32_t, int32_t, 0>>()},
    {O::Dp2a, T::S32, T::U32, M::Lo, lanes_of<dp2a<int32_t, uint32_t, 0>>()},
    {O::Dp2a, T::S32, T::S32, M::Lo, lanes_of<dp2a<int32_t, int32_t, 0>>()},
    {O::Dp2a, T::U32, T::U32, M::Hi, lanes_of<dp2a<uint32_t, uint32_t, 2>>()},
    {O::Dp2a, T::U32, T::S32, M::Hi, lanes_of<dp2a<uint32_t, int32_t, 2>>()},
    {O::Dp2a, T::S32, T::U32, M::Hi, lanes_of<dp2a<int32_t, uint32_t, 2>>()},
    {O::Dp2a, T::S32, T::S32, M::Hi, lanes_of<dp2a<int32_t, int32_t, 2>>()},
};

constexpr ExecutorRow kLogicRows[] = {
    r<bit_and<uint16_t>>(O::And, T::B16),
    r<bit_and<uint32_t>>(O::And, T::B32),
    r<bit_and<uint64_t>>(O::And, T::B64),
    r<bit_or<uint16_t>>(O::Or, T::B16),
    r<bit_or<uint32_t>>(O::Or, T::B32),
    r<bit_or<uint64_t>>(O::Or, T::B64),
    r<bit_xor<uint16_t>>(O::Xor, T::B16),
    r<bit_xor<uint32_t>>(O::Xor, T::B32),
    r<bit_xor<uint64_t>>(O::Xor, T::B64),
    r<bit_not<uint16_t>>(O::Not, T::B16),
    r<bit_not<uint32_t>>(O::Not, T::B32),
    r<bit_not<uint64_t>>(O::Not, T::B64),
    r<is_zero<uint16_t>>(O::Cnot, T::B16),
    r<is_zero<uint32_t>>(O::Cnot, T::B32),
    r<is_zero<uint64_t>>(O::Cnot, T::B64),
    r<shift_left<uint16_t>>(O::Shl, T::B16),
    r<shift_left<uint32_t>>(O::Shl, T::B32),
    r<shift_left<uint64_t>>(O::Shl, T::B64),
    r<shift_right<uint16_t>>(O::Shr, T::B16),
    r<shift_right<uint32_t>>(O::Shr, T::B32),
    r<shift_right<uint64_t>>(O::Shr, T::B64),
    r<shift_right<uint16_t>>(O::Shr, T::U16),
    r<shift_right<uint32_t>>(O::Shr, T::U32),
    r<shift_right<uint64_t>>(O::Shr, T::U64),
    r<shift_right<int16_t>>(O::Shr, T::S16),
    r<shift_right<int32_t>>(O::Shr, T::S32),
    r<shift_right<int64_t>>(O::Shr, T::S64),
    r<funnel_left<false>>(O::Shf, T::B32, M::Left),
    r<funnel_left<true>>(O::Shf, T::B32, M::LeftClamp),
    r<funnel_right<false>>(O::Shf, T::B32, M::Right),
    r<funnel_right<true>>(O::Shf, T::B32, M::RightClamp),
    r<permute>(O::Prmt, T::B32),
    r<permute_f4e>(O::Prmt, T::B32, M::F4e),
    r<permute_b4e>(O::Prmt, T::B32, M::B4e),
    r<permute_rc8>(O::Prmt, T::B32, M::Rc8),
    r<permute_ecl>(O::Prmt, T::B32, M::Ecl),
    r<permute_ecr>(O::Prmt, T::B32, M::Ecr),
    r<permute_rc16>(O::Prmt, T::B32, M::Rc16),
};

// Shifts by an immediate: Bound::value is the count, below the width.
template <class B, auto F, bool kMasked>
const Bound* shift_by(Context& c, const Bound* i) {
  B* const d = row<B>(c, i->d);
  const B* const a = row<const B>(c, i->in[0]);
  const auto count = static_cast<uint32_t>(i->value & (8 * sizeof(B) - 1));
  const uint32_t mask = c.mask;
#pragma GCC ivdep
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    put<kMasked>(d + lane, F(a[lane], count), mask, lane);
  }
  return i + 1;
}

template <class B>
inline B left_by(B a, uint32_t count) {
  return a << count;
}
template <class B>
inline B right_by(B a, uint32_t count) {
  return a >> count;
}
template <class B>
inline B arithmetic_right_by(B a, uint32_t count) {
  return static_cast<B>(static_cast<std::make_signed_t<B>>(a) >> count);
}

template <class B, auto F>
constexpr LaneExecutor shifter() {
  return {{shift_by<B, F, false>, shift_by<B, F, true>}, sizeof(B), {sizeof(B)}};
}

// lop3's table is an immediate: all lanes use the same one.
template <bool kMasked>
const Bound* lop3(Context& c, const Bound* i) {
  uint32_t* const d = row<uint32_t>(c, i->d);
  const uint32_t* const a = row<const uint32_t>(c, i->in[0]);
  const uint32_t* const b = row<const uint32_t>(c, i->in[1]);
  const uint32_t* const e = row<const uint32_t>(c, i->in[2]);
  const uint32_t table = *row<const uint32_t>(c, i->in[3]);
  uint32_t terms[8];
  for (unsigned k = 0; k < 8; ++k) {
    terms[k] = (table >> k & 1U) != 0 ? ~0U : 0U;
  }
#pragma GCC ivdep
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const uint32_t x = a[lane];
    const uint32_t y = b[lane];
    const uint32_t z = e[lane];
    const uint32_t value = (~x & ((~y & ((~z & terms[0]) | (z & terms[1]))) |
                                  (y & ((~z & terms[2]) | (z & terms[3]))))) |
                           (x & ((~y & ((~z & terms[4]) | (z & terms[5]))) |
                                 (y & ((~z & terms[6]) | (z & terms[7])))));
    put<kMasked>(d + lane, value, c.mask, lane);
  }
  return i + 1;
}

// selp: in[2] is a predicate; Bound::value inverts it.
template <class B, bool kMasked>
const Bound* select(Context& c, const Bound* i) {
  B* const d = row<B>(c, i->d);
  const B* const a = row<const B>(c, i->in[0]);
  const B* const b = row<const B>(c, i->in[1]);
  const uint32_t p = predicate(c, i->in[2]) ^ static_cast<uint32_t>(i->value);
  const uint32_t mask = c.mask;
#pragma GCC ivdep
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const B value = (p >> lane & 1U) != 0 ? a[lane] : b[lane];
    put<kMasked>(d + lane, value, mask, lane);
  }
  return i + 1;
}

template <class B>
constexpr LaneExecutor selector() {
  return {{select<B, false>, select<B, true>}, sizeof(B), {sizeof(B), sizeof(B), 1}};
}

template <class B>
constexpr LaneExecutor mover() {
  return lanes_of<copy<B>>();
}

template <class B, class S>
constexpr LaneExecutor chooser(bool is_float) {
  return is_float ? lanes_of<choose_float<B>>() : lanes_of<choose<B, S>>();
}

}  // namespace

std::optional<LaneExecutor> find_integer(const ptx::Instruction& i) {
  if ((i.flags & ptx::kCarryOut) != 0) {
    return std::nullopt;
  }
  if ((i.flags & ptx::kSat) != 0) {
    return i.op == O::Add && i.type == T::S32   ? std::optional{lanes_of<add_saturated>()}
           : i.op == O::Sub && i.type == T::S32 ? std::optional{lanes_of<sub_saturated>()}
           : i.op == O::Mad && i.type == T::S32 && i.mode == M::Hi
               ? std::optional{lanes_of<mad_hi_saturated>()}
               : std::nullopt;
  }
  if ((i.flags & ptx::kRelu) != 0) {
    return std::nullopt;
  }
  for (const DotRow& row : kDotRows) {
    if (row.op == i.op && row.a == i.type && row.b == i.source_type && row.mode == i.mode) {
      return row.executor;
    }
  }
  return find_row(kRows, i);
}

// Logic, shifts, selection and moves between registers (PTX ISA 9.0, 9.7.8, 9.7.6, 9.7.9).

std::optional<LaneExecutor> find_shift_by(const ptx::Instruction& i) {
  const bool is_long = ptx::byte_size(i.type) == 8;
  if (ptx::byte_size(i.type) < 4 || (i.op != O::Shl && i.op != O::Shr)) {
    return std::nullopt;
  }
  if (i.op == O::Shl) {
    return is_long ? shifter<uint64_t, left_by<uint64_t>>()
                   : shifter<uint32_t, left_by<uint32_t>>();
  }
  if (i.type == T::S32 || i.type == T::S64) {
    return is_long ? shifter<uint64_t, arithmetic_right_by<uint64_t>>()
                   : shifter<uint32_t, arithmetic_right_by<uint32_t>>();
  }
  return is_long ? shifter<uint64_t, right_by<uint64_t>>()
                 : shifter<uint32_t, right_by<uint32_t>>();
}

std::optional<LaneExecutor> find_logic(const ptx::Instruction& i) {
  const bool is_long = ptx::byte_size(i.type) == 8;
  switch (i.op) {
    case O::Mov:
      return is_long ? mover<uint64_t>() : mover<uint32_t>();
    case O::Selp:
      return is_long ? selector<uint64_t>() : selector<uint32_t>();
    case O::Slct:
      if (i.source_type != T::S32 && i.source_type != T::F32) {
        return std::nullopt;
      }
      return is_long ? chooser<uint64_t, int32_t>(i.source_type == T::F32)
                     : chooser<uint32_t, int32_t>(i.source_type == T::F32);
    case O::Lop3:
      return LaneExecutor{{lop3<false>, lop3<true>}, 4, {4, 4, 4, 4}};
    default:
      return find_row(kLogicRows, i);
  }
}

}  // namespace tilestep::simt::TILESTEP_ISA

TILESTEP_END_ISA
