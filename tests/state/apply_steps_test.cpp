// Destinations of steps: pure functions of the recording.
#include "record/recording.h"
#include "simulated.h"
#include "state/apply.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>

namespace tilestep::state {
namespace {

class Navigation : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = record::Recording::make(kernels.program("tiled", {8, 8, 8}, 4), {});
    ASSERT_TRUE(made) << made.error().message;
    run = *made;
  }
  [[nodiscard]] bool is_statement_start(std::uint64_t step) const {
    const auto starts = run->statement_starts();
    return std::binary_search(starts.begin(), starts.end(), step);
  }

  test::Simulated kernels;
  std::shared_ptr<const record::Recording> run;
};

TEST_F(Navigation, EachUnitGoesForwardAndBackOverTheSameStops) {
  for (const Unit unit : {Unit::Phase, Unit::Statement, Unit::Instruction}) {
    std::vector<std::uint64_t> stops{0};
    while (stops.back() < run->step_count()) {
      stops.push_back(step_from(*run, stops.back(), unit, +1, 0));
      ASSERT_GT(stops.back(), stops[stops.size() - 2]);
    }
    for (std::size_t i = stops.size() - 1; i > 0; --i) {
      ASSERT_EQ(step_from(*run, stops[i], unit, -1, 0), stops[i - 1]);
    }
  }
}

TEST_F(Navigation, BothEndsAreTheEnds) {
  for (const Unit unit : {Unit::Phase, Unit::Statement, Unit::Instruction}) {
    EXPECT_EQ(step_from(*run, 0, unit, -1, 0), 0U);
    EXPECT_EQ(step_from(*run, run->step_count(), unit, +1, 0), run->step_count());
    EXPECT_EQ(step_from(*run, run->step_count() + 99, unit, +1, 0), run->step_count());
  }
}

TEST_F(Navigation, PhasesEndWhereEverybodysStatementDoes) {
  for (std::uint64_t at = 0; at < run->step_count();) {
    at = step_from(*run, at, Unit::Phase, +1, 2);
    EXPECT_TRUE(is_statement_start(at));
  }
}

TEST_F(Navigation, RunStopsWhereAWarpIsAboutToExecuteTheLine) {
  // The line of the statement after the first phase of block 0.
  const std::uint64_t goal = step_from(*run, 0, Unit::Phase, +1, 0);
  const int line = static_cast<int>(run->state_at(goal).line(0, 0));
  const std::uint64_t stop = run_from(*run, 0, {line}, +1);
  EXPECT_EQ(stop, goal);
  EXPECT_EQ(static_cast<int>(run->state_at(stop).line(0, 0)), line);
  const std::uint64_t again = run_from(*run, stop, {line}, +1);
  EXPECT_GT(again, stop);
  EXPECT_EQ(run_from(*run, again, {line}, -1), stop);
}

TEST_F(Navigation, WithoutABreakpointARunGoesToTheEnds) {
  EXPECT_EQ(run_from(*run, 0, {}, +1), run->step_count());
  EXPECT_EQ(run_from(*run, 17, {}, -1), 0U);
  EXPECT_EQ(run_from(*run, 0, {100000}, +1), run->step_count()) << "a line that is never reached";
}

}  // namespace
}  // namespace tilestep::state
