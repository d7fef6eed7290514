// The products that optimized code adds unrounded. The machine must compute what ptxas 13.0 makes
// of each of these kernels (sm_90, machine code read with nvdisasm).
#include "ptx_lanes.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

namespace tilestep::simt {
namespace {

// For factors like these the rounded product differs from the exact one.
constexpr float kA = 1.0F + 0x1p-12F;
constexpr float kB = 1.0F + 0x1p-13F;
constexpr float kC = -1.0F;

// The value in $d after the body, for a = kA, b = kB, c = kC.
float result_of(const std::string& body) {
  const LaneInstruction sequence{
      "{ .reg .f32 x, y, z; .reg .pred q; " + body + " }", 32, {32, 32, 32}};
  const auto lanes = [](float value) {
    return std::vector<std::uint64_t>(32, std::bit_cast<std::uint32_t>(value));
  };
  const auto results = execute_sequence(sequence, {lanes(kA), lanes(kB), lanes(kC)});
  return std::bit_cast<float>(static_cast<std::uint32_t>(results.at(0)));
}

float rounded(float a, float b) {
  const volatile float product = a * b;
  return product;
}

TEST(Contraction, ASumOrDifferenceTakesItsProductUnrounded) {
  EXPECT_EQ(result_of("mul.f32 x, $a, $b; add.f32 $d, x, $c;"), std::fma(kA, kB, kC));
  EXPECT_EQ(result_of("mul.f32 x, $a, $b; add.f32 $d, $c, x;"), std::fma(kA, kB, kC));
  EXPECT_EQ(result_of("mul.f32 x, $a, $b; sub.f32 $d, x, $c;"), std::fma(kA, kB, -kC));
  EXPECT_EQ(result_of("mul.f32 x, $a, $b; sub.f32 $d, $c, x;"), std::fma(-kA, kB, kC));
  EXPECT_NE(std::fma(kA, kB, kC), rounded(kA, kB) + kC);
}

TEST(Contraction, AnInstructionThatSaysHowToRoundIsLeftAlone) {
  EXPECT_EQ(result_of("mul.rn.f32 x, $a, $b; add.f32 $d, x, $c;"), rounded(kA, kB) + kC);
  EXPECT_EQ(result_of("mul.f32 x, $a, $b; add.rn.f32 $d, x, $c;"), rounded(kA, kB) + kC);
}

TEST(Contraction, OfAProductThatIsReadByOthersTooNoneIsFused) {
  EXPECT_EQ(result_of("mul.f32 x, $a, $b; add.f32 $d, x, $c; max.f32 y, x, $d;"),
            rounded(kA, kB) + kC);
}

TEST(Contraction, SeveralSumsTakeOneProduct) {
  EXPECT_EQ(result_of("mul.f32 x, $a, $b; add.f32 y, x, $c; add.f32 z, x, $a; "
                      "add.rn.f32 $d, y, z;"),
            std::fma(kA, kB, kC) + std::fma(kA, kB, kA));
}

TEST(Contraction, OfTwoProductsTheFirstOperandIsTaken) {
  const float square = rounded(kA, kA);
  EXPECT_EQ(result_of("mul.f32 x, $a, $b; mul.f32 y, $a, $a; add.f32 $d, x, y;"),
            std::fma(kA, kB, square));
  EXPECT_EQ(result_of("mul.f32 y, $a, $a; mul.f32 x, $a, $b; sub.f32 $d, x, y;"),
            std::fma(kA, kB, -square));
  // The other one stays a product for all of its readers.
  EXPECT_EQ(result_of("mul.f32 x, $a, $b; mul.f32 y, $a, $a; add.f32 z, y, $c; add.f32 $d, x, y; "
                      "add.rn.f32 $d, $d, z;"),
            std::fma(kA, kB, square) + (square + kC));
}

TEST(Contraction, AProductAddedToItselfIsRounded) {
  EXPECT_EQ(result_of("mul.f32 x, $a, $b; add.f32 $d, x, x;"), 2 * rounded(kA, kB));
}

TEST(Contraction, ItDoesNotReachAcrossALabel) {
  EXPECT_EQ(result_of("mul.f32 x, $a, $b; setp.gt.f32 q, $a, $c; @q bra TO; mov.f32 $d, $a; "
                      "TO: add.f32 $d, x, $c;"),
            rounded(kA, kB) + kC);
}

TEST(Contraction, AFactorThatChangesMeanwhileIsNoFactorAnyMore) {
  EXPECT_EQ(result_of("mov.f32 y, $a; mul.f32 x, y, $b; mov.f32 y, $c; add.f32 $d, x, y;"),
            rounded(kA, kB) + kC);
}

}  // namespace
}  // namespace tilestep::simt
