#include "simt/exec/tf32_sum.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdlib>

namespace tilestep::simt {
namespace {

using Kind = FloatParts::Kind;

constexpr std::uint32_t kInfinityBits = 0x7f800000;
constexpr std::uint32_t kTensorNaN = 0x7fffffff;
constexpr std::uint32_t kSignBit = 0x80000000;
constexpr int kLeast = -149;    // exponent of the last bit of a subnormal
constexpr int kExtraBits = 25;  // bits kept below the largest exponent: two more than a float's 23
constexpr int kLowestTop = -133;  // nothing below 2^(-133 - 25) is kept
constexpr std::size_t kMostProducts = 32;

// A product or C: mantissa · 2^(exponent - kExtraBits), the mantissa below 2^27.
struct Addend {
  Kind kind = Kind::Finite;
  bool negative = false;
  int exponent = 0;
  std::int64_t mantissa = 0;
};

[[nodiscard]] Addend product(const FloatParts& a, const FloatParts& b) {
  Addend result{Kind::Finite, a.negative != b.negative, a.exponent + b.exponent, 0};
  if (a.kind == Kind::Finite && b.kind == Kind::Finite) {
    // Both have 13 zeros at the end, so nothing is lost.
    constexpr int kSurplus = 2 * 23 - kExtraBits;
    result.mantissa = static_cast<std::int64_t>(std::uint64_t{a.mantissa} * b.mantissa >> kSurplus);
    return result;
  }
  const auto is_zero = [](const FloatParts& x) {
    return x.kind == Kind::Finite && x.mantissa == 0;
  };
  const bool is_nan = a.kind == Kind::NaN || b.kind == Kind::NaN || is_zero(a) || is_zero(b);
  result.kind = is_nan ? Kind::NaN : Kind::Infinity;
  return result;
}

// The float next to sum · 2^exponent toward zero; +0 where nothing is left, of a minus too.
[[nodiscard]] std::uint32_t cut_to_float(std::int64_t sum, int exponent) {
  if (sum == 0) {
    return 0;
  }
  const std::uint32_t sign = sum < 0 ? kSignBit : 0;
  auto magnitude = static_cast<std::uint64_t>(std::abs(sum));
  const int highest = exponent + 63 - std::countl_zero(magnitude);
  if (highest > 127) {
    return sign | kInfinityBits;
  }
  const int last = std::max(highest - 23, kLeast);
  const int surplus = last - exponent;
  magnitude = surplus >= 64 ? 0 : surplus >= 0 ? magnitude >> surplus : magnitude << -surplus;
  if (magnitude == 0) {
    return 0;
  }
  // The leading 1 of a normal number adds 1 to the exponent's field, a subnormal has none.
  const auto field = static_cast<std::uint32_t>(last - kLeast);
  return sign | ((field << 23) + static_cast<std::uint32_t>(magnitude));
}

// What infinities and NaN make of the sum; Finite if there are none.
[[nodiscard]] Addend special(std::span<const Addend> addends) {
  Addend found;
  for (const Addend& addend : addends) {
    if (addend.kind == Kind::Finite) {
      continue;
    }
    if (found.kind == Kind::Infinity && addend.negative != found.negative) {
      found.kind = Kind::NaN;
    }
    if (found.kind == Kind::NaN || addend.kind == Kind::NaN) {
      return {Kind::NaN};
    }
    found = addend;
  }
  return found;
}

}  // namespace

FloatParts float_parts(std::uint32_t bits) {
  const std::uint32_t field = bits >> 23 & 0xff;
  const std::uint32_t fraction = bits & 0x7fffff;
  FloatParts parts;
  parts.negative = (bits & kSignBit) != 0;
  parts.kind = field != 0xff ? Kind::Finite : fraction == 0 ? Kind::Infinity : Kind::NaN;
  parts.exponent = std::max(static_cast<int>(field), 1) - 127;
  parts.mantissa = field == 0 ? fraction : fraction | 0x800000;
  return parts;
}

FloatParts tf32_parts(std::uint32_t bits) {
  return float_parts(bits & 0xffffe000);
}

std::uint32_t tf32_sum(std::span<const FloatParts> a, std::span<const FloatParts> b,
                       std::uint32_t c) {
  assert(a.size() == b.size() && a.size() <= kMostProducts);
  std::array<Addend, kMostProducts + 1> storage;
  const std::span<Addend> addends = std::span(storage).first(a.size() + 1);
  const FloatParts addend = float_parts(c);
  addends[0] = {addend.kind, addend.negative, addend.exponent, std::int64_t{addend.mantissa} << 2};
  for (std::size_t k = 0; k < a.size(); ++k) {
    addends[k + 1] = product(a[k], b[k]);
  }
  const Addend odd = special(addends);
  if (odd.kind != Kind::Finite) {
    return odd.kind == Kind::NaN ? kTensorNaN : kInfinityBits | (odd.negative ? kSignBit : 0);
  }
  int top = kLowestTop;
  for (const Addend& each : addends) {
    top = each.mantissa == 0 ? top : std::max(top, each.exponent);
  }
  std::int64_t sum = 0;
  for (const Addend& each : addends) {
    if (each.mantissa == 0) {
      continue;  // its exponent may be above `top`
    }
    const std::int64_t cut = each.mantissa >> std::min(top - each.exponent, 63);
    sum += each.negative ? -cut : cut;
  }
  return cut_to_float(sum, top - kExtraBits);
}

}  // namespace tilestep::simt
