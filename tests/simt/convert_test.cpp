// cvt between all types, against conversions through exact or wide arithmetic.
#include "exact_number.h"
#include "ptx_lanes.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace tilestep::simt {
namespace {

using Bits = std::uint64_t;
using ptx::Rounding;

const std::string kIntegers[] = {"s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64"};

[[nodiscard]] int width_of(const std::string& type) {
  return std::stoi(type.substr(type[0] == 'b' ? 2 : 1));
}
[[nodiscard]] int register_width(const std::string& type) {
  return std::max(16, width_of(type));
}

__extension__ using Wide = __int128;

[[nodiscard]] Wide integer_value(Bits bits, const std::string& type) {
  const int width = width_of(type);
  const Bits low = width == 64 ? bits : bits & ((1ULL << width) - 1);
  const bool negative = type[0] == 's' && (low >> (width - 1) & 1) != 0;
  return negative ? static_cast<Wide>(low) - (static_cast<Wide>(1) << width)
                  : static_cast<Wide>(low);
}
[[nodiscard]] Wide lowest(const std::string& type) {
  return type[0] == 's' ? -(static_cast<Wide>(1) << (width_of(type) - 1)) : 0;
}
[[nodiscard]] Wide highest(const std::string& type) {
  return (static_cast<Wide>(1) << (width_of(type) - (type[0] == 's' ? 1 : 0))) - 1;
}
// A value as the bits of its register, extended by its type.
[[nodiscard]] Bits in_register(Wide value, const std::string& type) {
  const Wide cut = integer_value(static_cast<Bits>(value), type);
  const int width = register_width(type);
  return static_cast<Bits>(cut) & (width == 64 ? ~0ULL : (1ULL << width) - 1);
}

TEST(Conversions, TruncateExtendAndSaturateIntegers) {
  for (const std::string& from : kIntegers) {
    OperandBits random(61);
    const auto operands =
        random.combinations({special_integers(register_width(from))}, {register_width(from)}, 256);
    for (const std::string& to : kIntegers) {
      for (const bool saturates : {false, true}) {
        const auto results = execute_lanes(
            {std::string("cvt.") + (saturates ? "sat." : "") + to + "." + from + " $d, $a;",
             register_width(to),
             {register_width(from)}},
            operands);
        for (std::size_t n = 0; n < results.size(); ++n) {
          Wide value = integer_value(operands[0][n], from);
          if (saturates) {
            value = std::max(lowest(to), std::min(highest(to), value));
          }
          ASSERT_EQ(results[n], in_register(value, to)) << to << from << saturates;
        }
      }
    }
  }
}

[[nodiscard]] BinaryFormat format_of(const std::string& type) {
  return type == "f16"    ? kBinary16
         : type == "bf16" ? kBfloat16
         : type == "f32"  ? kBinary32
                          : kBinary64;
}

[[nodiscard]] Exact exact_integer(Wide value) {
  Exact result;
  result.negative = value < 0;
  for (Wide rest = value < 0 ? -value : value; rest != 0; rest >>= 32) {
    result.magnitude.push_back(static_cast<std::uint32_t>(rest));
  }
  return result;
}

TEST(Conversions, RoundIntegersIntoFloats) {
  for (const std::string to : {"f16", "f32", "f64"}) {
    for (const std::string& from : kIntegers) {
      OperandBits random(67);
      const auto operands = random.combinations({special_integers(register_width(from))},
                                                {register_width(from)}, 256);
      for (const NamedRounding& mode : kRoundings) {
        const std::string text = "cvt." + std::string(mode.name) + "." + to + "." + from;
        const auto results =
            execute_lanes({text + " $d, $a;", width_of(to), {register_width(from)}}, operands);
        for (std::size_t n = 0; n < results.size(); ++n) {
          const Wide value = integer_value(operands[0][n], from);
          const Bits wanted =
              value == 0 ? 0 : rounded(exact_integer(value), format_of(to), mode.rounding);
          ASSERT_EQ(results[n], wanted) << text << " " << static_cast<double>(value);
        }
      }
    }
  }
}

[[nodiscard]] double round_to_integer(double v, const std::string& mode) {
  return mode == "rzi"   ? std::trunc(v)
         : mode == "rmi" ? std::floor(v)
         : mode == "rpi" ? std::ceil(v)
                         : std::nearbyint(v);
}

[[nodiscard]] std::vector<std::vector<Bits>> float_operands(const std::string& type) {
  const int width = width_of(type);
  OperandBits random(71);
  auto operands = random.combinations(
      {width == 64   ? special_doubles()
       : width == 32 ? special_floats()
                     : std::vector<Bits>{0, 0x8000, 1, 0x3c00, 0xbc00, 0x7bff, 0x7c00, 0x7e00}},
      {width}, 256);
  for (int k = 0; k < 512; ++k) {  // numbers near integers of every size
    const double v =
        std::ldexp(static_cast<double>(random.next() >> 40), k % 70 - 24) * (k % 2 == 0 ? 1 : -1);
    operands[0].push_back(width == 64 ? std::bit_cast<Bits>(v)
                          : width == 32
                              ? Bits{std::bit_cast<std::uint32_t>(static_cast<float>(v))}
                              : (v == 0 ? 0 : rounded(exact(v), format_of(type), Rounding::Rn)));
  }
  return operands;
}

TEST(Conversions, RoundFloatsIntoIntegersAndSaturate) {
  for (const std::string from : {"f16", "f32", "f64"}) {
    const auto operands = float_operands(from);
    for (const std::string& to : kIntegers) {
      for (const std::string mode : {"rni", "rzi", "rmi", "rpi"}) {
        const std::string text = "cvt." + mode + "." + to + "." + from;
        const auto results =
            execute_lanes({text + " $d, $a;", register_width(to), {width_of(from)}}, operands);
        for (std::size_t n = 0; n < results.size(); ++n) {
          const double v = number(operands[0][n], format_of(from));
          Wide wanted = 0;
          if (!std::isnan(v)) {
            const double r = std::max(-1e30, std::min(1e30, round_to_integer(v, mode)));
            wanted = std::max(lowest(to), std::min(highest(to), static_cast<Wide>(r)));
          }
          // The result of an H200 for a NaN (tests/gpu/instructions_test.cpp).
          if (std::isnan(v) && (from == "f64" || width_of(to) == 64)) {
            wanted = to[0] == 's' ? lowest(to) : (highest(to) + 1) / 2;
          }
          ASSERT_EQ(results[n], in_register(wanted, to)) << text << " " << v;
        }
      }
    }
  }
}

[[nodiscard]] bool is_nan(Bits bits, const std::string& type) {
  return std::isnan(number(bits, format_of(type)));
}

TEST(Conversions, NarrowAndWidenFloats) {
  const std::string types[] = {"f16", "f32", "f64"};
  for (const std::string& from : types) {
    const auto operands = float_operands(from);
    for (const std::string& to : types) {
      for (const NamedRounding& mode : kRoundings) {
        if (width_of(to) == width_of(from) ||
            (width_of(to) > width_of(from) && mode.rounding != Rounding::Rn)) {
          continue;
        }
        const std::string middle =
            width_of(to) < width_of(from) ? std::string(mode.name) + "." : "";
        const std::string text = "cvt." + middle + to + "." + from;
        const auto results =
            execute_lanes({text + " $d, $a;", width_of(to), {width_of(from)}}, operands);
        for (std::size_t n = 0; n < results.size(); ++n) {
          const double v = number(operands[0][n], format_of(from));
          if (std::isnan(v)) {
            ASSERT_TRUE(is_nan(results[n], to)) << text;
          } else if (v == 0 || std::isinf(v)) {
            ASSERT_EQ(number(results[n], format_of(to)), v);
            ASSERT_EQ(std::signbit(number(results[n], format_of(to))), std::signbit(v));
          } else {
            ASSERT_EQ(results[n], rounded(exact(v), format_of(to), mode.rounding))
                << text << " " << v;
          }
        }
      }
    }
  }
}

TEST(Conversions, RoundFloatsToWholeNumbers) {
  for (const std::string type : {"f32", "f64"}) {
    const auto operands = float_operands(type);
    for (const std::string mode : {"rni", "rzi", "rmi", "rpi"}) {
      const std::string text = "cvt." + mode + "." + type + "." + type;
      const auto results =
          execute_lanes({text + " $d, $a;", width_of(type), {width_of(type)}}, operands);
      for (std::size_t n = 0; n < results.size(); ++n) {
        const double v = number(operands[0][n], format_of(type));
        const double got = number(results[n], format_of(type));
        if (std::isnan(v)) {
          ASSERT_TRUE(std::isnan(got));
        } else {
          ASSERT_EQ(got, round_to_integer(v, mode)) << text << v;
          ASSERT_EQ(std::signbit(got), std::signbit(v)) << text << v;
        }
      }
    }
  }
}

TEST(Conversions, PackTwoFloatsIntoHalves) {
  OperandBits random(73);
  const auto operands = random.combinations({special_floats(), special_floats()}, {32, 32}, 512);
  for (const std::string type : {"f16", "bf16"}) {
    const auto results =
        execute_lanes({"cvt.rn." + type + "x2.f32 $d, $a, $b;", 32, {32, 32}}, operands);
    for (std::size_t n = 0; n < results.size(); ++n) {
      for (const int half : {0, 1}) {
        const double v = number(operands[half == 0 ? 1 : 0][n], kBinary32);
        const Bits got = results[n] >> (16 * half) & 0xffff;
        if (std::isnan(v)) {
          ASSERT_EQ(got, 0x7fffU);
        } else if (std::isfinite(v) && v != 0) {
          ASSERT_EQ(got, rounded(exact(v), format_of(type), Rounding::Rn)) << v;
        } else {
          ASSERT_EQ(number(got, format_of(type)), v);
        }
      }
    }
  }
}

}  // namespace
}  // namespace tilestep::simt
