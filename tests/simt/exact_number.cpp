#include "exact_number.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace tilestep::simt {
namespace {

using Digits = std::vector<std::uint32_t>;
using ptx::Rounding;

void trim(Digits& d) {
  while (!d.empty() && d.back() == 0) {
    d.pop_back();
  }
}

[[nodiscard]] Digits shifted_left(const Digits& d, int bits) {
  Digits result(static_cast<std::size_t>(bits / 32), 0);
  std::uint64_t carry = 0;
  for (const std::uint32_t digit : d) {
    carry |= std::uint64_t{digit} << (bits % 32);
    result.push_back(static_cast<std::uint32_t>(carry));
    carry >>= 32;
  }
  result.push_back(static_cast<std::uint32_t>(carry));
  trim(result);
  return result;
}

[[nodiscard]] int compare(const Digits& a, const Digits& b) {
  if (a.size() != b.size()) {
    return a.size() < b.size() ? -1 : 1;
  }
  for (std::size_t k = a.size(); k-- > 0;) {
    if (a[k] != b[k]) {
      return a[k] < b[k] ? -1 : 1;
    }
  }
  return 0;
}

[[nodiscard]] Digits plus(const Digits& a, const Digits& b) {
  Digits result;
  std::uint64_t carry = 0;
  for (std::size_t k = 0; k < std::max(a.size(), b.size()) || carry != 0; ++k) {
    carry += (k < a.size() ? a[k] : 0ULL) + (k < b.size() ? b[k] : 0ULL);
    result.push_back(static_cast<std::uint32_t>(carry));
    carry >>= 32;
  }
  trim(result);
  return result;
}

// a >= b.
[[nodiscard]] Digits minus(const Digits& a, const Digits& b) {
  Digits result;
  std::int64_t borrow = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    std::int64_t digit = std::int64_t{a[k]} - (k < b.size() ? b[k] : 0) - borrow;
    borrow = digit < 0 ? 1 : 0;
    digit += borrow << 32;
    result.push_back(static_cast<std::uint32_t>(digit));
  }
  trim(result);
  return result;
}

[[nodiscard]] int bit_length(const Digits& d) {
  return d.empty() ? 0
                   : static_cast<int>(32 * d.size()) - static_cast<int>(std::countl_zero(d.back()));
}

[[nodiscard]] bool bit_at(const Digits& d, int position) {
  const auto digit = static_cast<std::size_t>(position / 32);
  return position >= 0 && digit < d.size() && (d[digit] >> (position % 32) & 1U) != 0;
}

void align(Exact& a, Exact& b) {
  Exact& higher = a.exponent > b.exponent ? a : b;
  const int exponent = std::min(a.exponent, b.exponent);
  higher.magnitude = shifted_left(higher.magnitude, higher.exponent - exponent);
  a.exponent = exponent;
  b.exponent = exponent;
}

[[nodiscard]] bool rounds_up(Rounding mode, bool negative, bool half, bool below_half, bool odd) {
  switch (mode) {
    case Rounding::Rz:
      return false;
    case Rounding::Rm:
      return negative && (half || below_half);
    case Rounding::Rp:
      return !negative && (half || below_half);
    default:
      return half && (below_half || odd);
  }
}

[[nodiscard]] std::uint64_t sign_bit(BinaryFormat format) {
  return 1ULL << (format.precision - 1 + format.exponent_bits);
}
[[nodiscard]] std::uint64_t infinity(BinaryFormat format) {
  return ((1ULL << format.exponent_bits) - 1) << (format.precision - 1);
}

// The sign of a zero sum of two numbers of these signs.
[[nodiscard]] std::uint64_t zero_sum(bool a_negative, bool b_negative, BinaryFormat format,
                                     Rounding mode) {
  const bool negative = a_negative == b_negative ? a_negative : mode == Rounding::Rm;
  return negative ? sign_bit(format) : 0;
}

}  // namespace

Exact exact(double value) {
  Exact result;
  result.negative = std::signbit(value);
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(value), &exponent);
  const auto integer = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  result.magnitude = {static_cast<std::uint32_t>(integer),
                      static_cast<std::uint32_t>(integer >> 32)};
  trim(result.magnitude);
  result.exponent = exponent - 53;
  return result;
}

Exact add(const Exact& a, const Exact& b) {
  Exact x = a;
  Exact y = b;
  align(x, y);
  Exact result;
  result.exponent = x.exponent;
  if (x.negative == y.negative) {
    result.negative = x.negative;
    result.magnitude = plus(x.magnitude, y.magnitude);
  } else {
    const bool x_larger = compare(x.magnitude, y.magnitude) >= 0;
    result.negative = x_larger ? x.negative : y.negative;
    result.magnitude = x_larger ? minus(x.magnitude, y.magnitude) : minus(y.magnitude, x.magnitude);
  }
  return result;
}

Exact multiply(const Exact& a, const Exact& b) {
  Exact result;
  result.negative = a.negative != b.negative;
  result.exponent = a.exponent + b.exponent;
  for (std::size_t k = 0; k < b.magnitude.size(); ++k) {
    Digits row(k, 0);
    std::uint64_t carry = 0;
    for (const std::uint32_t digit : a.magnitude) {
      carry += std::uint64_t{digit} * b.magnitude[k];
      row.push_back(static_cast<std::uint32_t>(carry));
      carry >>= 32;
    }
    row.push_back(static_cast<std::uint32_t>(carry));
    result.magnitude = plus(result.magnitude, row);
  }
  return result;
}

int compare_magnitudes(const Exact& a, const Exact& b) {
  Exact x = a;
  Exact y = b;
  align(x, y);
  return compare(x.magnitude, y.magnitude);
}

std::uint64_t rounded(const Exact& value, BinaryFormat format, Rounding mode) {
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const int top = bit_length(value.magnitude) - 1 + value.exponent;  // exponent of the leading bit
  const int lowest_normal = 1 - bias;
  const int unit = std::max(top, lowest_normal) - format.precision + 1;
  const int cut = unit - value.exponent;  // bits of the magnitude below the unit
  std::uint64_t kept = 0;
  for (int k = format.precision; k-- > 0;) {
    kept = kept << 1 | (bit_at(value.magnitude, cut + k) ? 1U : 0U);
  }
  bool below_half = false;
  for (int k = 0; k < cut - 1 && !below_half; ++k) {
    below_half = bit_at(value.magnitude, k);
  }
  const bool half = bit_at(value.magnitude, cut - 1);
  kept += rounds_up(mode, value.negative, half, below_half, (kept & 1U) != 0) ? 1 : 0;
  // Adding the exponent to the bits without the hidden one also carries a mantissa that overflowed.
  const std::uint64_t hidden = 1ULL << (format.precision - 1);
  const bool subnormal = kept < hidden;
  const int exponent = subnormal ? 0 : unit + format.precision - 1 + bias;
  std::uint64_t bits =
      subnormal
          ? kept
          : (static_cast<std::uint64_t>(exponent) << (format.precision - 1)) + (kept - hidden);
  if (bits >= infinity(format)) {
    const bool stays = mode == Rounding::Rz || (mode == Rounding::Rm && !value.negative) ||
                       (mode == Rounding::Rp && value.negative);
    bits = infinity(format) - (stays ? 1 : 0);
  }
  return bits | (value.negative ? sign_bit(format) : 0);
}

double number(std::uint64_t bits, BinaryFormat format) {
  const std::uint64_t mantissa = bits & ((1ULL << (format.precision - 1)) - 1);
  const auto exponent = static_cast<int>((bits & infinity(format)) >> (format.precision - 1));
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  double value = 0.0;
  if ((bits & infinity(format)) == infinity(format)) {
    value = mantissa != 0 ? std::numeric_limits<double>::quiet_NaN()
                          : std::numeric_limits<double>::infinity();
  } else if (exponent == 0) {
    value = std::ldexp(static_cast<double>(mantissa), 2 - bias - format.precision);
  } else {
    const auto whole = static_cast<double>(mantissa + (1ULL << (format.precision - 1)));
    value = std::ldexp(whole, exponent - bias - format.precision + 1);
  }
  return (bits & sign_bit(format)) != 0 ? -value : value;
}

std::uint64_t fused(std::uint64_t a, std::uint64_t b, std::uint64_t c, BinaryFormat format,
                    Rounding mode, std::uint64_t nan) {
  const double x = number(a, format);
  const double y = number(b, format);
  const double z = number(c, format);
  if (std::isnan(x) || std::isnan(y) || std::isnan(z)) {
    return nan;
  }
  const bool negative = std::signbit(x) != std::signbit(y);
  if (std::isinf(x) || std::isinf(y)) {
    const bool undefined = x == 0 || y == 0 || (std::isinf(z) && std::signbit(z) != negative);
    return undefined ? nan : infinity(format) | (negative ? sign_bit(format) : 0);
  }
  if (std::isinf(z)) {
    return c;
  }
  const Exact exact_product = multiply(exact(x), exact(y));
  const Exact result = add(exact_product, exact(z));
  if (result.magnitude.empty()) {
    return zero_sum(negative, std::signbit(z), format, mode);
  }
  return rounded(result, format, mode);
}

std::uint64_t sum(std::uint64_t a, std::uint64_t b, BinaryFormat format, Rounding mode,
                  std::uint64_t nan) {
  const auto one = static_cast<std::uint64_t>((1 << (format.exponent_bits - 1)) - 1)
                   << (format.precision - 1);
  return fused(a, one, b, format, mode, nan);
}

std::uint64_t product(std::uint64_t a, std::uint64_t b, BinaryFormat format, Rounding mode,
                      std::uint64_t nan) {
  // A zero with the product's sign changes nothing.
  const std::uint64_t zero = (a ^ b) & sign_bit(format);
  return fused(a, b, zero, format, mode, nan);
}

}  // namespace tilestep::simt
