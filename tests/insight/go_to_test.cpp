// Places by name, and the errors for unknown names.
#include "insight/events/go_to.h"

#include "simulated.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilestep::insight {
namespace {

using testing::HasSubstr;

constexpr std::uint32_t kBlock = 1;  // in focus

class Places : public testing::Test {
 protected:
  Places() : run_(*record::Recording::make(simulated_.program("tiled", {8, 8, 8}, 4), {})) {}
  [[nodiscard]] GoTo place(const char* text) const {
    const auto found = parse_go_to(*run_, kBlock, text);
    EXPECT_TRUE(found) << (found ? "" : found.error().message);
    return found.value_or(GoTo{});
  }
  [[nodiscard]] std::string mistake(const char* text) const {
    const auto found = parse_go_to(*run_, kBlock, text);
    EXPECT_FALSE(found) << text;
    return found ? "" : found.error().message;
  }

  test::Simulated simulated_;
  std::shared_ptr<const record::Recording> run_;
};

TEST_F(Places, AreCellsLinesAndSteps) {
  const GoTo shared = place("As[1][2]");
  EXPECT_EQ(shared.kind, GoTo::Kind::Cell);
  EXPECT_EQ(shared.cell, "As[1][2]");
  EXPECT_EQ(place(" C[3][4] ").cell, "C[3][4]");
  EXPECT_EQ(place("step 500").step, 500U);
  EXPECT_EQ(place("statement 2").step, run_->statement_starts()[2]);
  EXPECT_EQ(place("3").step, run_->statement_starts()[3]);
  const auto line = run_->state_at(run_->step_count() / 2).line(0, 0);
  EXPECT_EQ(place(("line " + std::to_string(line)).c_str()).line, static_cast<int>(line));
}

TEST_F(Places, AreBlocksThreadsAndPhases) {
  EXPECT_EQ(place("block 1,0").kind, GoTo::Kind::Block);
  EXPECT_EQ(place("block 1,0").block, 1U);
  EXPECT_EQ(place("block (0, 1)").block, 2U);
  EXPECT_EQ(place("block 3").block, 3U) << "counted along x";
  EXPECT_EQ(place("thread 3,1").thread, 7U);
  EXPECT_EQ(place("thread 3,1").kind, GoTo::Kind::Thread);
  EXPECT_EQ(place("thread 3,1,0").thread, 7U);
  EXPECT_EQ(place("phase 4").kind, GoTo::Kind::Phase);
  EXPECT_EQ(place("phase 4").step, run_->phases_of(kBlock)[4].first_step);
}

TEST_F(Places, OutsideTheLaunchGetASentence) {
  EXPECT_THAT(mistake("block 2,0"), HasSubstr("the grid has blocks 0,0 to 1,1"));
  EXPECT_THAT(mistake("block 4"), HasSubstr("There is no block"));
  EXPECT_THAT(mistake("thread 4,0"), HasSubstr("a block has threads 0,0 to 3,3"));
  EXPECT_THAT(mistake("thread 0,0,1"), HasSubstr("There is no thread"));
  EXPECT_THAT(mistake("thread 0,0,0,0"), HasSubstr("There is no thread"));
  EXPECT_THAT(mistake("thread"), HasSubstr("There is no thread"));
  EXPECT_THAT(mistake("thread x"), HasSubstr("There is no thread"));
  EXPECT_THAT(mistake("phase 5"), HasSubstr("this block has phases 0 to 4"));
  EXPECT_THAT(mistake("phase last"), HasSubstr("needs a whole number"));
}

TEST_F(Places, ThatAreNoneGetASentence) {
  EXPECT_THAT(mistake("D[1][2]"), HasSubstr("D does not exist. This launch has A, B, C"));
  EXPECT_THAT(mistake("A[99][0]"), HasSubstr("8 rows and 8 columns"));
  EXPECT_THAT(mistake("A[1]"), HasSubstr("a row and a column"));
  EXPECT_THAT(mistake("line 1"), HasSubstr("no executable code"));
  EXPECT_THAT(mistake("line x"), HasSubstr("needs a whole number"));
  EXPECT_THAT(mistake("step 999999999"), HasSubstr("the run has"));
  EXPECT_THAT(mistake("over there"), HasSubstr("is not a place"));
  EXPECT_THAT(mistake(""), HasSubstr("is not a place"));
}

}  // namespace
}  // namespace tilestep::insight
