// Every shipped lesson, taken from its first beat to its last as a student does, each beat in both
// languages: texts have their values, every question accepts its answer in the window's form and
// rejects others.
#include "lessons_fixture.h"
#include "problem/language.h"
#include "workspace/shown_lesson.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace tilestep::workspace {
namespace {

std::vector<std::string> shipped_lessons() {
  std::vector<std::string> all;
  for (int i = 0; i <= 16; ++i) {
    all.push_back(std::to_string(i));
  }
  return all;
}

class CourseTaken : public test::LessonsFixture, public testing::WithParamInterface<std::string> {
 protected:
  CourseTaken() { find_languages(test::source_folder() / "assets" / "words"); }
  void TearDown() override { EXPECT_TRUE(speak(kEnglishTag)); }

  void switch_to(const std::string& language) {
    EXPECT_TRUE(speak(language));
    carry_out(state::SetLanguage{language});
  }

  // For a text that may begin broken: a lab's.
  void expect_read(const std::string& language, const std::string& where) {
    ASSERT_NE(lesson(), nullptr) << where << view().messages.refusal;
    EXPECT_TRUE(lesson()->is_filled) << where;
    EXPECT_EQ(lesson()->mistake, "") << where;
    EXPECT_FALSE(lesson()->has_wandered) << where;
    if (lesson()->lab == nullptr) {
      EXPECT_EQ(view().messages.error, "") << where;
    }
    const std::string& words = lesson()->question != nullptr ? lesson()->ask : lesson()->text;
    const bool has_ideographs =
        words.find_first_of("\xe4\xe5\xe6\xe7\xe8\xe9") != std::string::npos;
    EXPECT_EQ(has_ideographs, language == "zh") << where << words;
  }

  [[nodiscard]] bool is_right_when_given(const std::string& given, const std::string& where) {
    carry_out(state::AskAgain{});
    carry_out(state::GiveAnswer{given});
    EXPECT_TRUE(lesson()->verdict || lesson()->missed) << where << view().messages.refusal;
    if (lesson()->missed) {
      EXPECT_NE(lesson()->missed->says, "") << where << given;
    }
    return lesson()->verdict && lesson()->verdict->is_right;
  }

  // A wrong answer that the lesson does not foresee.
  void expect_explained(const std::string& where) {
    if (lesson()->question->kind == lesson::QuestionKind::Number) {
      const double unforeseen = 7.0 * lesson()->answer->number + 1234.5;
      EXPECT_FALSE(is_right_when_given(fmt::format("{}", unforeseen), where)) << where;
    } else if (lesson()->question->kind == lesson::QuestionKind::Line) {
      EXPECT_FALSE(is_right_when_given("1", where)) << where;
    }
  }

  void answer(const std::string& where) {
    ASSERT_TRUE(lesson()->answer) << where;
    EXPECT_NE(lesson()->right, "") << where;
    expect_explained(where);
    if (lesson()->question->kind != lesson::QuestionKind::Choice) {
      EXPECT_TRUE(is_right_when_given(course::plain_text_of(*lesson()->answer), where)) << where;
    } else {
      std::size_t right = 0;
      for (std::size_t i = 1; i <= lesson()->choices.size(); ++i) {
        right += is_right_when_given(std::to_string(i), where) ? 1U : 0U;
      }
      EXPECT_EQ(right, 1U) << where;
    }
    carry_out(state::AskAgain{});
    carry_out(state::ShowAnswer{});
    ASSERT_TRUE(lesson()->verdict) << where;
    EXPECT_NE(lesson()->verdict->answer_text, "") << where;
  }
};

TEST_P(CourseTaken, EveryBeatIsReadAndEveryQuestionIsAnswered) {
  carry_out(state::OpenLesson{GetParam()});
  ASSERT_NE(lesson(), nullptr) << view().messages.refusal;
  const auto beats = static_cast<int>(lesson()->lesson->beats.size());
  EXPECT_GT(beats, 10);
  for (int i = 0; i < beats; ++i) {
    for (const char* const language : {"en", "zh"}) {
      switch_to(language);
      carry_out(state::GoToBeat{i});
      const std::string where = fmt::format(
          "{}, {}: ", lesson()->lesson->name_of(lesson()->lesson->beats[lesson()->beat]), language);
      expect_read(language, where);
      if (lesson()->question != nullptr) {
        answer(where);
      }
    }
  }
  EXPECT_EQ(Progress(paths_.user_state).of(lesson()->lesson->id).beats.size(),
            static_cast<std::size_t>(beats));
}

INSTANTIATE_TEST_SUITE_P(All, CourseTaken, testing::ValuesIn(shipped_lessons()),
                         [](const auto& of) { return "L" + of.param; });

}  // namespace
}  // namespace tilestep::workspace
