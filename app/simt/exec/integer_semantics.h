// Results of integer instructions, for one lane (PTX ISA 9.0, 9.7.1). No operation traps and none
// has undefined behavior: signed ones are computed modulo 2^n.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace tilestep::simt {

template <class T>
using Unsigned = std::make_unsigned_t<T>;

template <class T>
inline constexpr unsigned kBitsOf = 8 * sizeof(T);

// The type of twice the width.
template <class T>
struct WideOf;
template <>
struct WideOf<std::uint16_t> {
  using Type = std::uint32_t;
};
template <>
struct WideOf<std::int16_t> {
  using Type = std::int32_t;
};
template <>
struct WideOf<std::uint32_t> {
  using Type = std::uint64_t;
};
template <>
struct WideOf<std::int32_t> {
  using Type = std::int64_t;
};
template <class T>
using Wide = typename WideOf<T>::Type;

template <class T>
inline T add(T a, T b) {
  return static_cast<T>(a + b);
}
template <class T>
inline T sub(T a, T b) {
  return static_cast<T>(a - b);
}
template <class T>
inline T mul_lo(T a, T b) {
  return static_cast<T>(std::uint64_t{a} * b);
}
template <>
inline std::uint32_t mul_lo(std::uint32_t a, std::uint32_t b) {
  return a * b;
}
template <class T>
inline Wide<T> mul_wide(T a, T b) {
  return static_cast<Wide<T>>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b));
}
template <class T>
inline T mul_hi(T a, T b) {
  return static_cast<T>(mul_wide(a, b) >> kBitsOf<T>);
}
template <>
inline std::uint64_t mul_hi(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t a_low = a & 0xffffffffU;
  const std::uint64_t b_low = b & 0xffffffffU;
  const std::uint64_t a_high = a >> 32;
  const std::uint64_t b_high = b >> 32;
  const std::uint64_t middle = a_high * b_low + (a_low * b_low >> 32);
  const std::uint64_t carry = (middle & 0xffffffffU) + a_low * b_high;
  return a_high * b_high + (middle >> 32) + (carry >> 32);
}
template <>
inline std::int64_t mul_hi(std::int64_t a, std::int64_t b) {
  const auto ua = static_cast<std::uint64_t>(a);
  const auto ub = static_cast<std::uint64_t>(b);
  return static_cast<std::int64_t>(mul_hi(ua, ub) - (a < 0 ? ub : 0) - (b < 0 ? ua : 0));
}
template <class T>
inline T mad_lo(T a, T b, T c) {
  return static_cast<T>(mul_lo(a, b) + c);
}
template <class T>
inline T mad_hi(T a, T b, T c) {
  return static_cast<T>(static_cast<Unsigned<T>>(mul_hi(a, b)) + static_cast<Unsigned<T>>(c));
}
template <class T>
inline Wide<T> mad_wide(T a, T b, Wide<T> c) {
  using U = Unsigned<Wide<T>>;
  return static_cast<Wide<T>>(static_cast<U>(mul_wide(a, b)) + static_cast<U>(c));
}

// .sat exists for s32 only.
inline std::int32_t saturate_s32(std::int64_t v) {
  const std::int64_t low = std::numeric_limits<std::int32_t>::min();
  const std::int64_t high = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(v < low ? low : v > high ? high : v);
}
inline std::int32_t add_saturated(std::int32_t a, std::int32_t b) {
  return saturate_s32(std::int64_t{a} + b);
}
inline std::int32_t sub_saturated(std::int32_t a, std::int32_t b) {
  return saturate_s32(std::int64_t{a} - b);
}
inline std::int32_t mad_hi_saturated(std::int32_t a, std::int32_t b, std::int32_t c) {
  return saturate_s32(std::int64_t{mul_hi(a, b)} + c);
}

// The low 24 bits of a source, extended by its signedness.
template <class T>
inline std::int64_t low24(T a) {
  if constexpr (std::is_signed_v<T>) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) << 8) >> 8;
  } else {
    return a & 0xffffffU;
  }
}
template <class T>
inline T mul24_lo(T a, T b) {
  return static_cast<T>(low24(a) * low24(b));
}
template <class T>
inline T mul24_hi(T a, T b) {
  return static_cast<T>(low24(a) * low24(b) >> 16);
}
template <class T>
inline T mad24_lo(T a, T b, T c) {
  return static_cast<T>(static_cast<std::uint32_t>(mul24_lo(a, b)) + static_cast<std::uint32_t>(c));
}
template <class T>
inline T mad24_hi(T a, T b, T c) {
  return static_cast<T>(static_cast<std::uint32_t>(mul24_hi(a, b)) + static_cast<std::uint32_t>(c));
}

template <class T>
inline T sad(T a, T b, T c) {
  const auto ua = static_cast<Unsigned<T>>(a);
  const auto ub = static_cast<Unsigned<T>>(b);
  const auto difference = static_cast<Unsigned<T>>(a < b ? ub - ua : ua - ub);
  return static_cast<T>(static_cast<Unsigned<T>>(c) + difference);
}

// Division by zero is "unspecified" in PTX; an H200 and this machine return all ones for the
// quotient and for the remainder. The most negative number divided by -1 is itself.
template <class T>
inline T divide(T a, T b) {
  if constexpr (sizeof(T) == 4) {
    // Exact: a quotient of 32-bit integers differs from the next integer by more than double's
    // rounding. Inactive lanes may hold zeros, which must not trap.
    const double quotient = static_cast<double>(a) / static_cast<double>(b == 0 ? T{1} : b);
    const bool is_large = quotient >= 2147483648.0;  // does not fit in the fast conversion
    const auto q = static_cast<std::uint32_t>(
        static_cast<std::int32_t>(is_large ? quotient - 2147483648.0 : quotient));
    return b == 0 ? static_cast<T>(~T{0}) : static_cast<T>(is_large ? q | 0x80000000U : q);
  } else {
    if (b == 0) {
      return static_cast<T>(~T{0});
    }
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) {
      return static_cast<T>(Unsigned<T>{0} - static_cast<Unsigned<T>>(a));
    }
    return static_cast<T>(a / b);
  }
}
template <class T>
inline T remainder(T a, T b) {
  using U = Unsigned<T>;
  const auto rest = static_cast<T>(
      static_cast<U>(a) - static_cast<U>(static_cast<U>(divide(a, b)) * static_cast<U>(b)));
  return b == 0 ? static_cast<T>(~T{0}) : rest;
}

template <class T>
inline T absolute(T a) {
  return a < 0 ? static_cast<T>(Unsigned<T>{0} - static_cast<Unsigned<T>>(a)) : a;
}
template <class T>
inline T negate(T a) {
  return static_cast<T>(T{0} - a);
}
template <class T>
inline T minimum(T a, T b) {
  return a < b ? a : b;
}
template <class T>
inline T maximum(T a, T b) {
  return a > b ? a : b;
}

template <class T>
inline std::uint32_t popc(T a) {
  return static_cast<std::uint32_t>(std::popcount(a));
}
template <class T>
inline std::uint32_t clz(T a) {
  return static_cast<std::uint32_t>(std::countl_zero(a));
}
// Position of the most significant non-sign bit; 0xffffffff: none.
template <class T>
inline std::uint32_t bfind(T a) {
  const auto bits = static_cast<Unsigned<T>>(a < 0 ? ~a : a);
  return bits == 0 ? ~0U : kBitsOf<T> - 1 - clz(bits);
}
// How far to shift it to the top.
template <class T>
inline std::uint32_t bfind_shift(T a) {
  const std::uint32_t position = bfind(a);
  return position == ~0U ? ~0U : kBitsOf<T> - 1 - position;
}
// Position of the n-th set bit from `base` (n > 0 upward, n < 0 downward, 0: base itself).
inline std::uint32_t fns(std::uint32_t mask, std::uint32_t base, std::int32_t n) {
  if (base > 31) {
    return ~0U;
  }
  if (n == 0) {
    return (mask >> base & 1U) != 0 ? base : ~0U;
  }
  std::int64_t left = n < 0 ? -std::int64_t{n} : n;
  const int direction = n < 0 ? -1 : 1;
  for (int at = static_cast<int>(base); at >= 0 && at < 32; at += direction) {
    if ((mask >> at & 1U) != 0 && --left == 0) {
      return static_cast<std::uint32_t>(at);
    }
  }
  return ~0U;
}
template <class T>
inline T brev(T a) {
  T reversed = 0;
  for (unsigned bit = 0; bit < kBitsOf<T>; ++bit) {
    reversed = static_cast<T>(reversed << 1 | (a >> bit & 1U));
  }
  return reversed;
}

// Bit field [position, position + length), both modulo 256. Signed types are sign-extended from the
// field's top bit or, if the field extends beyond the register, from the register's top bit.
template <class T>
inline T bfe(T a, std::uint32_t position, std::uint32_t length) {
  using U = Unsigned<T>;
  const std::uint32_t top = kBitsOf<T> - 1;
  const std::uint32_t at = position & 0xff;
  const std::uint32_t count = length & 0xff;
  const auto bits = static_cast<U>(a);
  U sign = 0;
  if (std::is_signed_v<T> && count != 0) {
    const std::uint32_t sign_at = at + count - 1 < top ? at + count - 1 : top;
    sign = static_cast<U>(bits >> sign_at & 1U);
  }
  const U fill = sign != 0 ? static_cast<U>(~U{0}) : U{0};
  const U shifted = at > top ? fill : static_cast<U>(bits >> at);
  const std::uint32_t available = at > top ? 0 : top + 1 - at;
  const std::uint32_t kept = count < available ? count : available;
  const U field = kept > top ? static_cast<U>(~U{0}) : static_cast<U>((U{1} << kept) - 1);
  return static_cast<T>((shifted & field) | (fill & static_cast<U>(~field)));
}
// Inserts the low `length` bits of a into b at `position`.
template <class T>
inline T bfi(T a, T b, std::uint32_t position, std::uint32_t length) {
  const std::uint32_t at = position & 0xff;
  const std::uint32_t count = length & 0xff;
  if (at >= kBitsOf<T>) {
    return b;
  }
  const T low = count >= kBitsOf<T> ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << count) - 1);
  const T field = static_cast<T>(low << at);
  return static_cast<T>((a << at & field) | (b & ~field));
}

// Keeps the low `width` bits and extends them. width: modulo 32 under .wrap, otherwise clamped to
// 32.
template <class T, bool kWrap>
inline T szext(T a, std::uint32_t width) {
  const std::uint32_t n = kWrap ? width & 31U : width;
  if (n >= 32) {
    return a;
  }
  if (n == 0) {
    return 0;
  }
  const std::uint32_t up = static_cast<std::uint32_t>(a) << (32 - n);
  return static_cast<T>(static_cast<T>(up) >> (32 - n));
}
// Mask of `length` bits from `position`.
template <bool kWrap>
inline std::uint32_t bmsk(std::uint32_t position, std::uint32_t length) {
  const std::uint32_t at = kWrap ? position & 31U : position;
  const std::uint32_t count = kWrap ? length & 31U : length;
  const std::uint32_t low = count >= 32 ? ~0U : (1U << count) - 1U;
  return at >= 32 ? 0 : low << at;
}

template <class T>
inline std::int64_t byte_of(T a, unsigned index) {
  const std::uint32_t byte = static_cast<std::uint32_t>(a) >> (8 * index) & 0xffU;
  return std::is_signed_v<T> ? static_cast<std::int8_t>(byte) : static_cast<std::int64_t>(byte);
}
template <class T>
inline std::int64_t half_of(T a, unsigned index) {
  const std::uint32_t half = static_cast<std::uint32_t>(a) >> (16 * index) & 0xffffU;
  return std::is_signed_v<T> ? static_cast<std::int16_t>(half) : static_cast<std::int64_t>(half);
}
template <class A, class B>
inline std::uint32_t dp4a(A a, B b, std::uint32_t c) {
  std::uint32_t sum = c;
  for (unsigned k = 0; k < 4; ++k) {
    sum += static_cast<std::uint32_t>(byte_of(a, k) * byte_of(b, k));
  }
  return sum;
}
template <class A, class B, unsigned kFirstByte>
inline std::uint32_t dp2a(A a, B b, std::uint32_t c) {
  return c + static_cast<std::uint32_t>(half_of(a, 0) * byte_of(b, kFirstByte)) +
         static_cast<std::uint32_t>(half_of(a, 1) * byte_of(b, kFirstByte + 1));
}

// Results of logic, shift and selection instructions, for one lane.

template <class T>
inline T bit_and(T a, T b) {
  return static_cast<T>(a & b);
}
template <class T>
inline T bit_or(T a, T b) {
  return static_cast<T>(a | b);
}
template <class T>
inline T bit_xor(T a, T b) {
  return static_cast<T>(a ^ b);
}
template <class T>
inline T bit_not(T a) {
  return static_cast<T>(~a);
}
template <class T>
inline T is_zero(T a) {
  return a == 0 ? T{1} : T{0};
}
template <class T>
inline T copy(T a) {
  return a;
}

// Shift counts are unsigned 32-bit numbers and clamp at the width (PTX ISA 9.0, 9.7.8.7).
template <class T>
inline T shift_left(T a, std::uint32_t count) {
  constexpr std::uint32_t kWidth = 8 * sizeof(T);
  return count >= kWidth ? T{0} : static_cast<T>(a << (count & (kWidth - 1)));
}
template <class T>
inline T shift_right(T a, std::uint32_t count) {
  constexpr std::uint32_t kWidth = 8 * sizeof(T);
  const T beyond = std::is_signed_v<T> && a < 0 ? static_cast<T>(-1) : T{0};
  return count >= kWidth ? beyond : static_cast<T>(a >> (count & (kWidth - 1)));
}

// The high (left) or low (right) word of b:a shifted.
template <bool kClamp>
inline std::uint32_t funnel_left(std::uint32_t a, std::uint32_t b, std::uint32_t count) {
  const std::uint32_t n = kClamp ? (count < 32 ? count : 32U) : count & 31U;
  const std::uint64_t both = std::uint64_t{b} << 32 | a;
  return static_cast<std::uint32_t>(both << n >> 32);
}
template <bool kClamp>
inline std::uint32_t funnel_right(std::uint32_t a, std::uint32_t b, std::uint32_t count) {
  const std::uint32_t n = kClamp ? (count < 32 ? count : 32U) : count & 31U;
  const std::uint64_t both = std::uint64_t{b} << 32 | a;
  return static_cast<std::uint32_t>(both >> n);
}

// Byte `index` of b:a.
inline std::uint32_t pick_byte(std::uint32_t a, std::uint32_t b, std::uint32_t index) {
  const std::uint64_t both = std::uint64_t{b} << 32 | a;
  return static_cast<std::uint32_t>(both >> (8 * (index & 7U))) & 0xffU;
}
// Each nibble of `selector` selects a byte; its top bit selects the byte's sign instead.
inline std::uint32_t permute(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
  std::uint32_t result = 0;
  for (std::uint32_t k = 0; k < 4; ++k) {
    const std::uint32_t nibble = selector >> (4 * k) & 0xfU;
    const std::uint32_t byte = pick_byte(a, b, nibble);
    const std::uint32_t sign = (byte & 0x80U) != 0 ? 0xffU : 0U;
    result |= ((nibble & 8U) != 0 ? sign : byte) << (8 * k);
  }
  return result;
}
inline std::uint32_t pick_bytes(std::uint32_t a, std::uint32_t b, std::uint32_t i0,
                                std::uint32_t i1, std::uint32_t i2, std::uint32_t i3) {
  return pick_byte(a, b, i0) | pick_byte(a, b, i1) << 8 | pick_byte(a, b, i2) << 16 |
         pick_byte(a, b, i3) << 24;
}
// The named modes use the selector's low two bits (PTX ISA 9.0, table of prmt).
inline std::uint32_t permute_f4e(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
  const std::uint32_t n = selector & 3U;
  return pick_bytes(a, b, n, n + 1, n + 2, n + 3);
}
inline std::uint32_t permute_b4e(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
  const std::uint32_t n = selector & 3U;
  return pick_bytes(a, b, n, n + 7, n + 6, n + 5);
}
inline std::uint32_t permute_rc8(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
  const std::uint32_t n = selector & 3U;
  return pick_bytes(a, b, n, n, n, n);
}
inline std::uint32_t permute_ecl(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
  const std::uint32_t n = selector & 3U;
  return pick_bytes(a, b, n > 0 ? n : 0, n > 1 ? n : 1, n > 2 ? n : 2, 3);
}
inline std::uint32_t permute_ecr(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
  const std::uint32_t n = selector & 3U;
  return pick_bytes(a, b, 0, n < 1 ? n : 1, n < 2 ? n : 2, n);
}
inline std::uint32_t permute_rc16(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
  const std::uint32_t n = (selector & 1U) * 2;
  return pick_bytes(a, b, n, n + 1, n, n + 1);
}

// slct: a where c >= 0, otherwise b; NaN chooses b.
template <class T, class S>
inline T choose(T a, T b, S c) {
  return c >= 0 ? a : b;
}
template <class T>
inline T choose_float(T a, T b, float c) {
  return c >= 0.0F ? a : b;
}

}  // namespace tilestep::simt
