#include "ui/timeline/timeline.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace tilestep::ui {
namespace {

const std::vector<std::uint64_t> kStarts{0, 10, 20, 30, 40, 50, 60, 70, 80};

record::Phase phase(std::uint64_t first, std::uint64_t last) {
  record::Phase phase;
  phase.first_step = first;
  phase.last_step = last;
  return phase;
}

TEST(TimelineAxis, StatementsAreEquallyWide) {
  const TimelineAxis axis(kStarts, 100.0F, 900.0F);
  EXPECT_FLOAT_EQ(axis.x_of(0), 100.0F);
  EXPECT_FLOAT_EQ(axis.x_of(45), 550.0F);
  EXPECT_FLOAT_EQ(axis.x_of(80), 900.0F);
  EXPECT_EQ(axis.step_at(549.0F), 40U);
}

// One block runs after another: the row of the focus block has most of the width.
TEST(TimelineAxis, StatementsOfOtherBlocksAreNarrow) {
  const std::vector<record::Phase> phases{phase(20, 30), phase(30, 40)};
  const TimelineAxis axis(kStarts, 100.0F, 900.0F, phases);
  EXPECT_FLOAT_EQ(axis.x_of(80), 900.0F);
  EXPECT_GT(axis.x_of(40) - axis.x_of(20), 0.85F * 800.0F);
  EXPECT_LT(axis.x_of(20), axis.x_of(30));
  for (const std::uint64_t start : kStarts) {
    EXPECT_EQ(axis.step_at(axis.x_of(start)), start);
  }
}

TEST(TimelineAxis, WhereTheBlockTakesPartInEveryStatement_AllAreEquallyWide) {
  const std::vector<record::Phase> phases{phase(0, 50), phase(50, 80)};
  const TimelineAxis axis(kStarts, 100.0F, 900.0F, phases);
  EXPECT_FLOAT_EQ(axis.x_of(45), 550.0F);
}

}  // namespace
}  // namespace tilestep::ui
