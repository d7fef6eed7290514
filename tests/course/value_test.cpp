#include "course/value.h"

#include <gtest/gtest.h>

namespace tilestep::course {
namespace {

TEST(Value, IsWrittenAsPeopleWriteIt) {
  EXPECT_EQ(text_of(number_value(389)), "389");
  EXPECT_EQ(text_of(number_value(-43)), "−43");
  EXPECT_EQ(text_of(number_value(1024)), "1024");
  EXPECT_EQ(text_of(number_value(126'000'000)), "126,000,000");
  EXPECT_EQ(text_of(number_value(-10'000)), "−10,000");
  EXPECT_EQ(plain_text_of(number_value(10'000)), "10000");
  EXPECT_EQ(text_of(number_value(static_cast<double>(1912.2F))), "1912.2");
  EXPECT_EQ(text_of(number_value(1.0 / 3.0)), "0.333333");
  EXPECT_EQ(text_of(line_value(12'345)), "12345");
  EXPECT_EQ(text_of(yes_no_value(true)), "yes");
  EXPECT_EQ(text_of(yes_no_value(false)), "no");
  EXPECT_EQ(text_of(cell_value("A[0][1]")), "A[0][1]");
}

TEST(Value, SameThingsAreTheSame) {
  EXPECT_TRUE(are_same(number_value(0.1 + 0.2), number_value(0.3)));
  EXPECT_FALSE(are_same(number_value(389), number_value(388)));
  EXPECT_TRUE(are_same(line_value(28), number_value(28)));
  EXPECT_FALSE(are_same(yes_no_value(true), number_value(1)));
  EXPECT_FALSE(are_same(cell_value("A[0][0]"), text_value("A[0][0]")));
  Value first = text_value("(0,1)");
  first.kind = Value::Kind::Thread;
  Value other = first;
  EXPECT_TRUE(are_same(first, other));
  other.block = 1;
  EXPECT_FALSE(are_same(first, other));
}

}  // namespace
}  // namespace tilestep::course
