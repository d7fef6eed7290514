// Breakpoints stop exactly when their condition holds.
#include "insight/events/breakpoint.h"

#include "insight/check/check.h"
#include "insight/events/thread_expression.h"
#include "simulated.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilestep::insight {
namespace {

using testing::HasSubstr;

class Breakpoints : public testing::Test {
 protected:
  void SetUp() override {
    program_ = simulated_.program("tiled", {8, 8, 8}, 4);
    run_ = record(program_);
    line_ = static_cast<int>(test::line_of(program_->launch().source, "acc += "));
  }
  static std::shared_ptr<const record::Recording> record(
      const std::shared_ptr<const simt::Program>& program) {
    auto made = record::Recording::make(program, {});
    if (!made) {
      throw std::runtime_error(made.error().message);
    }
    return *made;
  }
  [[nodiscard]] StopQuestion at(const std::string& condition) const {
    StopQuestion question;
    question.block = 1;
    question.breakpoints = {{line_, condition}};
    return question;
  }
  [[nodiscard]] std::string variable(const EventAnswer& at, const char* name) const {
    const auto value = run_->state_at(at.stop).variable(at.block, at.thread, name);
    return value ? format_value(*program_, *value) : "";
  }

  test::Simulated simulated_;
  std::shared_ptr<const simt::Program> program_;
  std::shared_ptr<const record::Recording> run_;
  int line_ = 0;
};

TEST_F(Breakpoints, StopBeforeTheirLine) {
  const EventAnswer stop = find_stop(*run_, at(""));
  ASSERT_TRUE(stop.found);
  EXPECT_EQ(static_cast<int>(run_->state_at(stop.stop).line(1, 0)), line_);
}

TEST_F(Breakpoints, StopWhereTheConditionHoldsForAThreadOfTheFocusBlock) {
  StopQuestion question = at("tx == 3 && t == 1");
  const EventAnswer stop = find_stop(*run_, question);
  ASSERT_TRUE(stop.found) << stop.sentence;
  EXPECT_EQ(variable(stop, "tx"), "3");
  EXPECT_EQ(variable(stop, "t"), "1");
  EXPECT_EQ(stop.block, 1U);
  EXPECT_THAT(stop.sentence, HasSubstr("tx == 3 && t == 1"));
  // The second tile's products are 4 passes of the inner loop.
  int stops = 1;
  question.from = stop.stop;
  for (EventAnswer next = find_stop(*run_, question); next.stop < run_->step_count();
       next = find_stop(*run_, question)) {
    ++stops;
    question.from = next.stop;
  }
  EXPECT_EQ(stops, 4);
  question.direction = -1;
  question.from = stop.stop;
  EXPECT_EQ(find_stop(*run_, question).stop, 0U) << "it is the first";
}

TEST_F(Breakpoints, KnowIndicesFloatsAndMemory) {
  for (const char* condition :
       {"threadIdx.x == 2 && blockIdx.x == 1", "acc > 0.5 || acc < -0.5", "As[1][2] != 0",
        "A[0][0] == 3", "step > 100 && warp == 0 && lane == 7", "t % 2 == 1"}) {
    const EventAnswer stop = find_stop(*run_, at(condition));
    EXPECT_TRUE(stop.found && stop.stop < run_->step_count()) << condition << ": " << stop.sentence;
  }
  EXPECT_EQ(find_stop(*run_, at("threadIdx.x == 4")).stop, run_->step_count());
}

TEST_F(Breakpoints, SayWhatIsWrongWithACondition) {
  const auto sentence = [&](const char* condition) {
    const EventAnswer stop = find_stop(*run_, at(condition));
    EXPECT_FALSE(stop.found) << condition;
    return stop.sentence;
  };
  EXPECT_THAT(sentence("tx = 3"), HasSubstr("write == to compare"));
  EXPECT_THAT(sentence("tx == "), HasSubstr("missing at the end"));
  EXPECT_THAT(sentence("(tx == 3"), HasSubstr("parentheses do not match"));
  EXPECT_THAT(sentence("txx == 3"), HasSubstr("no variable txx"));
  EXPECT_THAT(sentence("txx == 3"), HasSubstr("acc"));
  EXPECT_THAT(sentence("tx / 0"), HasSubstr("divides by zero"));
  EXPECT_THAT(sentence("A == 3"), HasSubstr("not a number"));
  EXPECT_THAT(sentence("tx == 3 4"), HasSubstr("Breakpoint at line"));
}

TEST_F(Breakpoints, StopAtFindingsAndGoOn) {
  const auto program = simulated_.program("tiled_missing_barrier", {8, 8, 8}, 4);
  const auto run = record(program);
  StopQuestion question;
  question.findings = check(program, {}).findings;
  ASSERT_FALSE(question.findings.empty());
  const EventAnswer stop = find_stop(*run, question);
  EXPECT_LT(stop.stop, run->step_count());
  EXPECT_THAT(stop.sentence, HasSubstr("barrier"));
  question.from = stop.stop;
  EventAnswer next = find_stop(*run, question);
  EXPECT_GT(next.stop, stop.stop);
  while (next.stop < run->step_count()) {
    question.from = next.stop;
    next = find_stop(*run, question);
  }
  EXPECT_EQ(next.sentence, "The run is over: no finding after this step.");
}

TEST_F(Breakpoints, DivideAsTheKernelDoes) {
  const auto value = [&](const char* text) {
    auto expression = ThreadExpression::parse(text);
    return expression->evaluate(*run_, run_->state_at(run_->step_count() / 2), 1, 7).value();
  };
  EXPECT_EQ(value("7 / 2"), 3.0);
  EXPECT_EQ(value("-7 / 2"), -3.0);
  EXPECT_EQ(value("tx / 2"), 1.0) << "tx is 3";
  EXPECT_EQ(*value("acc / 2") * 2.0, *value("acc"));
  EXPECT_EQ(value("1 + 2 * 3 == 7 && !(2 > 3)"), 1.0);
}

}  // namespace
}  // namespace tilestep::insight
