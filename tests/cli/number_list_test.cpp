#include "cli/launch_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilestep::cli {
namespace {

using ::testing::ElementsAre;

TEST(NumberList, TakesNumbersAndRangesWithBothEnds) {
  EXPECT_THAT(*parse_number_list("1..4,8,16", "--b"), ElementsAre(1, 2, 3, 4, 8, 16));
  EXPECT_THAT(*parse_number_list("7", "--b"), ElementsAre(7));
  EXPECT_THAT(*parse_number_list("5..5", "--b"), ElementsAre(5));
}

TEST(NumberList, SaysWhichPartIsNotUnderstood) {
  for (const char* part : {"x", "", "0", "-1", "3..1", "1..2..3", "1.5", "1..", "99999999999"}) {
    const auto list = parse_number_list(std::string("4,") + part, "--block-sizes");
    ASSERT_FALSE(list.has_value()) << part;
    EXPECT_EQ(list.error().message, std::string("--block-sizes 4,") + part + ": '" + part +
                                        "' is not valid. Example: 1..8,16,32.");
  }
}

TEST(ProblemList, OneNumberIsASquareAndThreeAreMNK) {
  const auto problems = parse_problem_list("512,100x200x50", "--sizes");
  ASSERT_TRUE(problems.has_value());
  EXPECT_THAT(*problems,
              ElementsAre(problem::Problem{512, 512, 512}, problem::Problem{100, 200, 50}));
}

TEST(ProblemList, SaysWhichPartIsNotUnderstood) {
  for (const char* text : {"8x8", "8x8x8x8", "0", "8xax8", "big"}) {
    EXPECT_FALSE(parse_problem_list(text, "--sizes").has_value()) << text;
  }
}

}  // namespace
}  // namespace tilestep::cli
