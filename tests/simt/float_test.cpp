// Floating-point instructions against exact arithmetic with one rounding.
#include "exact_number.h"
#include "ptx_lanes.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>

namespace tilestep::simt {
namespace {

using ptx::Rounding;
using Bits = std::uint64_t;

constexpr Bits kNan32 = 0x7fffffff;
constexpr Bits kNan64 = 0x7ff8000000000000;

// Comparison in which any NaN matches a NaN if the format keeps payloads (f64).
void expect_same(Bits got, Bits wanted, int width, const std::string& what) {
  if (width == 64 && std::isnan(std::bit_cast<double>(wanted))) {
    EXPECT_TRUE(std::isnan(std::bit_cast<double>(got))) << what;
  } else {
    EXPECT_EQ(got, wanted) << what << std::hex << " got " << got << " wanted " << wanted;
  }
}

void check(const std::string& text, int width, std::size_t sources,
           const std::function<Bits(const Bits*)>& oracle, std::size_t count = 1024) {
  SCOPED_TRACE(text);
  const auto special = width == 32 ? special_floats() : special_doubles();
  const std::vector<int> widths(sources, width);
  OperandBits random(11);
  const auto operands =
      random.combinations(std::vector<std::vector<Bits>>(sources, special), widths, count);
  const auto results = execute_lanes({text, width, widths}, operands);
  for (std::size_t n = 0; n < results.size(); ++n) {
    Bits in[3] = {};
    std::string what;
    for (std::size_t k = 0; k < sources; ++k) {
      in[k] = operands[k][n];
      what += " " + std::to_string(in[k]);
    }
    expect_same(results[n], oracle(in), width, what);
    if (testing::Test::HasFailure()) {
      return;
    }
  }
}

TEST(Floats, AddMultiplyAndFuseWithOneRoundingInEveryMode) {
  for (const NamedRounding& mode : kRoundings) {
    for (const int width : {32, 64}) {
      const BinaryFormat format = width == 32 ? kBinary32 : kBinary64;
      const std::string type = std::string(mode.name) + ".f" + std::to_string(width);
      const Rounding r = mode.rounding;
      const Bits nan = width == 32 ? kNan32 : kNan64;
      check("add." + type + " $d, $a, $b;", width, 2,
            [=](const Bits* in) { return sum(in[0], in[1], format, r, nan); });
      check("sub." + type + " $d, $a, $b;", width, 2, [=](const Bits* in) {
        return sum(in[0], in[1] ^ (1ULL << (width - 1)), format, r, nan);
      });
      check("mul." + type + " $d, $a, $b;", width, 2,
            [=](const Bits* in) { return product(in[0], in[1], format, r, nan); });
      check("fma." + type + " $d, $a, $b, $c;", width, 3,
            [=](const Bits* in) { return fused(in[0], in[1], in[2], format, r, nan); });
    }
  }
}

TEST(Floats, RoundToNearestWhenNothingIsSaid) {
  check("add.f32 $d, $a, $b;", 32, 2,
        [](const Bits* in) { return sum(in[0], in[1], kBinary32, Rounding::Rn, kNan32); });
  check("mul.f32 $d, $a, $b;", 32, 2,
        [](const Bits* in) { return product(in[0], in[1], kBinary32, Rounding::Rn, kNan32); });
}

[[nodiscard]] double value32(Bits bits) {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
}
[[nodiscard]] Bits bits32(float value) {
  return std::isnan(value) ? kNan32 : std::bit_cast<std::uint32_t>(value);
}

// Rounding the double result once more is harmless: 53 >= 2·24 + 2 (Figueroa 1995).
TEST(Floats, DivideAndTakeRootsToTheNearest) {
  check("div.rn.f32 $d, $a, $b;", 32, 2,
        [](const Bits* in) { return bits32(static_cast<float>(value32(in[0]) / value32(in[1]))); });
  check("rcp.rn.f32 $d, $a;", 32, 1,
        [](const Bits* in) { return bits32(static_cast<float>(1.0 / value32(in[0]))); });
  check("sqrt.rn.f32 $d, $a;", 32, 1,
        [](const Bits* in) { return bits32(static_cast<float>(std::sqrt(value32(in[0])))); });
}

// The quotient q is correct if a is between the products of b with q's neighboring midpoints.
[[nodiscard]] bool is_rounded_quotient(double a, double b, double q, Rounding mode) {
  if (!std::isfinite(a) || !std::isfinite(b) || b == 0 || a == 0 || !std::isfinite(q) || q == 0) {
    return true;  // compared elsewhere
  }
  const double magnitude = std::fabs(q);
  const double up = std::nextafter(magnitude, HUGE_VAL);
  const double down = std::nextafter(magnitude, 0.0);
  const auto times_b = [b](const Exact& x) { return multiply(x, exact(std::fabs(b))); };
  const auto middle = [](double x, double y) {
    Exact sum_of = add(exact(x), exact(y));
    --sum_of.exponent;
    return sum_of;
  };
  const bool towards_zero =
      mode == Rounding::Rz || (mode == Rounding::Rm && q > 0) || (mode == Rounding::Rp && q < 0);
  const Exact dividend = exact(std::fabs(a));
  if (mode == Rounding::Rn) {
    return (std::isinf(up) || compare_magnitudes(dividend, times_b(middle(magnitude, up))) <= 0) &&
           compare_magnitudes(dividend, times_b(middle(down, magnitude))) >= 0;
  }
  if (towards_zero) {
    return compare_magnitudes(dividend, times_b(exact(magnitude))) >= 0 &&
           (std::isinf(up) || compare_magnitudes(dividend, times_b(exact(up))) < 0);
  }
  return compare_magnitudes(dividend, times_b(exact(magnitude))) <= 0 &&
         compare_magnitudes(dividend, times_b(exact(down))) > 0;
}

TEST(Floats, DivideDoublesInEveryMode) {
  for (const NamedRounding& mode : kRoundings) {
    OperandBits random(13);
    const auto special = special_doubles();
    const auto operands = random.combinations({special, special}, {64, 64}, 2048);
    const auto results = execute_lanes(
        {"div." + std::string(mode.name) + ".f64 $d, $a, $b;", 64, {64, 64}}, operands);
    for (std::size_t n = 0; n < results.size(); ++n) {
      const auto a = std::bit_cast<double>(operands[0][n]);
      const auto b = std::bit_cast<double>(operands[1][n]);
      const auto q = std::bit_cast<double>(results[n]);
      ASSERT_TRUE(is_rounded_quotient(a, b, q, mode.rounding)) << mode.name << a << "/" << b;
      ASSERT_EQ(std::isnan(q), std::isnan(a / b));
      ASSERT_TRUE(std::isnan(q) || std::signbit(q) == std::signbit(a / b));
    }
  }
}

// A root r of x: r's neighboring midpoints squared enclose x.
TEST(Floats, TakeRootsOfDoubles) {
  OperandBits random(17);
  const auto operands = random.combinations({special_doubles()}, {64}, 2048);
  const auto results = execute_lanes({"sqrt.rn.f64 $d, $a;", 64, {64}}, operands);
  for (std::size_t n = 0; n < results.size(); ++n) {
    const auto x = std::bit_cast<double>(operands[0][n]);
    const auto r = std::bit_cast<double>(results[n]);
    if (x < 0 || std::isnan(x)) {
      ASSERT_TRUE(std::isnan(r) || x == 0);
    } else if (x == 0 || std::isinf(x)) {
      ASSERT_EQ(r, x);
    } else {
      const auto squared_middle = [](double a, double b) {
        Exact middle = add(exact(a), exact(b));
        --middle.exponent;
        return multiply(middle, middle);
      };
      ASSERT_LE(compare_magnitudes(exact(x), squared_middle(r, std::nextafter(r, HUGE_VAL))), 0);
      ASSERT_GE(compare_magnitudes(exact(x), squared_middle(r, std::nextafter(r, 0.0))), 0);
    }
  }
}

[[nodiscard]] Bits flushed(Bits bits) {
  return (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits;
}

TEST(Floats, FlushSubnormalsOnlyWhereAsked) {
  check("add.ftz.f32 $d, $a, $b;", 32, 2, [](const Bits* in) {
    return flushed(sum(flushed(in[0]), flushed(in[1]), kBinary32, Rounding::Rn, kNan32));
  });
  check("mul.ftz.f32 $d, $a, $b;", 32, 2, [](const Bits* in) {
    return flushed(product(flushed(in[0]), flushed(in[1]), kBinary32, Rounding::Rn, kNan32));
  });
  check("fma.rn.ftz.f32 $d, $a, $b, $c;", 32, 3, [](const Bits* in) {
    return flushed(
        fused(flushed(in[0]), flushed(in[1]), flushed(in[2]), kBinary32, Rounding::Rn, kNan32));
  });
}

[[nodiscard]] Bits saturated(Bits bits) {
  const double v = value32(bits);
  return std::isnan(v) || v <= 0 ? 0 : v > 1 ? 0x3f800000 : bits;
}

TEST(Floats, SaturateToZeroAndOne) {
  check("add.sat.f32 $d, $a, $b;", 32, 2, [](const Bits* in) {
    return saturated(sum(in[0], in[1], kBinary32, Rounding::Rn, kNan32));
  });
  check("fma.rn.sat.f32 $d, $a, $b, $c;", 32, 3, [](const Bits* in) {
    return saturated(fused(in[0], in[1], in[2], kBinary32, Rounding::Rn, kNan32));
  });
}

// Order with -0 below +0: by sign, then by magnitude.
[[nodiscard]] bool is_less(Bits a, Bits b, int width) {
  const Bits sign = 1ULL << (width - 1);
  const auto key = [sign](Bits v) { return (v & sign) != 0 ? sign - (v & ~sign) - 1 : v | sign; };
  return key(a) < key(b);
}
[[nodiscard]] bool is_nan(Bits bits, int width) {
  return width == 32 ? std::isnan(value32(bits)) : std::isnan(std::bit_cast<double>(bits));
}

TEST(Floats, PreferTheNumberInMinimumAndMaximum) {
  for (const int width : {32, 64}) {
    const std::string type = ".f" + std::to_string(width) + " $d, $a, $b;";
    const auto choose = [width](const Bits* in, bool smaller) {
      const bool a = is_nan(in[0], width);
      const bool b = is_nan(in[1], width);
      if (a || b) {
        return a && b ? (width == 32 ? kNan32 : in[0]) : a ? in[1] : in[0];
      }
      return is_less(in[0], in[1], width) == smaller ? in[0] : in[1];
    };
    check("min" + type, width, 2, [=](const Bits* in) { return choose(in, true); });
    check("max" + type, width, 2, [=](const Bits* in) { return choose(in, false); });
  }
  check("min.NaN.f32 $d, $a, $b;", 32, 2, [](const Bits* in) {
    return is_nan(in[0], 32) || is_nan(in[1], 32) ? kNan32
           : is_less(in[0], in[1], 32)            ? in[0]
                                                  : in[1];
  });
}

TEST(Floats, ChangeSigns) {
  check("neg.f32 $d, $a;", 32, 1,
        [](const Bits* in) { return is_nan(in[0], 32) ? kNan32 : in[0] ^ 0x80000000; });
  check("abs.f32 $d, $a;", 32, 1,
        [](const Bits* in) { return is_nan(in[0], 32) ? kNan32 : in[0] & 0x7fffffff; });
  check("neg.f64 $d, $a;", 64, 1, [](const Bits* in) { return in[0] ^ (1ULL << 63); });
  check("abs.f64 $d, $a;", 64, 1, [](const Bits* in) { return in[0] & ~(1ULL << 63); });
  check("copysign.f32 $d, $a, $b;", 32, 2,
        [](const Bits* in) { return (in[0] & 0x80000000) | (in[1] & 0x7fffffff); });
  check("copysign.f64 $d, $a, $b;", 64, 2,
        [](const Bits* in) { return (in[0] & (1ULL << 63)) | (in[1] & ~(1ULL << 63)); });
}

// Within the manual's bound, and exact if the function is.
void check_function(const std::string& text, double (*function)(double), double relative_bound,
                    double absolute_bound) {
  SCOPED_TRACE(text);
  std::vector<std::vector<Bits>> operands(1);
  OperandBits random(19);
  for (int n = 0; n < 512; ++n) {
    const auto unit = static_cast<double>(random.next() >> 11) * 0x1p-53;
    operands[0].push_back(bits32(static_cast<float>((unit - 0.5) * 12.0)));
  }
  for (const Bits bits : special_floats()) {
    operands[0].push_back(bits);
  }
  const auto results = execute_lanes({text, 32, {32}}, operands);
  for (std::size_t n = 0; n < results.size(); ++n) {
    const double x = value32(operands[0][n]);
    const double wanted = function(x);
    const double got = value32(results[n]);
    if (std::isnan(wanted)) {
      EXPECT_TRUE(std::isnan(got)) << x;
    } else if (!std::isfinite(wanted) || std::fabs(wanted) > 3.4e38) {
      EXPECT_TRUE(std::isinf(got)) << x;
    } else {
      EXPECT_LE(std::fabs(got - wanted), relative_bound * std::fabs(wanted) + absolute_bound) << x;
    }
  }
}

TEST(Floats, ApproximateWithinTheManualsBounds) {
  check_function(
      "ex2.approx.f32 $d, $a;", [](double x) { return std::exp2(x); }, 0x1p-22, 0x1p-149);
  check_function(
      "lg2.approx.f32 $d, $a;", [](double x) { return std::log2(x); }, 0x1p-22, 0x1p-22);
  check_function(
      "rsqrt.approx.f32 $d, $a;", [](double x) { return 1.0 / std::sqrt(x); }, 0x1p-22, 0.0);
  check_function(
      "rcp.approx.f32 $d, $a;", [](double x) { return 1.0 / x; }, 0x1p-23, 0x1p-149);
  check_function(
      "sqrt.approx.f32 $d, $a;", [](double x) { return std::sqrt(x); }, 0x1p-23, 0.0);
  check_function(
      "sin.approx.f32 $d, $a;", [](double x) { return std::sin(x); }, 0x1p-21, 0x1p-21);
  check_function(
      "cos.approx.f32 $d, $a;", [](double x) { return std::cos(x); }, 0x1p-21, 0x1p-21);
  check_function(
      "tanh.approx.f32 $d, $a;", [](double x) { return std::tanh(x); }, 0x1p-11, 0.0);
}

}  // namespace
}  // namespace tilestep::simt
