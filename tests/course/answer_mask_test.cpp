#include "course/answer_mask.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace tilestep::course {
namespace {

lesson::Question masked_question(lesson::QuestionKind kind, const std::string& answer) {
  auto expression = lesson::parse_expression(answer);
  if (!expression) {
    throw std::runtime_error(expression.error().message);
  }
  lesson::Question question;
  question.kind = kind;
  question.answer = {std::move(*expression), 0};
  return question;
}

AnswerMask mask_of(lesson::QuestionKind kind, const std::string& answer,
                   std::optional<Value> value) {
  return {masked_question(kind, answer), std::move(value), 100};
}

TEST(AnswerMaskTest, WhatComesAfterTheQuestionsPlace_IsHidden) {
  const AnswerMask mask = mask_of(lesson::QuestionKind::Number, "loads(A[1][2])", number_value(2));
  EXPECT_FALSE(mask.hides_run(100));
  EXPECT_TRUE(mask.hides_run(101));
}

TEST(AnswerMaskTest, ANumberIsHiddenInCellsAndTexts_InWhateverFormItIsTold) {
  const AnswerMask mask =
      mask_of(lesson::QuestionKind::Number, "value(acc, b0, t0, end)", number_value(-50400));
  EXPECT_TRUE(mask.hides_number(-50400));
  EXPECT_FALSE(mask.hides_number(50400));
  EXPECT_TRUE(mask.hides_text("acc = -50400"));
  EXPECT_TRUE(mask.hides_text("acc = −50,400"));
  EXPECT_TRUE(mask.hides_text("6·(−50400)"));
  EXPECT_FALSE(mask.hides_text("acc = 50400"));
  EXPECT_FALSE(mask.hides_text("acc = −504000"));
}

TEST(AnswerMaskTest, NumbersOfPlacesAreNoValues) {
  const AnswerMask mask = mask_of(lesson::QuestionKind::Number, "loads(A[1][2])", number_value(2));
  EXPECT_TRUE(mask.hides_text("loaded 2× by 2 blocks"));
  EXPECT_TRUE(mask.hides_text("2.0 sectors a request"));
  for (const char* const text : {"A[2][2]", "thread (2,1) of block (1,2)", "line 2", "tile 2",
                                 "Phase 2 of 5", "statement 28 of 2", "C2", "22"}) {
    EXPECT_FALSE(mask.hides_text(text)) << text;
  }
  EXPECT_FALSE(mask.hides_number(2.0));  // a 2 in a matrix is not a count
  EXPECT_TRUE(mask.hides(Topic::Counts));
  EXPECT_FALSE(mask.hides(Topic::Findings));
}

TEST(AnswerMaskTest, ACellAThreadAndALineAreHiddenByName) {
  const AnswerMask cell =
      mask_of(lesson::QuestionKind::Cell, "source(As[1][2], b1, end)", cell_value("A[1][6]"));
  EXPECT_TRUE(cell.hides_cell("A[1][6]"));
  EXPECT_FALSE(cell.hides_cell("A[1][5]"));
  EXPECT_TRUE(cell.hides_text("loaded from A[1][6]"));
  EXPECT_FALSE(cell.hides_text("BA[1][6]"));
  EXPECT_TRUE(cell.hides_array("As"));
  EXPECT_FALSE(cell.hides_array("A"));
  Value who;
  who.kind = Value::Kind::Thread;
  who.text = "(0,1)";
  const AnswerMask thread = mask_of(lesson::QuestionKind::Thread, "writer(As[1][0], end)", who);
  EXPECT_TRUE(thread.hides_text("stored by thread (0,1)"));
  EXPECT_FALSE(thread.hides_text("block (0,1)"));
  const AnswerMask line = mask_of(lesson::QuestionKind::Line, "finding(0).line", line_value(29));
  EXPECT_TRUE(line.hides_text("line 29 stores"));
  EXPECT_FALSE(line.hides_text("line 290"));
  EXPECT_TRUE(line.hides(Topic::Findings));
}

TEST(AnswerMaskTest, WhatIsNotKnownYet_HidesAllThatCouldBeIt) {
  const AnswerMask number = mask_of(lesson::QuestionKind::Number, "value(acc)", std::nullopt);
  EXPECT_TRUE(number.hides_number(7));
  EXPECT_TRUE(number.hides_text("acc = 7"));
  EXPECT_FALSE(number.hides_text("nothing"));
  EXPECT_TRUE(mask_of(lesson::QuestionKind::Cell, "read(A)", std::nullopt).hides_cell("A[0][0]"));
}

TEST(AnswerMaskTest, AnotherAnswerOrPlaceIsAnotherKey) {
  const auto question = masked_question(lesson::QuestionKind::Number, "value(acc)");
  EXPECT_NE(AnswerMask(question, number_value(1), 1).key(),
            AnswerMask(question, number_value(1), 2).key());
  EXPECT_NE(AnswerMask(question, number_value(1), 1).key(),
            AnswerMask(question, std::nullopt, 1).key());
}

TEST(AnswerMaskTest, ClocksOfAnSmAreTimings) {
  for (const char* const answer :
       {"sm(clocks)", "measured_sm(clocks)", "wave_clocks(2)", "measured_wave_clocks(2)"}) {
    const AnswerMask mask = mask_of(lesson::QuestionKind::Number, answer, number_value(2));
    EXPECT_TRUE(mask.hides(Topic::Timings)) << answer;
  }
}

}  // namespace
}  // namespace tilestep::course
