// Registers that products read, assembled bit by bit in the layout of ptx/sass/decode.h;
// sass_test.cpp compares them with nvdisasm's listings.
#include "ptx/sass/loops.h"

#include <gtest/gtest.h>

namespace tilestep::ptx {
namespace {

constexpr std::uint64_t kFfma = 0x223;  // three registers
constexpr std::uint64_t kHmma = 0x23c;
constexpr std::uint64_t kTf32 = 0x81000;  // bits 64–127 of HMMA: its shape and types
constexpr std::uint64_t kLds = 0x984;
constexpr std::uint64_t kZero = 255;
constexpr unsigned kFirst = 1;  // operands that are kept
constexpr unsigned kThird = 4;

class Products {
 public:
  Products& add(std::uint64_t code, std::uint64_t a, std::uint64_t b, std::uint64_t c,
                std::uint64_t kept = 0) {
    const std::uint64_t shape = code == kHmma ? kTf32 : 0;
    reader_.add(read_sass(code | a << 24U | b << 32U, c | shape | kept << 58U, 0));
    return *this;
  }
  [[nodiscard]] const RegisterReads& reads() const { return reader_.reads(); }

 private:
  RegisterReader reader_;
};

TEST(RegisterPorts, AProductReadsThreeRegistersAndTwoAreServedInAClock) {
  Products code;
  code.add(kFfma, 2, 4, 7);
  EXPECT_EQ(code.reads().products, 1U);
  EXPECT_EQ(code.reads().even, 2U);
  EXPECT_EQ(code.reads().odd, 1U);
  EXPECT_DOUBLE_EQ(code.reads().waits(), 0.5);
}

TEST(RegisterPorts, AnOperandThatIsKeptIsNotReadAtTheSamePlace) {
  Products code;
  code.add(kFfma, 2, 4, 7, kFirst).add(kFfma, 2, 5, 9);
  EXPECT_EQ(code.reads().kept, 1U);
  EXPECT_EQ(code.reads().even, 2U);
  EXPECT_EQ(code.reads().odd, 3U);
  EXPECT_DOUBLE_EQ(code.reads().waits(), 0.5);  // five reads, two products
  code.add(kFfma, 2, 5, 9);                     // register 2 has not been kept since
  EXPECT_EQ(code.reads().kept, 1U);
  Products elsewhere;
  elsewhere.add(kFfma, 2, 4, 7, kThird).add(kFfma, 7, 5, 9);
  EXPECT_EQ(elsewhere.reads().kept, 0U) << "it stays at the place of the third operand";
}

TEST(RegisterPorts, AnotherInstructionBetweenThemLosesWhatWasKept) {
  Products code;
  code.add(kFfma, 2, 4, 7, kFirst).add(kLds, 2, 4, 7).add(kFfma, 2, 5, 9);
  EXPECT_EQ(code.reads().kept, 0U);
  EXPECT_EQ(code.reads().products, 2U);
}

TEST(RegisterPorts, ZeroAndConstantsAreNotReadAndOneRegisterTwiceIsReadOnce) {
  Products code;
  code.add(kFfma, 2, kZero, 2);
  EXPECT_EQ(code.reads().even, 1U);
  EXPECT_DOUBLE_EQ(code.reads().waits(), 0.0);
  Products constants;
  constants.add(0x823, 3, 4, 6);  // the second operand is a number: 4 is a part of it
  EXPECT_EQ(constants.reads().even, 1U);
  EXPECT_EQ(constants.reads().odd, 1U);
  constants.add(0x423, 3, 4, 6);  // the third operand is; the second is in its usual place
  EXPECT_EQ(constants.reads().even, 2U);
  EXPECT_EQ(constants.reads().odd, 2U);
}

TEST(RegisterPorts, AProductOfMatricesReadsTenRegisters) {
  Products code;
  code.add(kHmma, 8, 4, 12, kFirst);
  EXPECT_EQ(code.reads().matrix_products, 1U);
  EXPECT_EQ(code.reads().of_matrices, 10U);
  EXPECT_DOUBLE_EQ(code.reads().waits(), 4.0);
  code.add(kHmma, 8, 6, kZero);  // its first operand is kept, its sums begin at zero
  EXPECT_EQ(code.reads().of_matrices, 12U);
  EXPECT_DOUBLE_EQ(code.reads().waits(), 4.0) << "the second one needs one clock";
  EXPECT_EQ(code.reads().products, 0U);
}

}  // namespace
}  // namespace tilestep::ptx
