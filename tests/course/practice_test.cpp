#include "course/practice.h"

#include "asking.h"
#include "course/answers.h"
#include "problem/language.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

namespace tilestep::course {
namespace {

class PracticeTest : public testing::TestWithParam<const char*> {
 protected:
  PracticeTest() { find_languages(test::source_folder() / "assets" / "words"); }
  static Asking& asking() {
    static Asking one;
    return one;
  }
  static std::vector<PracticeQuestion> made(const std::string& launch, PracticeOptions options) {
    auto all = practise(Asking::position(launch), options, asking().answers());
    if (!all) {
      throw std::runtime_error(all.error().message);
    }
    return std::move(*all);
  }
  static std::string text_of_all(const std::vector<PracticeQuestion>& all) {
    std::string text;
    for (const PracticeQuestion& one : all) {
      text += one.question.ask.in() + " " + shown_text(one.answer) + "\n";
    }
    return text;
  }
};

INSTANTIATE_TEST_SUITE_P(
    Kernels, PracticeTest,
    testing::Values("#kernel=tiled&M=8&N=8&K=8&block_size=4",
                    "#kernel=naive&M=7&N=5&K=6&block_size=4", "#kernel=single_block&M=3&N=3&K=3",
                    "#kernel=single_block_shared&M=3&N=3&K=3",
                    "#kernel=naive_1d&M=3&N=5&K=4&block_size=4",
                    "#kernel=tiled_transposed&M=8&N=8&K=8&block_size=4",
                    "#kernel=tiled_missing_barrier&M=8&N=8&K=8&block_size=4&warp_size=4",
                    "#kernel=full_strip&M=4&N=4&K=4&block_size=2",
                    "#kernel=register_tile_2d&M=16&N=16&K=16&block_size=16",
                    "#kernel=double_buffered&M=8&N=8&K=8&block_size=4",
                    "#kernel=warpgroup_tf32x3_teaching&M=8&N=8&K=8"),
    [](const auto& of) {
      const std::string text = of.param;
      return text.substr(8, text.find('&') - 8);
    });

TEST_P(PracticeTest, EveryAnswerIsThere_AndDiffersFromItsWrongOnes) {
  const auto all = made(GetParam(), {.seed = 3, .count = 20});
  EXPECT_GE(all.size(), 12U);
  std::set<std::string> kinds;
  std::set<std::string> asked;
  for (const PracticeQuestion& one : all) {
    const lesson::Question& question = one.question;
    kinds.insert(question.name.substr(0, question.name.find('-')));
    EXPECT_TRUE(asked.insert(question.ask.in() + question.answer.text()).second);
    EXPECT_NE(question.ask.in("zh"), question.ask.in("en"));
    const auto right = judge(question, one.answer, asking().answers());
    ASSERT_TRUE(right) << right.error().message;
    EXPECT_TRUE(right->is_right) << question.answer.text();
    for (const char* const language : {"en", "zh"}) {
      const auto why = asking().answers().filled(question.right.text(language), question.at);
      ASSERT_TRUE(why) << question.name << ": " << why.error().message;
      EXPECT_GT(why->size(), 12U) << question.name;
      EXPECT_EQ(why->find("{{"), std::string::npos) << *why;
    }
    ASSERT_EQ(one.wrong.size(), question.wrong.size());
    EXPECT_FALSE(one.wrong.empty());
    for (std::size_t i = 0; i < one.wrong.size(); ++i) {
      const auto wrong = judge(question, one.wrong[i], asking().answers());
      ASSERT_TRUE(wrong) << wrong.error().message;
      EXPECT_FALSE(wrong->is_right) << question.wrong[i].is.text();
      EXPECT_EQ(wrong->says, &question.wrong[i].says) << question.wrong[i].is.text();
    }
  }
  EXPECT_GE(kinds.size(), 5U);
}

TEST_F(PracticeTest, TheSameSeedAsksTheSame_AnotherAsksOther) {
  const std::string launch = "#kernel=tiled&M=8&N=8&K=8&block_size=4";
  const auto once = text_of_all(made(launch, {.seed = 1, .count = 12}));
  EXPECT_EQ(once, text_of_all(made(launch, {.seed = 1, .count = 12})));
  EXPECT_NE(once, text_of_all(made(launch, {.seed = 2, .count = 12})));
}

TEST_F(PracticeTest, Here_IsTheStatementThatComesNextAndTheThreadInFocus) {
  auto at = Asking::position("#kernel=tiled&M=8&N=8&K=8&block_size=4&block=1&thread=6");
  at.place = {lesson::Place::Kind::Statement, 8};
  const auto all = practise(at, {.seed = 1, .count = 4, .is_here = true}, asking().answers());
  ASSERT_TRUE(all) << all.error().message;
  bool asks_of_it = false;
  for (const PracticeQuestion& one : *all) {
    asks_of_it |= one.question.ask.in().find("thread (2,1) of block (1,0)") != std::string::npos;
  }
  EXPECT_TRUE(asks_of_it) << text_of_all(*all);
}

TEST_F(PracticeTest, ALessonOfThem_AsksOneABeat) {
  const auto all = made("#kernel=tiled&M=8&N=8&K=8&block_size=4", {.seed = 1, .count = 5});
  const lesson::Lesson lesson = practice_lesson(all);
  EXPECT_EQ(lesson.id, "practice");
  ASSERT_EQ(lesson.beats.size(), 5U);
  EXPECT_EQ(lesson.questions[4].ask, all[4].question.ask);
}

TEST_F(PracticeTest, AKernelThatDoesNotRun_IsToldWithItsSentence) {
  const auto none = practise(Asking::position("#kernel=float4_loads&M=8&N=6&K=6&block_size=3"), {},
                             asking().answers());
  ASSERT_FALSE(none);
  EXPECT_FALSE(none.error().message.empty());
}

}  // namespace
}  // namespace tilestep::course
