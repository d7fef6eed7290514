// Logic, shifts, selection and moves between registers (PTX ISA 9.0, 9.7.8, 9.7.6, 9.7.9).
#include "simt/exec/lanes.h"
#include "simt/exec/logic_semantics.h"

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

constexpr ExecutorRow kRows[] = {
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
      return find_row(kRows, i);
  }
}

}  // namespace tilestep::simt::TILESTEP_ISA
TILESTEP_END_ISA
