// A lesson in the whole window, by keys and mouse.
#include "app/harness.h"
#include "temporary_folder.h"
#include "ui/actions.h"

#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <string>

namespace tilestep::test {
namespace {

class LessonWindow : public ::testing::Test {
 protected:
  void press(ImGuiKeyChord chord) {
    EXPECT_TRUE(harness.run([chord](ImGuiTestContext& ctx) { ctx.KeyPress(chord); }));
  }
  // Runs all of it at once, because the end of a test takes the keyboard from a field.
  void choose_in_palette(const std::string& text) {
    EXPECT_TRUE(harness.run([&text](ImGuiTestContext& ctx) {
      ctx.KeyPress(ImGuiMod_Ctrl | ImGuiKey_K);
      ctx.Yield(2);
      ctx.KeyChars(text.c_str());
      ctx.Yield(2);
      ctx.KeyPress(ImGuiKey_Enter);
      ctx.Yield(2);
    }));
  }
  // Opens it from the list, whose first entries are the opening film and lesson 0: Ctrl+L, then
  // down to lesson 3.
  void open_lesson_3() {
    press(ImGuiMod_Ctrl | ImGuiKey_L);
    ASSERT_TRUE(harness.state().course.list);
    ASSERT_NE(harness.view().lessons, nullptr);
    for (int i = 0; i < 4; ++i) {
      press(ImGuiKey_DownArrow);
    }
    press(ImGuiKey_Enter);
    ASSERT_NE(harness.view().lesson, nullptr) << harness.view().messages.refusal;
  }
  void click(const std::string& item) {
    EXPECT_TRUE(harness.run([&item](ImGuiTestContext& ctx) { ctx.ItemClick(item.c_str()); }));
  }
  [[nodiscard]] const workspace::ShownLesson& lesson() const { return *harness.view().lesson; }
  [[nodiscard]] static bool shows(const char* window) {
    const ImGuiWindow* const found = ImGui::FindWindowByName(window);
    return found != nullptr && found->Active && !found->Hidden;
  }

  Harness harness;
};

TEST_F(LessonWindow, OpensFromTheListByKey) {
  EXPECT_FALSE(shows("Lesson###lesson"));
  open_lesson_3();
  EXPECT_FALSE(harness.state().course.list) << "it closes";
  EXPECT_EQ(harness.state().course.lesson, "03-two-barriers");
  EXPECT_TRUE(shows("Lesson###lesson"));
  EXPECT_TRUE(shows("Source###source")) << "the source stays";
}

TEST_F(LessonWindow, PageDownAndPageUpWalkBeatsAndFunctionKeysStep) {
  press(ImGuiKey_PageDown);
  const std::uint64_t phase = harness.state().step;
  EXPECT_GT(phase, 0U) << "without a lesson the next phase";
  open_lesson_3();
  const std::size_t beats = lesson().lesson->beats.size();
  for (std::size_t i = 1; i < beats; ++i) {
    press(ImGuiKey_PageDown);
    ASSERT_EQ(lesson().beat, i);
    EXPECT_FALSE(lesson().has_wandered) << i;
  }
  for (std::size_t i = beats - 1; i > 0; --i) {
    press(ImGuiKey_PageUp);
    ASSERT_EQ(lesson().beat, i - 1);
  }
  const std::uint64_t start = harness.state().step;
  press(ImGuiKey_F11);
  EXPECT_GT(harness.state().step, start);
  EXPECT_EQ(lesson().beat, 0U);
  press(ImGuiKey_F10);
  EXPECT_EQ(lesson().beat, 0U);
}

TEST_F(LessonWindow, BackspaceReturnsAndEscapeClosesNothing) {
  open_lesson_3();
  press(ImGuiKey_PageDown);
  const std::uint64_t home = harness.state().step;
  press(ImGuiKey_Escape);
  press(ImGuiKey_Backspace);
  EXPECT_NE(harness.view().lesson, nullptr);
  EXPECT_EQ(harness.state().step, home) << "nobody has wandered: nothing to return from";
  press(ImGuiKey_F11);
  press(ImGuiKey_F11);
  EXPECT_TRUE(lesson().has_wandered);
  press(ImGuiKey_Backspace);
  EXPECT_FALSE(lesson().has_wandered);
  EXPECT_EQ(harness.state().step, home);
}

TEST_F(LessonWindow, SaysThatItsTextIsNotAboutTheKernelOnStage) {
  open_lesson_3();
  press(ImGuiKey_PageDown);
  const std::string home = harness.state().kernel;
  press(ImGuiKey_F11);
  EXPECT_TRUE(lesson().has_wandered);
  EXPECT_FALSE(lesson().is_other_run) << "another step of the same run";
  choose_in_palette("row and column swapped");
  ASSERT_EQ(harness.state().kernel, "naive_uncoalesced");
  EXPECT_TRUE(lesson().is_other_run);
  EXPECT_EQ(lesson().home.kernel, home);
  EXPECT_NE(harness.drawn().find("Another scene is shown: Backspace returns."), std::string::npos)
      << harness.drawn();
  EXPECT_TRUE(
      harness.run([](ImGuiTestContext& ctx) { ctx.ItemClick("//###lesson/**/###return"); }));
  EXPECT_EQ(harness.state().kernel, home);
  EXPECT_FALSE(lesson().is_other_run);
  EXPECT_EQ(harness.drawn().find("Another scene is shown"), std::string::npos);
  harness.workspace().update({state::SetSchedule{{.kind = simt::ScheduleKind::Random}}}, 0.0);
  harness.frame();
  harness.frame();
  EXPECT_NE(harness.drawn().find("Another scene is shown: Backspace returns."), std::string::npos)
      << harness.drawn();
}

TEST_F(LessonWindow, HasAButtonAndAKeyThatCloseIt) {
  open_lesson_3();
  const auto id = static_cast<int>(ui::ActionId::CloseLesson);
  EXPECT_TRUE(harness.run([id](ImGuiTestContext& ctx) {
    ctx.ItemClick(("//###top/$$" + std::to_string(id) + "/###close lesson").c_str());
  }));
  EXPECT_EQ(harness.view().lesson, nullptr);
  open_lesson_3();
  press(ImGuiMod_Ctrl | ImGuiKey_W);
  EXPECT_EQ(harness.view().lesson, nullptr);
  EXPECT_FALSE(harness.asked_to_quit());
}

TEST_F(LessonWindow, ALinkInTheTextIsClicked) {
  open_lesson_3();
  press(ImGuiKey_PageDown);
  EXPECT_TRUE(
      harness.run([](ImGuiTestContext& ctx) { ctx.ItemClick("//###lesson/**/#cell=As[0][2]"); }));
  EXPECT_EQ(harness.state().focus.cell_of, "As");
  EXPECT_EQ(harness.state().focus.cell_col, 2);
}

TEST_F(LessonWindow, TheButtonAndTheDotsGoToBeats) {
  open_lesson_3();
  EXPECT_TRUE(
      harness.run([](ImGuiTestContext& ctx) { ctx.ItemClick("//###lesson/**/###next beat"); }));
  EXPECT_EQ(lesson().beat, 1U);
  EXPECT_TRUE(harness.run([](ImGuiTestContext& ctx) { ctx.ItemClick("//###top/$$5/beat"); }));
  EXPECT_EQ(lesson().beat, 5U);
}

TEST_F(LessonWindow, ThePaletteKnowsLessonsScenesAndQuestions) {
  choose_in_palette("one thread is faster");
  ASSERT_NE(harness.view().lesson, nullptr);
  EXPECT_EQ(lesson().title, "One thread is faster");
  choose_in_palette("close the lesson");
  EXPECT_EQ(harness.view().lesson, nullptr);
}

TEST_F(LessonWindow, ALectureHasNoBars_AndItsWindowNoNotes) {
  open_lesson_3();
  press(ImGuiKey_L);
  EXPECT_FALSE(shows("###top"));
  EXPECT_FALSE(shows("Lesson###lesson"));
  press(ImGuiKey_S);
  EXPECT_TRUE(harness.state().course.notes);
  ASSERT_FALSE(lesson().note.empty());
  EXPECT_EQ(harness.drawn().find(lesson().note.substr(0, 20)), std::string::npos);
  press(ImGuiKey_PageDown);
  EXPECT_EQ(lesson().beat, 1U);
  EXPECT_TRUE(harness.state().course.notes) << "they stay from beat to beat";
  press(ImGuiKey_S);
  EXPECT_FALSE(harness.state().course.notes);
  press(ImGuiKey_Escape);
  EXPECT_FALSE(harness.state().lecture);
  EXPECT_NE(harness.view().lesson, nullptr);
}

TEST_F(LessonWindow, StepInTheBarAndTheCrossBesideTheTitleLeaveTheLesson) {
  open_lesson_3();
  click("//###top/$$" + std::to_string(static_cast<int>(ui::ActionId::StepTab)) + "/Step");
  EXPECT_EQ(harness.view().lesson, nullptr);
  open_lesson_3();
  click("//###lesson/**/###leave lesson");
  EXPECT_EQ(harness.view().lesson, nullptr);
}

TEST_F(LessonWindow, AQuestionIsReadOnce_AndTheWayToItIsCalledQuestion) {
  open_lesson_3();
  press(ImGuiKey_PageDown);
  EXPECT_EQ(lesson().next, "question");
  press(ImGuiKey_PageDown);
  ASSERT_NE(lesson().question, nullptr);
  const std::string drawn = harness.drawn();
  const std::string ask = "What is Cvalue of thread (0,0)";
  const std::size_t first = drawn.find(ask);
  EXPECT_NE(first, std::string::npos) << drawn;
  EXPECT_EQ(drawn.find(ask, first + 1), std::string::npos) << drawn;
}

// The first minute of the film: any key returns the controls at the film's place.
class FilmWindow : public LessonWindow {
 protected:
  FilmWindow() {
    harness.workspace().update({state::OpenLesson{"opening", 0}}, 0.0);
    for (int i = 0; i < 4; ++i) {
      harness.frame();
    }
  }
  void play(double seconds) {
    harness.wait(seconds);
    harness.frame();
    harness.frame();
  }
};

TEST_F(FilmWindow, PlaysFromSceneToScene_WithoutALessonsPanel) {
  ASSERT_NE(harness.view().lesson, nullptr) << harness.view().messages.refusal;
  EXPECT_TRUE(harness.state().course.film);
  EXPECT_FALSE(shows("Lesson###lesson"));
  EXPECT_TRUE(shows("###film"));
  EXPECT_NE(harness.drawn().find("C = A·B: each of the 64 elements"), std::string::npos)
      << harness.drawn();
  play(10.0);
  EXPECT_EQ(lesson().beat, 1U);
  const std::uint64_t step = harness.state().step;
  play(6.0);
  EXPECT_EQ(lesson().beat, 1U);
  EXPECT_GT(harness.state().step, step) << "the run goes on meanwhile";
  EXPECT_LT(harness.rest_seconds(), 1.0);
}

TEST_F(FilmWindow, AnyKeyHandsOverTheControls_AndAStepIsATakenOne) {
  play(10.0);
  const std::uint64_t step = harness.state().step;
  press(ImGuiKey_M);
  EXPECT_EQ(harness.view().lesson, nullptr);
  EXPECT_EQ(harness.state().kernel, "naive") << "the place stays";
  EXPECT_EQ(harness.state().step, step);
  EXPECT_FALSE(harness.state().show_memory) << "the key did nothing else";
  EXPECT_NE(harness.view().messages.notice.find("You are in control now"), std::string::npos);
  press(ImGuiKey_M);
  EXPECT_EQ(harness.view().messages.notice, "") << "said things leave with the next key";
}

TEST_F(FilmWindow, AStepThatTakesTheControlsIsMade) {
  const std::uint64_t step = harness.state().step;
  press(ImGuiKey_F11);
  EXPECT_EQ(harness.view().lesson, nullptr);
  EXPECT_GT(harness.state().step, step);
}

TEST_F(FilmWindow, HomeBeginsAnew_PageDownGoesOn_EscGoesToTheEnd) {
  press(ImGuiKey_PageDown);
  press(ImGuiKey_PageDown);
  EXPECT_EQ(lesson().beat, 2U);
  EXPECT_TRUE(harness.state().course.film);
  press(ImGuiKey_Home);
  EXPECT_EQ(lesson().beat, 0U);
  press(ImGuiKey_Escape);
  harness.frame();
  EXPECT_EQ(harness.view().lesson, nullptr);
  EXPECT_EQ(harness.state().kernel, "tiled");
  EXPECT_EQ(harness.state().tab, state::Tab::Step);
  EXPECT_GT(harness.state().step, 0U);
}

TEST_F(FilmWindow, AClickHandsOverTheControls_ButNotOneOnItsOwnButtons) {
  play(10.0);
  EXPECT_TRUE(harness.run([](ImGuiTestContext& ctx) { ctx.ItemClick("//###film/###again"); }));
  ASSERT_NE(harness.view().lesson, nullptr);
  EXPECT_EQ(lesson().beat, 0U);
  EXPECT_TRUE(harness.run([](ImGuiTestContext& ctx) {
    ctx.MouseMoveToPos({900.0F, 500.0F});
    ctx.MouseClick();
  }));
  EXPECT_EQ(harness.view().lesson, nullptr);
}

TEST_F(FilmWindow, EndsByItself) {
  for (int i = 0; i < 12 && harness.view().lesson != nullptr; ++i) {
    play(13.0);
  }
  EXPECT_EQ(harness.view().lesson, nullptr);
  EXPECT_EQ(harness.state().tab, state::Tab::Step);
}

TEST_F(LessonWindow, EscapeClosesTheListAlone) {
  open_lesson_3();
  press(ImGuiMod_Ctrl | ImGuiKey_L);
  press(ImGuiKey_Escape);
  EXPECT_FALSE(harness.state().course.list);
  EXPECT_NE(harness.view().lesson, nullptr);
}

TEST_F(LessonWindow, ThePaletteTakesThePlaceOfTheList) {
  press(ImGuiMod_Ctrl | ImGuiKey_L);
  ASSERT_TRUE(harness.state().course.list);
  press(ImGuiMod_Ctrl | ImGuiKey_K);
  EXPECT_FALSE(harness.state().course.list);
  EXPECT_TRUE(harness.state().show_palette);
}

}  // namespace
}  // namespace tilestep::test
