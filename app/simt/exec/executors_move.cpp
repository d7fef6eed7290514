#include "simt/exec/executors.h"
#include "simt/exec/integer_semantics.h"

#include <bit>
#include <cmath>

namespace tilestep::simt {
namespace {

using O = ptx::Opcode;

[[nodiscard]] std::uint32_t first_source(const Context& c, const Bound* i) {
  return predicate(c, i->in[0]) ^ static_cast<std::uint32_t>(i->value);
}
[[nodiscard]] std::uint32_t second_source(const Context& c, const Bound* i) {
  return predicate(c, i->in[1]) ^
         static_cast<std::uint32_t>(static_cast<std::uint64_t>(i->value) >> 32);
}

const Bound* put(Context& c, const Bound* i, std::uint32_t value) {
  std::uint32_t& to = predicate(c, i->d);
  to = (to & ~c.mask) | (value & c.mask);
  return i + 1;
}

template <class T>
const Bound* pack(Context& c, const Bound* i) {
  T* const d = row<T>(c, i->d);
  const std::vector<Slot>& parts = i->detail->slots;
  const auto bits = static_cast<unsigned>(i->value);
  for_each_lane(c.mask, [&](std::uint32_t lane) {
    std::uint64_t value = 0;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      value |= std::uint64_t{row<const std::uint32_t>(c, parts[k])[lane]} << (bits * k);
    }
    d[lane] = static_cast<T>(value);
  });
  return i + 1;
}

template <class T>
const Bound* unpack(Context& c, const Bound* i) {
  const T* const a = row<const T>(c, i->in[0]);
  const std::vector<Slot>& parts = i->detail->slots;
  const auto bits = static_cast<unsigned>(i->value);
  const std::uint64_t low = (std::uint64_t{1} << bits) - 1;
  for_each_lane(c.mask, [&](std::uint32_t lane) {
    const std::uint64_t value = a[lane];
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (!(parts[k] == kNoSlot)) {
        row<std::uint32_t>(c, parts[k])[lane] =
            static_cast<std::uint32_t>(value >> (bits * k) & low);
      }
    }
  });
  return i + 1;
}

[[nodiscard]] bool lies_in(const Context& c, ptx::Space space, std::uint64_t address) {
  const std::uint64_t high = address >> 32;
  const std::uint64_t number = high - (kGlobalWindow >> 32);
  switch (space) {
    case ptx::Space::Shared:
      return high == kSharedWindow >> 32;
    case ptx::Space::Local:
      return high == kLocalWindow >> 32;
    case ptx::Space::Param:
      return high == kParamWindow >> 32;
    case ptx::Space::Const:
      return number < c.window_count && c.windows[number].read_only;
    default:
      return number < c.window_count && !c.windows[number].read_only;
  }
}

template <class F>
[[nodiscard]] bool float_test(ptx::Mode mode, F v) {
  switch (mode) {
    case ptx::Mode::Finite:
      return std::isfinite(v);
    case ptx::Mode::Infinite:
      return std::isinf(v);
    case ptx::Mode::Number:
      return !std::isnan(v);
    case ptx::Mode::NotANumber:
      return std::isnan(v);
    case ptx::Mode::Normal:
      return std::isnormal(v) || v == F{0};
    default:
      return std::fpclassify(v) == FP_SUBNORMAL;
  }
}

// A sum with carry in and out; subtraction adds the complement with the carry inverted.
template <class T>
struct Sum {
  T value;
  bool carry;
};
template <class T>
[[nodiscard]] Sum<T> add_with_carry(T a, T b, bool carry_in) {
  const T partial = static_cast<T>(a + b);
  const T value = static_cast<T>(partial + (carry_in ? 1 : 0));
  return {value, partial < a || value < partial};
}

template <class T>
[[nodiscard]] T product(const ptx::Instruction& i, T a, T b) {
  if (i.mode != ptx::Mode::Hi) {
    return mul_lo(a, b);
  }
  using Signed = std::make_signed_t<T>;
  const bool is_signed = i.type == ptx::Type::S32 || i.type == ptx::Type::S64;
  return is_signed ? static_cast<T>(mul_hi(static_cast<Signed>(a), static_cast<Signed>(b)))
                   : mul_hi(a, b);
}

template <class T>
void carry_lanes(Context& c, const Bound* i) {
  const ptx::Instruction& source = *i->source;
  const bool is_mad = source.op == O::Mad || source.op == O::MadC;
  const bool is_sub = source.op == O::Sub || source.op == O::SubC;
  const bool takes_carry = source.op == O::AddC || source.op == O::SubC || source.op == O::MadC;
  T* const d = row<T>(c, i->d);
  const T* const a = row<const T>(c, i->in[0]);
  const T* const b = row<const T>(c, i->in[1]);
  const T* const third = is_mad ? row<const T>(c, i->in[2]) : nullptr;
  for_each_lane(c.mask, [&](std::uint32_t lane) {
    const bool carry = (c.warp.carry >> lane & 1U) != 0;
    const T left = is_mad ? product(source, a[lane], b[lane]) : a[lane];
    const T right = is_mad ? third[lane] : is_sub ? static_cast<T>(~b[lane]) : b[lane];
    const bool carry_in = is_sub ? !(takes_carry && carry) : takes_carry && carry;
    const Sum<T> sum = add_with_carry(left, right, carry_in);
    d[lane] = sum.value;
    if ((source.flags & ptx::kCarryOut) != 0) {
      const bool out = is_sub ? !sum.carry : sum.carry;  // for a subtraction: the borrow
      c.warp.carry = (c.warp.carry & ~(1U << lane)) | (out ? 1U << lane : 0U);
    }
  });
}

}  // namespace

const Bound* predicate_and(Context& c, const Bound* i) {
  return put(c, i, first_source(c, i) & second_source(c, i));
}
const Bound* predicate_or(Context& c, const Bound* i) {
  return put(c, i, first_source(c, i) | second_source(c, i));
}
const Bound* predicate_xor(Context& c, const Bound* i) {
  return put(c, i, first_source(c, i) ^ second_source(c, i));
}
const Bound* predicate_move(Context& c, const Bound* i) {
  return put(c, i, first_source(c, i));
}

const Bound* pack_word(Context& c, const Bound* i) {
  return pack<std::uint32_t>(c, i);
}
const Bound* pack_long(Context& c, const Bound* i) {
  return pack<std::uint64_t>(c, i);
}
const Bound* unpack_word(Context& c, const Bound* i) {
  return unpack<std::uint32_t>(c, i);
}
const Bound* unpack_long(Context& c, const Bound* i) {
  return unpack<std::uint64_t>(c, i);
}

const Bound* is_space(Context& c, const Bound* i) {
  const auto* const a = row<const std::uint64_t>(c, i->in[0]);
  std::uint32_t holds = 0;
  for_each_lane(c.mask, [&](std::uint32_t lane) {
    holds |= lies_in(c, i->source->space, a[lane]) ? 1U << lane : 0U;
  });
  return put(c, i, holds);
}

const Bound* test_float(Context& c, const Bound* i) {
  std::uint32_t holds = 0;
  for_each_lane(c.mask, [&](std::uint32_t lane) {
    const bool result =
        i->source->type == ptx::Type::F64
            ? float_test(i->source->mode,
                         std::bit_cast<double>(row<const std::uint64_t>(c, i->in[0])[lane]))
            : float_test(i->source->mode,
                         std::bit_cast<float>(row<const std::uint32_t>(c, i->in[0])[lane]));
    holds |= result ? 1U << lane : 0U;
  });
  return put(c, i, holds);
}

const Bound* carry_arithmetic(Context& c, const Bound* i) {
  if (ptx::byte_size(i->source->type) == 8) {
    carry_lanes<std::uint64_t>(c, i);
  } else {
    carry_lanes<std::uint32_t>(c, i);
  }
  return i + 1;
}

// vabsdiff4 (PTX ISA 9.0, 9.7.16): four differences of bytes, or their sum and c.
const Bound* byte_differences(Context& c, const Bound* i) {
  const auto* const a = row<const std::uint32_t>(c, i->in[0]);
  const auto* const b = row<const std::uint32_t>(c, i->in[1]);
  const auto* const addend = row<const std::uint32_t>(c, i->in[2]);
  auto* const d = row<std::uint32_t>(c, i->d);
  const bool has_signs = i->source->source_type == ptx::Type::S32;
  const bool saturates = (i->source->flags & ptx::kSat) != 0 && i->source->type == ptx::Type::S32;
  const auto byte = [has_signs](std::uint32_t word, int k) {
    const auto bits = static_cast<std::uint8_t>(word >> (8 * k));
    return has_signs ? int{static_cast<std::int8_t>(bits)} : int{bits};
  };
  for (std::uint32_t left = c.mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    std::uint32_t side_by_side = 0;
    std::uint32_t sum = addend[lane];
    for (int k = 0; k < 4; ++k) {
      const int difference = byte(a[lane], k) - byte(b[lane], k);
      const int magnitude = difference < 0 ? -difference : difference;
      const auto kept = static_cast<std::uint32_t>(saturates && magnitude > 127 ? 127 : magnitude);
      side_by_side |= (kept & 0xffU) << (8 * k);
      sum += static_cast<std::uint32_t>(magnitude);
    }
    d[lane] = (i->source->flags & ptx::kAccumulate) != 0 ? sum : side_by_side;
  }
  return i + 1;
}

}  // namespace tilestep::simt
