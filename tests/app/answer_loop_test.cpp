// The answer loop in the whole window: a wrong answer is explained and the question asked a second
// time; then, or on Esc, the correct answer with its reason; at the end a recap and the next
// lesson.
#include "app/harness.h"
#include "folders.h"
#include "platform/image.h"
#include "problem/language.h"
#include "temporary_folder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace tilestep::test {
namespace {

namespace fs = std::filesystem;
using state::Answering;

class AnswerLoop : public testing::Test {
 protected:
  explicit AnswerLoop(WindowSize size = {}) : harness_(paths(), Settle::EveryFrame, size) {}

  void carry_out(const state::Command& command) {
    harness_.workspace().update({command}, 0.0);
    harness_.workspace().settle();
    for (int i = 0; i < 3; ++i) {
      harness_.frame();
    }
  }
  // The beat of that name.
  void open(const std::string& lesson, const std::string& beat) {
    carry_out(state::OpenLesson{lesson, 0});
    const lesson::Lesson& of = *harness_.view().lesson->lesson;
    for (std::size_t i = 0; i < of.beats.size(); ++i) {
      if (of.name_of(of.beats[i]) == beat) {
        carry_out(state::GoToBeat{static_cast<int>(i)});
        return;
      }
    }
    FAIL() << "no beat " << beat;
  }
  void press(const std::vector<ImGuiKeyChord>& keys) {
    EXPECT_TRUE(harness_.run([&keys](ImGuiTestContext& test) {
      for (const ImGuiKeyChord key : keys) {
        test.KeyPress(key);
      }
    }));
    harness_.frame();
  }
  void type(const std::string& number) {
    for (const char digit : number) {
      press({ImGuiKey_0 + (digit - '0')});
    }
    press({ImGuiKey_Enter});
  }
  [[nodiscard]] bool draws(const std::string& text) {
    return harness_.drawn().find(text) != std::string::npos;
  }
  [[nodiscard]] const state::LessonView& course() { return harness_.state().course; }

  TemporaryFolder folder_;
  Harness harness_;

 private:
  workspace::Paths paths() {
    workspace::Paths own = build_tree_paths();
    own.user_state = folder_.path() / "state";
    return own;
  }
};

TEST_F(AnswerLoop, AWrongAnswerIsExplained_WithAHint_AndAskedASecondTime) {
  open("3", "after-one");
  type("206");
  EXPECT_EQ(course().answering, Answering::Asked);
  EXPECT_EQ(course().missed, "206");
  EXPECT_EQ(course().given, "");
  EXPECT_TRUE(draws("206 is not correct.")) << harness_.drawn();
  EXPECT_TRUE(draws("That is C[0][0] after all three pairs.")) << harness_.drawn();
  EXPECT_TRUE(draws("Row 0 of As times column 0 of Bs")) << harness_.drawn();
  EXPECT_TRUE(draws("Second try"));
  EXPECT_FALSE(draws("389")) << harness_.drawn();
}

TEST_F(AnswerLoop, AfterASecondWrongAnswer_TheCorrectOneWithItsReason) {
  open("3", "after-one");
  type("206");
  type("12");
  EXPECT_EQ(course().answering, Answering::Given);
  EXPECT_TRUE(draws("Your answer: 12. 12 is A[1][6].")) << harness_.drawn();
  EXPECT_TRUE(draws("three products, is 389.")) << harness_.drawn();
}

TEST_F(AnswerLoop, ARightSecondAnswerIsUnderstood) {
  open("3", "after-one");
  type("12");
  EXPECT_TRUE(draws("12 is A[1][6].")) << "computed: " << harness_.drawn();
  type("389");
  ASSERT_TRUE(harness_.view().lesson->verdict);
  EXPECT_TRUE(harness_.view().lesson->verdict->is_right);
  EXPECT_TRUE(draws("three products, is 389."));
}

TEST_F(AnswerLoop, ARightAnswerHasItsReasonAtOnce) {
  open("3", "after-one");
  type("389");
  EXPECT_EQ(course().answering, Answering::Given);
  EXPECT_TRUE(draws("three products, is 389.")) << harness_.drawn();
}

TEST_F(AnswerLoop, EscShowsTheAnswerWithItsReason_AtEitherTry) {
  for (const bool is_second : {false, true}) {
    open("3", "after-one");
    if (is_second) {
      type("206");
    }
    press({ImGuiKey_Escape});
    EXPECT_EQ(course().answering, Answering::Shown);
    EXPECT_TRUE(draws("three products, is 389.")) << harness_.drawn();
  }
}

TEST_F(AnswerLoop, AChosenCellOrLineIsExplained) {
  open("4", "next-tile");
  carry_out(state::GiveAnswer{"A[2][6]"});
  EXPECT_TRUE(draws("At that point, A[2][6] is in As[2][2].")) << harness_.drawn();
  open("3", "which-barrier");
  carry_out(state::GiveAnswer{"30"});
  EXPECT_TRUE(draws("Line 30 is a barrier")) << harness_.drawn();
}

TEST_F(AnswerLoop, AHallSeesTheExplanationAndTheHint_AndVotesASecondTime) {
  open("8", "worst-size");
  carry_out(state::ShowLecture{true});
  press({ImGuiKey_2, ImGuiKey_2, ImGuiKey_5, ImGuiKey_Enter});
  EXPECT_EQ(course().missed, "2") << "the most common answer";
  EXPECT_TRUE(course().votes.empty());
  EXPECT_TRUE(draws("There are conflicts, but 16 is worse.")) << harness_.drawn();
  EXPECT_TRUE(draws("How far apart, in banks")) << harness_.drawn();
  press({ImGuiKey_5, ImGuiKey_Enter});
  EXPECT_TRUE(draws("all words of a warp are in the same bank")) << harness_.drawn();
}

TEST_F(AnswerLoop, AHallVotesOnANumber_TheAnswerAmongTheForeseenWrongOnes) {
  open("3", "after-one");
  EXPECT_FALSE(draws("Reveal the answer")) << "it is typed";
  carry_out(state::ShowLecture{true});
  const std::vector<workspace::NumberChoice> numbers = harness_.view().lesson->numbers;
  ASSERT_EQ(numbers.size(), 3U);
  const auto right = std::ranges::find(numbers, "389", &workspace::NumberChoice::text);
  ASSERT_NE(right, numbers.end());
  for (const workspace::NumberChoice& number : numbers) {
    EXPECT_TRUE(draws(number.text.c_str())) << number.text << "\n" << harness_.drawn();
  }
  const auto key = static_cast<ImGuiKeyChord>(ImGuiKey_1 + (right - numbers.begin()));
  press({key, key, ImGuiKey_Enter});
  EXPECT_EQ(course().given, "389");
  EXPECT_TRUE(draws("Votes: ")) << harness_.drawn();
}

TEST_F(AnswerLoop, ALabThatCannotBeCompiled_HasNoOtherKernelOnItsStage) {
  open("14", "fix-semicolon");
  EXPECT_TRUE(draws("The text does not compile")) << harness_.drawn();
  EXPECT_FALSE(draws("The stage shows the last version")) << "that is another kernel's";
  EXPECT_FALSE(draws("128 B shared"));
  carry_out(state::OpenLesson{"3", 0});
  carry_out(state::EditSource{"__global__ void x("});
  EXPECT_TRUE(draws("The stage shows the last version")) << harness_.drawn();
}

TEST_F(AnswerLoop, TheRecapSaysWhatWasUnderstood_AndPageDownOpensTheNextLesson) {
  open("3", "after-one");
  type("389");
  open("3", "after-two");
  press({ImGuiKey_Escape});
  open("3", "recap");
  EXPECT_TRUE(draws("The first barrier: no thread reads before all have stored."));
  EXPECT_TRUE(draws("With many blocks, which tiles does each of them need?"));
  EXPECT_TRUE(draws("the sum of one pair of sub-matrices")) << harness_.drawn();
  EXPECT_TRUE(draws("the sum continues from pair to pair (question 2)")) << harness_.drawn();
  EXPECT_TRUE(draws("Next lesson: Many blocks")) << harness_.drawn();
  press({ImGuiKey_PageDown});
  EXPECT_EQ(course().lesson, "04-many-blocks");
  EXPECT_EQ(course().beat, 0);
}

TEST_F(AnswerLoop, TheButtonOpensTheNextLesson_AndTheLastOneTheList) {
  open("3", "recap");
  EXPECT_TRUE(
      harness_.run([](ImGuiTestContext& test) { test.ItemClick("//###lesson/**/###next beat"); }));
  EXPECT_EQ(course().lesson, "04-many-blocks");
  open("16", "recap");
  EXPECT_TRUE(draws("All lessons")) << harness_.drawn();
  press({ImGuiKey_PageDown});
  EXPECT_TRUE(course().list);
}

TEST_F(AnswerLoop, AHallHasTheRecapAndTheButton) {
  open("3", "recap");
  carry_out(state::ShowLecture{true});
  EXPECT_TRUE(draws("The second barrier: no thread overwrites before all have read."))
      << harness_.drawn();
  EXPECT_TRUE(draws("With many blocks, which tiles does each of them need?"));
  EXPECT_TRUE(draws("Next lesson: Many blocks")) << harness_.drawn();
  press({ImGuiKey_PageDown});
  EXPECT_EQ(course().lesson, "04-many-blocks");
}

TEST_F(AnswerLoop, TheListSaysWhatWasUnderstood) {
  open("3", "after-one");
  type("389");
  carry_out(state::ShowLessons{true});
  EXPECT_TRUE(draws("1 of 5 understood")) << harness_.drawn();
}

// Pictures, if TILESTEP_PICTURES names a folder.
struct Shape {
  const char* name;
  WindowSize size;
};
class AnswerLoopDrawn : public AnswerLoop, public testing::WithParamInterface<Shape> {
 protected:
  AnswerLoopDrawn() : AnswerLoop(GetParam().size) {
    find_languages(source_folder() / "assets" / "words");
  }
  void TearDown() override { EXPECT_TRUE(speak(kEnglishTag)); }
  void picture(const std::string& what) {
    if (const char* const folder = std::getenv("TILESTEP_PICTURES")) {
      platform::write_png(harness_.window().read_pixels(),
                          fs::path(folder) / fmt::format("{}-{}.png", GetParam().name, what));
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Sizes, AnswerLoopDrawn,
                         testing::Values(Shape{"small", {1280, 720}}, Shape{"large", {1920, 1080}}),
                         [](const auto& of) { return std::string(of.param.name); });

TEST_P(AnswerLoopDrawn, EveryStateFits) {
  for (const auto& [language, theme] :
       {std::pair{"en", state::Theme::Dark}, std::pair{"zh", state::Theme::Light}}) {
    ASSERT_TRUE(speak(language));
    carry_out(state::SetLanguage{language});
    carry_out(state::SetTheme{theme});
    for (const bool is_lecture : {false, true}) {
      const std::string end = fmt::format("{}-{}", language, is_lecture ? "hall" : "self");
      open("3", "after-one");
      carry_out(state::ShowLecture{is_lecture});
      type("206");
      EXPECT_TRUE(harness_.view().lesson->missed);
      picture("1-missed-" + end);
      type("12");
      picture("2-answered-" + end);
      open("11", "passes");
      carry_out(state::ShowLecture{is_lecture});
      carry_out(state::GiveAnswer{"1"});
      picture("3-choice-missed-" + end);
      carry_out(state::GiveAnswer{"3"});
      picture("4-choice-right-" + end);
      open("3", "which-barrier");
      carry_out(state::ShowLecture{is_lecture});
      carry_out(state::GiveAnswer{"28"});
      picture("5-line-missed-" + end);
      press({ImGuiKey_Escape});
      picture("6-line-shown-" + end);
      open("3", "recap");
      carry_out(state::ShowLecture{is_lecture});
      picture("7-recap-" + end);
    }
    carry_out(state::ShowLecture{false});
    carry_out(state::ShowLessons{true});
    picture(fmt::format("8-list-{}", language));
    carry_out(state::ShowLessons{false});
  }
}

}  // namespace
}  // namespace tilestep::test
