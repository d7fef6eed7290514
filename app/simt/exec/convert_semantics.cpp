#include "simt/exec/convert_semantics.h"

#include "simt/exec/float_semantics.h"

#include <bit>

namespace tilestep::simt {
namespace {

using ptx::Rounding;
using ptx::Type;

[[nodiscard]] std::uint64_t low_bits(std::uint64_t value, std::uint32_t bytes) {
  return bytes >= 8 ? value : value & ((1ULL << (8 * bytes)) - 1);
}

[[nodiscard]] std::uint64_t extend(std::uint64_t value, Type type) {
  const std::uint32_t bytes = ptx::byte_size(type);
  const std::uint64_t low = low_bits(value, bytes);
  if (!is_signed(type) || bytes >= 8) {
    return low;
  }
  const std::uint64_t sign = 1ULL << (8 * bytes - 1);
  return (low ^ sign) - sign;
}

// A binary format; precision counts the hidden bit.
struct Format {
  int precision;
  int min_exponent;  // of the smallest normal number
  int max_exponent;
};
constexpr Format kHalf{11, -14, 15};
constexpr Format kBfloat{8, -126, 127};
constexpr Format kSingle{24, -126, 127};

[[nodiscard]] bool is_directed(Rounding mode) {
  switch (mode) {
    case Rounding::Rz:
    case Rounding::Rzi:
    case Rounding::Rm:
    case Rounding::Rmi:
    case Rounding::Rp:
    case Rounding::Rpi:
      return true;
    default:
      return false;
  }
}

[[nodiscard]] double round_integral(double v, Rounding mode) {
  switch (mode) {
    case Rounding::Rz:
    case Rounding::Rzi:
      return std::trunc(v);
    case Rounding::Rm:
    case Rounding::Rmi:
      return std::floor(v);
    case Rounding::Rp:
    case Rounding::Rpi:
      return std::ceil(v);
    case Rounding::Rna:
      return std::round(v);
    default:
      return std::nearbyint(v);
  }
}

// The nearest number of the format under the rounding mode; infinity if the mode rounds out of its
// range.
[[nodiscard]] double round_to_format(double v, Format format, Rounding mode) {
  if (v == 0.0 || !std::isfinite(v)) {
    return v;
  }
  const int exponent = std::max(std::ilogb(v), format.min_exponent);
  const int unit = exponent - format.precision + 1;
  const double rounded =
      std::copysign(std::ldexp(round_integral(std::ldexp(v, -unit), mode), unit), v);
  const double largest =
      std::ldexp(2.0 - std::ldexp(1.0, 1 - format.precision), format.max_exponent);
  if (std::fabs(rounded) <= largest) {
    return rounded;
  }
  const bool stays =
      mode == Rounding::Rz || (mode == Rounding::Rm && v > 0) || (mode == Rounding::Rp && v < 0);
  return std::copysign(stays ? largest : std::numeric_limits<double>::infinity(), v);
}

// A 64-bit integer as a double whose last bit is sticky: rounding it again to few bits gives the
// same as rounding the integer.
[[nodiscard]] double sticky_double(std::uint64_t bits, bool has_sign) {
  const bool negative = has_sign && static_cast<std::int64_t>(bits) < 0;
  std::uint64_t magnitude = negative ? 0 - bits : bits;
  if (magnitude >> 53 != 0) {
    magnitude = (magnitude >> 11 << 11) | ((magnitude & 0x7ff) != 0 ? 0x800U : 0U);
  }
  const auto value = static_cast<double>(magnitude);
  return negative ? -value : value;
}

template <class F>
[[nodiscard]] F integer_to_float(std::uint64_t bits, const ptx::Instruction& i) {
  const bool negative = is_signed(i.source_type) && static_cast<std::int64_t>(bits) < 0;
  const std::uint64_t magnitude = negative ? 0 - bits : bits;
  F value = static_cast<F>(magnitude);
  const int left = static_cast<int>(std::bit_width(magnitude)) - std::numeric_limits<F>::digits;
  if (is_directed(i.rounding) && left > 0) {
    const std::uint64_t kept = magnitude >> left;
    const bool grows =
        i.rounding == (negative ? Rounding::Rm : Rounding::Rp) && kept << left != magnitude;
    value = std::ldexp(static_cast<F>(kept + (grows ? 1 : 0)), left);
  }
  return negative ? -value : value;
}

[[nodiscard]] double float_source(Type type, std::uint64_t bits, bool ftz) {
  switch (type) {
    case Type::F16:
      return half_to_double(static_cast<std::uint16_t>(bits));
    case Type::BF16:
      return bfloat_to_double(static_cast<std::uint16_t>(bits));
    case Type::F64:
      return std::bit_cast<double>(bits);
    default: {
      const float v = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
      return static_cast<double>(ftz ? flush(v) : v);
    }
  }
}

[[nodiscard]] std::uint64_t saturate_integer(std::uint64_t value, Type from, Type to) {
  const std::uint32_t width = 8 * ptx::byte_size(to);
  const bool negative = is_signed(from) && static_cast<std::int64_t>(value) < 0;
  const std::uint64_t high =
      is_signed(to) ? (1ULL << (width - 1)) - 1 : low_bits(~0ULL, ptx::byte_size(to));
  if (!negative) {
    return value > high ? high : value;
  }
  const auto low = is_signed(to) ? -static_cast<std::int64_t>(high) - 1 : std::int64_t{0};
  return static_cast<std::int64_t>(value) < low ? static_cast<std::uint64_t>(low) : value;
}

[[nodiscard]] std::uint64_t float_to_integer(double v, Type from, Type to, Rounding mode) {
  const double r = round_integral(v, mode);
  if (std::isnan(r)) {  // kIntegerOfNan, for types known only at run time
    const bool is_long = ptx::byte_size(from) == 8 || ptx::byte_size(to) == 8;
    return is_long ? 1ULL << (8 * ptx::byte_size(to) - 1) : 0;
  }
  const int width = static_cast<int>(8 * ptx::byte_size(to));
  const double end = std::ldexp(1.0, is_signed(to) ? width - 1 : width);
  const std::uint64_t high =
      is_signed(to) ? (1ULL << (width - 1)) - 1 : low_bits(~0ULL, ptx::byte_size(to));
  if (r >= end) {
    return high;
  }
  if (!is_signed(to)) {
    return r <= 0.0 ? 0 : static_cast<std::uint64_t>(r);
  }
  return r < -end ? ~high : static_cast<std::uint64_t>(static_cast<std::int64_t>(r));
}

[[nodiscard]] std::uint32_t round_to_tf32(float v) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(v);
  if ((bits & 0x7f800000U) == 0x7f800000U) {
    return bits & ~0x1fffU;  // also cuts off a NaN
  }
  return (bits + 0x1000U) & ~0x1fffU;  // to nearest, ties away from zero
}

[[nodiscard]] float narrow(double v, Rounding mode) {
  return static_cast<float>(is_directed(mode) ? round_to_format(v, kSingle, mode) : v);
}

struct NanFormat {
  std::uint32_t bits = 0;
  std::uint32_t mantissa = 0;
};
[[nodiscard]] NanFormat nan_format(Type type) {
  switch (type) {
    case Type::F64:
      return {64, 52};
    case Type::F16:
      return {16, 10};
    case Type::BF16:
      return {16, 7};
    default:
      return {32, 23};
  }
}

// To or from f64 a NaN becomes quiet, and keeps its sign and as much of its payload as fits. A
// bfloat's bits are the upper half of the float's; tf32 cuts bits off.
[[nodiscard]] std::uint64_t convert_nan(const ptx::Instruction& i, std::uint64_t bits) {
  if (i.type == Type::TF32) {
    return bits & ~0x1fffULL & 0xffffffffULL;
  }
  if (i.source_type == Type::BF16 && i.type == Type::F32) {
    return (bits & 0xffff) << 16;
  }
  const NanFormat from = nan_format(i.source_type);
  const NanFormat to = nan_format(i.type);
  const std::uint64_t payload = bits & ((1ULL << from.mantissa) - 1);
  const std::uint64_t kept = to.mantissa >= from.mantissa
                                 ? payload << (to.mantissa - from.mantissa)
                                 : payload >> (from.mantissa - to.mantissa);
  const std::uint64_t sign = bits >> (from.bits - 1) & 1;
  const std::uint64_t exponent = (1ULL << (to.bits - 1 - to.mantissa)) - 1;
  return sign << (to.bits - 1) | exponent << to.mantissa | 1ULL << (to.mantissa - 1) | kept;
}

// A number in a destination format.
[[nodiscard]] std::uint64_t float_result(const ptx::Instruction& i, double v) {
  const bool sat = (i.flags & ptx::kSat) != 0;
  const bool relu = (i.flags & ptx::kRelu) != 0;
  const bool whole = i.rounding == Rounding::Rni || i.rounding == Rounding::Rzi ||
                     i.rounding == Rounding::Rmi || i.rounding == Rounding::Rpi;
  double value = whole ? std::copysign(round_integral(v, i.rounding), v) : v;
  value = sat ? saturate(value) : value;
  value = relu && value <= 0.0 ? 0.0 : value;
  switch (i.type) {
    case Type::F64:
      return std::bit_cast<std::uint64_t>(value);
    case Type::F32: {
      const float narrowed = narrow(value, i.rounding);
      const bool ftz = (i.flags & ptx::kFtz) != 0;
      return std::bit_cast<std::uint32_t>(canonical(ftz ? flush(narrowed) : narrowed));
    }
    case Type::TF32:
      return round_to_tf32(static_cast<float>(value));
    case Type::BF16:
    case Type::BF16x2:
      return double_to_bfloat(value, i.rounding);
    default:
      return double_to_half(value, i.rounding);
  }
}

}  // namespace

double half_to_double(std::uint16_t bits) {
  const int exponent = bits >> 10 & 0x1f;
  const int mantissa = bits & 0x3ff;
  double value = 0.0;
  if (exponent == 31) {
    value = mantissa != 0 ? std::numeric_limits<double>::quiet_NaN()
                          : std::numeric_limits<double>::infinity();
  } else if (exponent == 0) {
    value = std::ldexp(mantissa, -24);
  } else {
    value = std::ldexp(mantissa + 1024, exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -value : value;
}

double bfloat_to_double(std::uint16_t bits) {
  return static_cast<double>(std::bit_cast<float>(std::uint32_t{bits} << 16));
}

std::uint16_t double_to_half(double value, Rounding rounding) {
  if (std::isnan(value)) {
    return 0x7fff;
  }
  const double rounded = round_to_format(value, kHalf, rounding);
  const std::uint32_t sign = std::signbit(value) ? 0x8000U : 0U;
  const double magnitude = std::fabs(rounded);
  std::uint32_t bits = 0;
  if (std::isinf(magnitude)) {
    bits = 0x7c00;
  } else if (magnitude < std::ldexp(1.0, -14)) {
    bits = static_cast<std::uint32_t>(std::ldexp(magnitude, 24));
  } else {
    const int exponent = std::ilogb(magnitude);
    const auto mantissa = static_cast<std::uint32_t>(std::ldexp(magnitude, 10 - exponent));
    bits = static_cast<std::uint32_t>(exponent + 15) << 10 | (mantissa & 0x3ffU);
  }
  return static_cast<std::uint16_t>(sign | bits);
}

std::uint16_t double_to_bfloat(double value, Rounding rounding) {
  if (std::isnan(value)) {
    return 0x7fff;
  }
  const auto rounded = static_cast<float>(round_to_format(value, kBfloat, rounding));
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(rounded) >> 16);
}

std::uint64_t convert_value(const ptx::Instruction& i, std::uint64_t bits, std::uint64_t second) {
  const bool ftz = (i.flags & ptx::kFtz) != 0;
  if (i.type == Type::F16x2 || i.type == Type::BF16x2) {  // first operand goes to the upper half
    const std::uint64_t upper = float_result(i, float_source(i.source_type, bits, ftz));
    const std::uint64_t lower = float_result(i, float_source(i.source_type, second, ftz));
    return upper << 16 | lower;
  }
  if (is_float(i.source_type)) {
    const double v = float_source(i.source_type, bits, ftz);
    if (is_float(i.type)) {
      const bool keeps_payload =
          (i.flags & (ptx::kSat | ptx::kRelu)) == 0 &&
          (i.type == Type::F64 || i.source_type == Type::F64 || i.type == Type::TF32 ||
           (i.type == Type::F32 && i.source_type == Type::BF16));
      return keeps_payload && std::isnan(v) ? convert_nan(i, bits) : float_result(i, v);
    }
    return extend(float_to_integer(v, i.source_type, i.type, i.rounding), i.type);
  }
  const std::uint64_t value = extend(bits, i.source_type);
  if (!is_float(i.type)) {
    const bool sat = (i.flags & ptx::kSat) != 0;
    return extend(sat ? saturate_integer(value, i.source_type, i.type) : value, i.type);
  }
  if (i.type == Type::F64 || i.type == Type::F32) {
    return i.type == Type::F64 ? std::bit_cast<std::uint64_t>(integer_to_float<double>(value, i))
                               : std::bit_cast<std::uint32_t>(integer_to_float<float>(value, i));
  }
  return float_result(i, sticky_double(value, is_signed(i.source_type)));
}

}  // namespace tilestep::simt
