#include "problem/values/element.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

namespace tilestep::problem {
namespace {

static_assert(std::endian::native == std::endian::little, "buffers hold the GPU's byte order");

template <class T>
void store_as(T value, std::byte* to) {
  std::memcpy(to, &value, sizeof value);
}

template <class T>
T load_as(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

constexpr double kExact = 9007199254740992.0;  // 2^53: float64 has all integers up to it

template <class T>
ValueRange integer_range() {
  return {std::max(-kExact, static_cast<double>(std::numeric_limits<T>::lowest())),
          std::min(kExact, static_cast<double>(std::numeric_limits<T>::max())), false};
}

template <class T>
bool holds(double value) {
  // 2^63 and 2^64 are no values of 64-bit integers, but their greatest ones round to them.
  return value == std::trunc(value) && std::abs(value) <= kExact &&
         value >= static_cast<double>(std::numeric_limits<T>::lowest()) &&
         value <= static_cast<double>(std::numeric_limits<T>::max());
}

}  // namespace

std::size_t byte_size(ElementType type) {
  switch (type) {
    case ElementType::S8:
    case ElementType::U8:
      return 1;
    case ElementType::F16:
    case ElementType::BF16:
    case ElementType::S16:
    case ElementType::U16:
      return 2;
    case ElementType::F32:
    case ElementType::S32:
    case ElementType::U32:
      return 4;
    case ElementType::F64:
    case ElementType::S64:
    case ElementType::U64:
      return 8;
  }
  assert(false && "an element type that this switch does not know");
  return 0;
}

ValueRange value_range(ElementType type) {
  switch (type) {
    case ElementType::F16:
      return {-2048.0, 2048.0, true, 65520.0};
    case ElementType::BF16:
      return {-256.0, 256.0, true, 0x1.ffp127};
    case ElementType::F32:
      return {};
    case ElementType::F64:
      return {-kExact, kExact, true, HUGE_VAL};
    case ElementType::S8:
      return integer_range<std::int8_t>();
    case ElementType::U8:
      return integer_range<std::uint8_t>();
    case ElementType::S16:
      return integer_range<std::int16_t>();
    case ElementType::U16:
      return integer_range<std::uint16_t>();
    case ElementType::S32:
      return integer_range<std::int32_t>();
    case ElementType::U32:
      return integer_range<std::uint32_t>();
    case ElementType::S64:
      return integer_range<std::int64_t>();
    case ElementType::U64:
      return integer_range<std::uint64_t>();
  }
  assert(false && "an element type that this switch does not know");
  return {};
}

int significand_bits(ElementType type) {
  switch (type) {
    case ElementType::F16:
      return 11;
    case ElementType::BF16:
      return 8;
    case ElementType::F32:
      return 24;
    default:
      return 53;
  }
}

bool fits(ElementType type, double value) {
  switch (type) {
    case ElementType::S8:
      return holds<std::int8_t>(value);
    case ElementType::U8:
      return holds<std::uint8_t>(value);
    case ElementType::S16:
      return holds<std::int16_t>(value);
    case ElementType::U16:
      return holds<std::uint16_t>(value);
    case ElementType::S32:
      return holds<std::int32_t>(value);
    case ElementType::U32:
      return holds<std::uint32_t>(value);
    case ElementType::S64:
      return holds<std::int64_t>(value);
    case ElementType::U64:
      return holds<std::uint64_t>(value);
    default:
      return true;
  }
}

void store_element(ElementType type, double value, std::byte* to) {
  switch (type) {
    case ElementType::F16:
      return store_as(to_half_bits(static_cast<float>(value)), to);
    case ElementType::BF16:
      return store_as(to_bfloat_bits(static_cast<float>(value)), to);
    case ElementType::F32:
      return store_as(static_cast<float>(value), to);
    case ElementType::F64:
      return store_as(value, to);
    case ElementType::S8:
      return store_as(static_cast<std::int8_t>(value), to);
    case ElementType::U8:
      return store_as(static_cast<std::uint8_t>(value), to);
    case ElementType::S16:
      return store_as(static_cast<std::int16_t>(value), to);
    case ElementType::U16:
      return store_as(static_cast<std::uint16_t>(value), to);
    case ElementType::S32:
      return store_as(static_cast<std::int32_t>(value), to);
    case ElementType::U32:
      return store_as(static_cast<std::uint32_t>(value), to);
    case ElementType::S64:
      return store_as(static_cast<std::int64_t>(value), to);
    case ElementType::U64:
      return store_as(static_cast<std::uint64_t>(value), to);
  }
  assert(false && "an element type that this switch does not know");
}

double load_element(ElementType type, const std::byte* from) {
  switch (type) {
    case ElementType::F16:
      return from_half_bits(load_as<std::uint16_t>(from));
    case ElementType::BF16:
      return from_bfloat_bits(load_as<std::uint16_t>(from));
    case ElementType::F32:
      return load_as<float>(from);
    case ElementType::F64:
      return load_as<double>(from);
    case ElementType::S8:
      return load_as<std::int8_t>(from);
    case ElementType::U8:
      return load_as<std::uint8_t>(from);
    case ElementType::S16:
      return load_as<std::int16_t>(from);
    case ElementType::U16:
      return load_as<std::uint16_t>(from);
    case ElementType::S32:
      return load_as<std::int32_t>(from);
    case ElementType::U32:
      return load_as<std::uint32_t>(from);
    case ElementType::S64:
      return static_cast<double>(load_as<std::int64_t>(from));
    case ElementType::U64:
      return static_cast<double>(load_as<std::uint64_t>(from));
  }
  assert(false && "an element type that this switch does not know");
  return 0.0;
}

std::string element_text(ElementType type, double value) {
  return significand_bits(type) <= 24 ? fmt::format("{}", static_cast<float>(value))
                                      : fmt::format("{}", value);
}

std::uint16_t to_half_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000U);
  if (std::isnan(value)) {
    return static_cast<std::uint16_t>(sign | 0x7e00U);
  }
  // Scaled so that binary16's unit in the last place is 1: nearbyint then rounds as IEEE does.
  const float magnitude = std::abs(value);
  if (magnitude >= 65520.0F) {  // halfway between the largest finite value and 2^16
    return static_cast<std::uint16_t>(sign | 0x7c00U);
  }
  int exponent = magnitude == 0.0F ? -14 : std::ilogb(magnitude);
  exponent = std::max(exponent, -14);  // subnormals share the smallest exponent
  const float scaled = std::nearbyint(std::ldexp(magnitude, 10 - exponent));
  // 1024 ≤ scaled carries the implicit bit into the exponent field, 2048 one more: both are right.
  const auto field = static_cast<std::uint32_t>(exponent + 14) << 10;
  return static_cast<std::uint16_t>(sign | (field + static_cast<std::uint32_t>(scaled)));
}

float from_half_bits(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1f;
  const int fraction = bits & 0x3ff;
  float magnitude = 0.0F;
  if (exponent == 0x1f) {
    magnitude = fraction != 0 ? std::numeric_limits<float>::quiet_NaN()
                              : std::numeric_limits<float>::infinity();
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<float>(fraction), -24);
  } else {
    magnitude = std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

std::uint16_t to_bfloat_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) {
    return static_cast<std::uint16_t>((bits >> 16) | 0x40U);
  }
  const std::uint32_t ties_to_even = 0x7fffU + ((bits >> 16) & 1U);
  return static_cast<std::uint16_t>((bits + ties_to_even) >> 16);
}

float from_bfloat_bits(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

}  // namespace tilestep::problem
