// What logic, shift and selection instructions compute, for one lane.
#pragma once

#include <cstdint>
#include <type_traits>

namespace tilestep::simt {

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
// Each nibble of `selector` names a byte; its top bit asks for the byte's sign instead.
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
