// The verdict on a curve that was drawn before it was shown.
#include "analysis/prediction.h"
#include "data.h"

#include <gtest/gtest.h>

namespace tilestep::analysis {
namespace {

constexpr problem::Problem kThousand{1000, 1000, 1000};

// tiled has 500 GFLOP/s at 8 and 1000 at 16.
GuessVerdict verdict_on(std::map<int, float> gflops) {
  return judge({"tiled", std::move(gflops), 16, true}, test::data_set(), kThousand);
}

TEST(Guess, TheLargestMissIsTheLargestRatio) {
  const GuessVerdict verdict = verdict_on({{8, 600.0F}, {16, 250.0F}, {20, 1.0F}});
  EXPECT_EQ(verdict.compared, 2) << "20 is not measured";
  EXPECT_EQ(verdict.block_size, 16);
  EXPECT_DOUBLE_EQ(verdict.drawn, 250.0);
  EXPECT_DOUBLE_EQ(verdict.measured, 1000.0);
  EXPECT_NEAR(verdict.median, 1.2, 1e-6);
  EXPECT_EQ(verdict.sentence,
            "Largest error: 250 GFLOP/s drawn at BLOCK_SIZE 16, 1000 measured, 4.0× too low. "
            "Median error of 2 points: 20%.");
}

TEST(Guess, TooHighIsSaidInPercentWhileItIsLessThanTwice) {
  EXPECT_EQ(verdict_on({{8, 750.0F}}).sentence,
            "Largest error: 750 GFLOP/s drawn at BLOCK_SIZE 8, 500 measured, 50% too high. Median "
            "error of 1 point: 50%.");
}

TEST(Guess, NothingMeasuredIsSaid) {
  EXPECT_EQ(verdict_on({{20, 1.0F}}).sentence, "No measurements at the points you drew.");
}

}  // namespace
}  // namespace tilestep::analysis
