#include "asking.h"
#include "course/answers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace tilestep::course {
namespace {

lesson::Question question_with(const std::string& keys, const char* kind) {
  const auto lesson = lesson::parse_lesson(
      "```scene\nname = \"one\"\nkernel = \"naive\"\nM = 2\nN = 2\nK = 2\nblock_size = 2\n```\n"
      "```question\nname = \"q\"\ntext = \"?\"\nkind = \"" +
          std::string(kind) + "\"\n" + keys + "```\n",
      "l.md");
  if (!lesson) {
    throw std::runtime_error(lesson.error().message);
  }
  return lesson->questions.at(0);
}

// "right", the lesson's feedback, or "wrong".
std::string in_all_languages(const Result<Verdict>& verdict) {
  return !verdict                   ? verdict.error().message
         : verdict->is_right        ? "right"
         : verdict->says != nullptr ? verdict->says->in()
                                    : "wrong";
}

class VerdictTest : public testing::Test {
 protected:
  Asking asking_;
};

TEST_F(VerdictTest, ANumberIsRight_OrHasItsWords) {
  const lesson::Question question = question_with(
      "answer = \"10 * M\"\ntolerance = 1\n[[wrong]]\nis = \"30\"\nsays = \"Thrice?\"\n", "number");
  EXPECT_EQ(in_all_languages(judge(question, number_value(20), asking_.answers())), "right");
  EXPECT_EQ(in_all_languages(judge(question, number_value(19), asking_.answers())), "right");
  EXPECT_EQ(in_all_languages(judge(question, number_value(30), asking_.answers())), "Thrice?");
  EXPECT_EQ(in_all_languages(judge(question, number_value(25), asking_.answers())), "wrong");
  EXPECT_EQ(in_all_languages(judge(question, yes_no_value(true), asking_.answers())), "wrong");
  EXPECT_EQ(text_of(judge(question, number_value(0), asking_.answers())->answer), "20");
}

TEST_F(VerdictTest, WhatIsClickedIsACellALineOrAThread) {
  const lesson::Question cell = question_with(
      "answer = \"stored(C, t1)\"\n[[wrong]]\nis = \"C[1][0]\"\nsays = \"x and y\"\n", "cell");
  EXPECT_EQ(in_all_languages(judge(cell, cell_value("C[0][1]"), asking_.answers())), "right");
  EXPECT_EQ(in_all_languages(judge(cell, cell_value("C[1][0]"), asking_.answers())), "x and y");
  const lesson::Question line = question_with("answer = \"12\"\n", "line");
  EXPECT_EQ(in_all_languages(judge(line, line_value(12), asking_.answers())), "right");
  EXPECT_EQ(in_all_languages(judge(line, line_value(13), asking_.answers())), "wrong");
  const lesson::Question lines =
      question_with("answer = \"12\"\nalso = [\"13\", \"20\"]\n", "line");
  EXPECT_EQ(in_all_languages(judge(lines, line_value(20), asking_.answers())), "right");
  EXPECT_EQ(in_all_languages(judge(lines, line_value(14), asking_.answers())), "wrong");
  EXPECT_EQ(text_of(judge(lines, line_value(13), asking_.answers())->answer), "12");
  const lesson::Question thread = question_with("answer = \"thread(1, 0)\"\n", "thread");
  Value given;
  given.kind = Value::Kind::Thread;
  given.thread = 1;
  EXPECT_EQ(in_all_languages(judge(thread, given, asking_.answers())), "right");
  given.thread = 2;
  EXPECT_EQ(in_all_languages(judge(thread, given, asking_.answers())), "wrong");
}

TEST_F(VerdictTest, AChoiceHasWordsOfItsOwn) {
  const lesson::Question question = question_with(
      "answer = \"M\"\nchoices = [ { text = \"a\", is = \"2\" }, "
      "{ text = \"b\", is = \"3\", says = \"No.\" } ]\n",
      "choice");
  EXPECT_EQ(in_all_languages(judge_choice(question, 0, asking_.answers())), "right");
  EXPECT_EQ(in_all_languages(judge_choice(question, 1, asking_.answers())), "No.");
}

// A barrier is missing after the inner loop, not after its body, where it would wait after every
// product.
TEST_F(VerdictTest, TheBarrierOfLesson3BelongsBehindTheLoop) {
  const auto lesson =
      lesson::load_lesson(test::source_folder() / "assets/lessons/03-two-barriers.md");
  ASSERT_TRUE(lesson) << lesson.error().message;
  const auto question =
      std::ranges::find(lesson->questions, "which-barrier", &lesson::Question::name);
  ASSERT_NE(question, lesson->questions.end());
  const std::string source =
      test::repository_catalog().find("single_block_ktiles_missing_barrier")->source;
  std::vector<std::string> right;
  std::istringstream text(source);
  std::string words;
  for (std::uint32_t line = 1; std::getline(text, words); ++line) {
    if (in_all_languages(judge(*question, line_value(line), asking_.answers())) == "right") {
      right.push_back(words.substr(0, 15));
    }
  }
  EXPECT_EQ(right, (std::vector<std::string>{"    }", "    // missing:"}));
}

}  // namespace
}  // namespace tilestep::course
