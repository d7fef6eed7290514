// Places by name, and what is said of names that are none.
#include "insight/events/go_to.h"

#include "simulated.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilestep::insight {
namespace {

using testing::HasSubstr;

class Places : public testing::Test {
 protected:
  Places() : run_(*record::Recording::make(simulated_.program("tiled", {8, 8, 8}, 4), {})) {}
  [[nodiscard]] GoTo place(const char* text) const {
    const auto found = parse_go_to(*run_, text);
    EXPECT_TRUE(found) << (found ? "" : found.error().message);
    return found.value_or(GoTo{});
  }
  [[nodiscard]] std::string mistake(const char* text) const {
    const auto found = parse_go_to(*run_, text);
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

TEST_F(Places, ThatAreNoneGetASentence) {
  EXPECT_THAT(mistake("D[1][2]"), HasSubstr("D does not exist. This launch has A, B, C"));
  EXPECT_THAT(mistake("A[99][0]"), HasSubstr("8 rows and 8 columns"));
  EXPECT_THAT(mistake("A[1]"), HasSubstr("a row and a column"));
  EXPECT_THAT(mistake("line 1"), HasSubstr("no code that executes"));
  EXPECT_THAT(mistake("line x"), HasSubstr("needs a whole number"));
  EXPECT_THAT(mistake("step 999999999"), HasSubstr("the run has"));
  EXPECT_THAT(mistake("over there"), HasSubstr("is no place"));
  EXPECT_THAT(mistake(""), HasSubstr("is no place"));
}

}  // namespace
}  // namespace tilestep::insight
