// Numbers as bits and with every digit.
#include "ui/number_text.h"

#include <gtest/gtest.h>

#include <limits>

namespace tilestep::ui {
namespace {

using problem::ElementType;
using state::NumberForm;

TEST(NumberForm, IsTheBitsOfAFloat) {
  EXPECT_EQ(formed_number(5.0, ElementType::F32, NumberForm::Hex), "0x40A00000");
  EXPECT_EQ(formed_number(static_cast<double>(0.1F), {}, NumberForm::Hex), "0x3DCCCCCD");
  EXPECT_EQ(formed_number(-0.0, ElementType::F32, NumberForm::Hex), "0x80000000");
  EXPECT_EQ(formed_number(1.0, ElementType::F64, NumberForm::Hex), "0x3FF0000000000000");
  EXPECT_EQ(formed_number(1.0, ElementType::F16, NumberForm::Hex), "0x3C00");
  EXPECT_EQ(formed_number(5.0, ElementType::F32, NumberForm::Binary),
            "0 10000001 01000000000000000000000");
  EXPECT_EQ(formed_number(1.0, ElementType::BF16, NumberForm::Binary), "0 01111111 0000000");
}

TEST(NumberForm, IsTheBitsOfAnInteger) {
  EXPECT_EQ(formed_number(-1.0, ElementType::S32, NumberForm::Hex), "0xFFFFFFFF");
  EXPECT_EQ(formed_number(258.0, ElementType::U16, NumberForm::Binary), "00000001 00000010");
  EXPECT_EQ(formed_number(-1.0, ElementType::U8, NumberForm::Hex), "−1") << "it holds no such";
}

TEST(NumberForm, IsEveryDigit) {
  EXPECT_EQ(formed_number(static_cast<double>(0.1F), ElementType::F32, NumberForm::Exact),
            "0.100000001490116119384765625");
  EXPECT_EQ(formed_number(-41.0, ElementType::F32, NumberForm::Exact), "−41");
  EXPECT_EQ(formed_number(16777216.5, ElementType::F64, NumberForm::Exact), "16777216.5");
  EXPECT_EQ(formed_number(std::numeric_limits<double>::quiet_NaN(), {}, NumberForm::Exact), "nan");
}

TEST(NumberForm, IsDecimalUnlessAnotherIsChosen) {
  EXPECT_EQ(formed_number(static_cast<double>(0.1F), ElementType::F32, NumberForm::Decimal), "0.1");
}

}  // namespace
}  // namespace tilestep::ui
