#include "problem/values/element.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

namespace tilestep::problem {
namespace {

static_assert(std::endian::native == std::endian::little, "buffers hold the GPU's byte order");

template <class T>
T load_as(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

constexpr double kExact = 9007199254740992.0;  // 2^53: float64 represents all integers up to it

template <class T>
constexpr ValueRange integer_range() {
  return {std::max(-kExact, static_cast<double>(std::numeric_limits<T>::lowest())),
          std::min(kExact, static_cast<double>(std::numeric_limits<T>::max())), false};
}

template <class T>
bool holds(double value) {
  // 2^63 and 2^64 are not 64-bit integers, but the largest 64-bit integers round to them.
  return value == std::trunc(value) && std::abs(value) <= kExact &&
         value >= static_cast<double>(std::numeric_limits<T>::lowest()) &&
         value <= static_cast<double>(std::numeric_limits<T>::max());
}

bool holds_all(double) {
  return true;
}

template <class T>
void store_as(double value, std::byte* to) {
  const T stored = static_cast<T>(value);
  std::memcpy(to, &stored, sizeof stored);
}
template <std::uint16_t (*to_bits)(float)>
void store_bits(double value, std::byte* to) {
  const std::uint16_t bits = to_bits(static_cast<float>(value));
  std::memcpy(to, &bits, sizeof bits);
}

template <class T>
double load_number(const std::byte* from) {
  return static_cast<double>(load_as<T>(from));
}
template <float (*from_bits)(std::uint16_t)>
double load_bits(const std::byte* from) {
  return from_bits(load_as<std::uint16_t>(from));
}

// Differences between types, in ElementType's order.
struct ElementTraits {
  ElementType type;
  std::size_t bytes;
  int significand_bits;
  ValueRange range;
  bool (*fits)(double value);
  void (*store)(double value, std::byte* to);
  double (*load)(const std::byte* from);
};

template <class T>
constexpr ElementTraits integer_traits(ElementType type) {
  return {type, sizeof(T), 53, integer_range<T>(), holds<T>, store_as<T>, load_number<T>};
}

const ElementTraits& traits(ElementType type) {
  using enum ElementType;
  static constexpr std::array kTraits = std::to_array<ElementTraits>({
      {F16,
       2,
       11,
       {-2048.0, 2048.0, true, 65520.0},
       holds_all,
       store_bits<to_half_bits>,
       load_bits<from_half_bits>},
      {BF16,
       2,
       8,
       {-256.0, 256.0, true, 0x1.ffp127},
       holds_all,
       store_bits<to_bfloat_bits>,
       load_bits<from_bfloat_bits>},
      {F32, 4, 24, {}, holds_all, store_as<float>, load_number<float>},
      {F64,
       8,
       53,
       {-kExact, kExact, true, HUGE_VAL},
       holds_all,
       store_as<double>,
       load_number<double>},
      integer_traits<std::int8_t>(S8),
      integer_traits<std::uint8_t>(U8),
      integer_traits<std::int16_t>(S16),
      integer_traits<std::uint16_t>(U16),
      integer_traits<std::int32_t>(S32),
      integer_traits<std::uint32_t>(U32),
      integer_traits<std::int64_t>(S64),
      integer_traits<std::uint64_t>(U64),
  });
  const ElementTraits& found = kTraits[static_cast<std::size_t>(type)];
  assert(found.type == type && "the table is in ElementType's order");
  return found;
}

}  // namespace

std::size_t byte_size(ElementType type) {
  return traits(type).bytes;
}

ValueRange value_range(ElementType type) {
  return traits(type).range;
}

int significand_bits(ElementType type) {
  return traits(type).significand_bits;
}

bool fits(ElementType type, double value) {
  return traits(type).fits(value);
}

void store_element(ElementType type, double value, std::byte* to) {
  traits(type).store(value, to);
}

double load_element(ElementType type, const std::byte* from) {
  return traits(type).load(from);
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
  // Scaled so that binary16's unit in the last place is 1: nearbyint then rounds as IEEE requires.
  const float magnitude = std::abs(value);
  if (magnitude >= 65520.0F) {  // halfway between the largest finite value and 2^16
    return static_cast<std::uint16_t>(sign | 0x7c00U);
  }
  int exponent = magnitude == 0.0F ? -14 : std::ilogb(magnitude);
  exponent = std::max(exponent, -14);  // subnormals share the smallest exponent
  const float scaled = std::nearbyint(std::ldexp(magnitude, 10 - exponent));
  // 1024 ≤ scaled adds the implicit bit to the exponent field, 2048 adds one more: both are
  // correct.
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
