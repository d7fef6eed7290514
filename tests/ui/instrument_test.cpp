// The positions of the notches, and the values of typed digits.
#include "ui/instrument.h"

#include <gtest/gtest.h>

namespace tilestep::ui {
namespace {

TEST(Instrument, EveryNotchIsFoundWhereItIsDrawn) {
  const Notches notches{100.0F, 720.0F, 32};
  EXPECT_FLOAT_EQ(notches.x_of(1), 100.0F);
  EXPECT_FLOAT_EQ(notches.x_of(32), 720.0F);
  for (int value = 1; value <= 32; ++value) {
    EXPECT_EQ(notches.value_at(notches.x_of(value)), value);
    EXPECT_EQ(notches.value_at(notches.x_of(value) + 9.0F), value) << "nearer than the next one";
  }
  EXPECT_EQ(notches.value_at(-50.0F), 1);
  EXPECT_EQ(notches.value_at(5000.0F), 32);
}

TEST(Instrument, DigitsMakeAValueUpToTheLast) {
  EXPECT_EQ(type_digit(0, 1, 32).value, 1);
  EXPECT_FALSE(type_digit(0, 1, 32).is_over) << "10 to 19 may follow";
  EXPECT_EQ(type_digit(1, 7, 32).value, 17);
  EXPECT_TRUE(type_digit(1, 7, 32).is_over);
  EXPECT_TRUE(type_digit(0, 4, 32).is_over);
  EXPECT_EQ(type_digit(3, 5, 32).value, 5) << "35 is too large: a new number";
  EXPECT_EQ(type_digit(0, 0, 32).value, 0);
}

}  // namespace
}  // namespace tilestep::ui
