#include "ui/number_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tilestep::ui {
namespace {

TEST(ShortNumber, WholeNumbersAreWholeOrInPowersOfTen) {
  EXPECT_EQ(short_number(0, 3), "0");
  EXPECT_EQ(short_number(-73, 3), "-73");
  EXPECT_EQ(short_number(1234, 4), "1234");
  EXPECT_EQ(short_number(123456, 6), "123456");
  EXPECT_EQ(short_number(123456, 5), "1.2e5");
  EXPECT_EQ(short_number(123456, 3), "1e5");
  EXPECT_EQ(short_number(1e9, 5), "1e9");
}

TEST(ShortNumber, NeverShowsADifferentWholeNumber) {
  for (int value = 1000; value < 10000; value += 37) {
    const std::string text = short_number(value, 3);
    EXPECT_NE(text.find('e'), std::string::npos) << value << " became " << text;
  }
}

TEST(ShortNumber, FractionsKeepAsManyDigitsAsFit) {
  EXPECT_EQ(short_number(0.5, 3), "0.5");
  EXPECT_EQ(short_number(0.25, 3), ".25");
  EXPECT_EQ(short_number(-0.25, 4), "-.25");
  EXPECT_EQ(short_number(3.14159265, 4), "3.14");
  EXPECT_EQ(short_number(3.14159265, 6), "3.1416");
}

TEST(ShortNumber, AlwaysFits) {
  for (const double value :
       {0.0, 1.0, -1.0, 0.1, -0.123456, 99.99, 1234.5, -98765.4, 1e-7, -1e-30, 3.4e38, -3.4e38}) {
    for (int room = 3; room <= 8; ++room) {
      EXPECT_LE(short_number(value, room).size(), static_cast<std::size_t>(room)) << value;
      EXPECT_FALSE(short_number(value, room).empty());
    }
  }
}

TEST(ShortNumber, NamesWhatIsNoNumber) {
  EXPECT_EQ(short_number(std::numeric_limits<double>::quiet_NaN(), 3), "nan");
  EXPECT_EQ(short_number(std::numeric_limits<double>::infinity(), 3), "inf");
  EXPECT_EQ(short_number(-std::numeric_limits<double>::infinity(), 4), "-inf");
}

TEST(NumberRoom, WholeNumbersLoseNoDigit) {
  for (const double value : {0.0, 7.0, -73.0, 2019.0, -123456.0, 9999999.0, -9999999.0}) {
    const NumberRoom room = number_room(value);
    EXPECT_EQ(room.least, room.longest) << value;
    EXPECT_EQ(with_minus(short_number(value, room.least)), full_number(value));
  }
}

TEST(NumberRoom, IsTheSizeOfTheWholeNumber) {
  for (const double value : {0.0, -0.0, 9.0, 10.0, -10.0, 99999.0, 100000.0, -999999.0, 1000000.0,
                             9999999.0, -9999999.0}) {
    const auto size = static_cast<int>(short_number(value, kLongestNumber).size());
    EXPECT_EQ(number_room(value).longest, size) << value;
    EXPECT_EQ(number_room(value).least, size) << value;
  }
  EXPECT_EQ(short_number(-0.0, 3), "-0");
  EXPECT_EQ(short_number(-9999999.0, 8), "-9999999");
}

TEST(NumberRoom, FractionsCanDoWithThreeCharacters) {
  EXPECT_EQ(number_room(0.123456).longest, 6);
  EXPECT_EQ(number_room(0.123456).least, 3);
  EXPECT_EQ(number_room(1e30).least, 3);
}

TEST(FullNumber, ReadsBackAsTheFloatItWas) {
  EXPECT_EQ(full_number(static_cast<double>(0.1F)), "0.1");
  EXPECT_EQ(full_number(73.0), "73");
  EXPECT_EQ(full_number(-73.0), "−73");
  EXPECT_EQ(factor_number(-73.0), "(−73)");
  EXPECT_EQ(factor_number(73.0), "73");
  EXPECT_EQ(full_number(0.1), "0.1");
}

}  // namespace
}  // namespace tilestep::ui
