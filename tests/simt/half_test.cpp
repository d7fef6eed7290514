// f16 and bf16 arithmetic against exact arithmetic with one rounding.
#include "exact_number.h"
#include "ptx_lanes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace tilestep::simt {
namespace {

using Bits = std::uint64_t;
constexpr Bits kNan = 0x7fff;
constexpr auto kRn = ptx::Rounding::Rn;

[[nodiscard]] std::vector<Bits> special_halves(BinaryFormat format) {
  if (format.precision == kBinary16.precision) {
    return {0x0000, 0x8000, 0x3c00, 0xbc00, 0x0001, 0x8001, 0x03ff, 0x0400,
            0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x3800, 0x4000, 0x1400};
  }
  return {0x0000, 0x8000, 0x3f80, 0xbf80, 0x0001, 0x8001, 0x007f, 0x0080,
          0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0x3f00, 0x4000, 0x3380};
}

using Oracle = std::function<Bits(Bits, Bits, Bits)>;

void check(const std::string& op, const std::string& type, BinaryFormat format, int sources,
           const Oracle& oracle) {
  const char* const names[] = {"$d, $a;", "$d, $a, $b;", "$d, $a, $b, $c;"};
  const std::string tail = std::string(" ") + names[sources - 1];
  SCOPED_TRACE(op + type);
  OperandBits random(89);
  const auto special = special_halves(format);
  const auto count = static_cast<std::size_t>(sources);
  const auto operands = random.combinations(std::vector<std::vector<Bits>>(count, special),
                                            std::vector<int>(count, 16), 2048);
  const auto results = execute_lanes({op + type + tail, 16, std::vector<int>(count, 16)}, operands);
  std::vector<std::vector<Bits>> pairs = operands;
  for (std::vector<Bits>& operand : pairs) {  // the other half: the operand of the next lane
    for (std::size_t n = 0; n < operand.size(); ++n) {
      operand[n] |= (n + 1 < operand.size() ? operand[n + 1] & 0xffff : 0) << 16;
    }
  }
  const auto both =
      execute_lanes({op + type + "x2" + tail, 32, std::vector<int>(count, 32)}, pairs);
  for (std::size_t n = 0; n < results.size(); ++n) {
    const Bits wanted =
        oracle(operands[0][n], sources > 1 ? operands[1][n] : 0, sources > 2 ? operands[2][n] : 0);
    ASSERT_EQ(results[n], wanted) << std::hex << operands[0][n];
    ASSERT_EQ(both[n] & 0xffff, wanted);
    if (n + 1 < results.size()) {
      ASSERT_EQ(both[n] >> 16, results[n + 1]);
    }
  }
}

TEST(Halves, AddMultiplyAndFuseWithOneRounding) {
  for (const auto& [type, format] : {std::pair{".f16", kBinary16}, {".bf16", kBfloat16}}) {
    const BinaryFormat f = format;
    check("add", type, f, 2, [f](Bits a, Bits b, Bits) { return sum(a, b, f, kRn, kNan); });
    check("sub", type, f, 2,
          [f](Bits a, Bits b, Bits) { return sum(a, b ^ 0x8000, f, kRn, kNan); });
    check("mul", type, f, 2, [f](Bits a, Bits b, Bits) { return product(a, b, f, kRn, kNan); });
    check("fma.rn", type, f, 3,
          [f](Bits a, Bits b, Bits c) { return fused(a, b, c, f, kRn, kNan); });
  }
}

TEST(Halves, ChooseAndChangeSigns) {
  const BinaryFormat f = kBinary16;
  const auto is_nan = [f](Bits a) { return std::isnan(number(a, f)); };
  const auto less = [f](Bits a, Bits b) {
    const double x = number(a, f);
    const double y = number(b, f);
    return x < y || (x == y && std::signbit(x) && !std::signbit(y));
  };
  check("min", ".f16", f, 2, [=](Bits a, Bits b, Bits) {
    return is_nan(a) ? (is_nan(b) ? kNan : b) : is_nan(b) || less(a, b) ? a : b;
  });
  check("max", ".f16", f, 2, [=](Bits a, Bits b, Bits) {
    return is_nan(a) ? (is_nan(b) ? kNan : b) : is_nan(b) || less(b, a) ? a : b;
  });
  check("neg", ".f16", f, 1, [=](Bits a, Bits, Bits) { return is_nan(a) ? kNan : a ^ 0x8000; });
  check("abs", ".f16", f, 1, [=](Bits a, Bits, Bits) { return is_nan(a) ? kNan : a & 0x7fff; });
}

TEST(Halves, AreCompared) {
  OperandBits random(97);
  const auto special = special_halves(kBinary16);
  const auto operands = random.combinations({special, special}, {16, 16}, 1024);
  const auto less = execute_lanes({"setp.lt.f16 $d, $a, $b;", 1, {16, 16}}, operands);
  const auto unordered = execute_lanes({"setp.geu.f16 $d, $a, $b;", 1, {16, 16}}, operands);
  for (std::size_t n = 0; n < less.size(); ++n) {
    const double a = number(operands[0][n], kBinary16);
    const double b = number(operands[1][n], kBinary16);
    ASSERT_EQ(less[n] != 0, a < b);
    ASSERT_EQ(unordered[n] != 0, !(a < b));
  }
}

TEST(Halves, AreComparedIntoNumbersAndMasks) {
  OperandBits random(101);
  const auto special = special_halves(kBfloat16);
  const auto operands = random.combinations({special, special}, {16, 16}, 1024);
  const auto number_of = execute_lanes({"set.gt.bf16.bf16 $d, $a, $b;", 16, {16, 16}}, operands);
  const auto mask = execute_lanes({"set.gt.u32.bf16 $d, $a, $b;", 32, {16, 16}}, operands);
  for (std::size_t n = 0; n < mask.size(); ++n) {
    const bool greater = number(operands[0][n], kBfloat16) > number(operands[1][n], kBfloat16);
    ASSERT_EQ(number_of[n], greater ? 0x3f80U : 0U);
    ASSERT_EQ(mask[n], greater ? 0xffffffffU : 0U);
  }
}

// Both halves of a pair: as two numbers, as two masks, as two predicates.
TEST(Halves, AreComparedInPairs) {
  OperandBits random(103);
  const auto special = special_halves(kBinary16);
  auto low = random.combinations({special, special}, {16, 16}, 1024);
  const auto high = random.combinations({special, special}, {16, 16}, 1024);
  const auto pairs = [&] {
    auto both = low;
    for (std::size_t k = 0; k < 2; ++k) {
      for (std::size_t n = 0; n < both[k].size(); ++n) {
        both[k][n] |= high[k][both[k].size() - 1 - n] << 16;
      }
    }
    return both;
  }();
  const auto numbers = execute_lanes({"set.le.f16x2.f16x2 $d, $a, $b;", 32, {32, 32}}, pairs);
  const auto masks = execute_lanes({"set.le.u32.f16x2 $d, $a, $b;", 32, {32, 32}}, pairs);
  const auto upper = execute_sequence(
      {"{ .reg .pred other; setp.le.f16x2 other|$d, $a, $b; }", 1, {32, 32}}, pairs);
  for (std::size_t n = 0; n < masks.size(); ++n) {
    const auto le = [&](unsigned shift) {
      return number(pairs[0][n] >> shift & 0xffff, kBinary16) <=
             number(pairs[1][n] >> shift & 0xffff, kBinary16);
    };
    ASSERT_EQ(numbers[n], (le(0) ? 0x3c00U : 0U) | (le(16) ? 0x3c000000U : 0U));
    ASSERT_EQ(masks[n], (le(0) ? 0xffffU : 0U) | (le(16) ? 0xffff0000U : 0U));
    ASSERT_EQ(upper[n] != 0, le(16));
  }
}

TEST(Halves, ChooseByMagnitude) {
  OperandBits random(107);
  const auto special = special_halves(kBinary16);
  const auto operands = random.combinations({special, special}, {16, 16}, 1024);
  const auto least = execute_lanes({"min.xorsign.abs.f16 $d, $a, $b;", 16, {16, 16}}, operands);
  for (std::size_t n = 0; n < least.size(); ++n) {
    const Bits a = operands[0][n];
    const Bits b = operands[1][n];
    const bool a_is_nan = std::isnan(number(a, kBinary16));
    const bool b_is_nan = std::isnan(number(b, kBinary16));
    const Bits magnitude = a_is_nan   ? b & 0x7fff
                           : b_is_nan ? a & 0x7fff
                                      : std::min(a & 0x7fff, b & 0x7fff);
    ASSERT_EQ(least[n], a_is_nan && b_is_nan ? kNan : magnitude | ((a ^ b) & 0x8000))
        << a << ' ' << b;
  }
}

}  // namespace
}  // namespace tilestep::simt
