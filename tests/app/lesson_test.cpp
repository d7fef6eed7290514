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
  // In one go: a test's end takes the keyboard from a field.
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
  // From the list: Ctrl+L, then down to the third.
  void open_lesson_3() {
    press(ImGuiMod_Ctrl | ImGuiKey_L);
    ASSERT_TRUE(harness.state().course.list);
    ASSERT_NE(harness.view().lessons, nullptr);
    press(ImGuiKey_DownArrow);
    press(ImGuiKey_DownArrow);
    press(ImGuiKey_Enter);
    ASSERT_NE(harness.view().lesson, nullptr) << harness.view().refusal;
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
  press(ImGuiKey_PageDown);
  EXPECT_EQ(lesson().beat, beats - 1) << "the last stays";
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
  EXPECT_NE(harness.drawn().find("This text is about " + home + " "), std::string::npos)
      << harness.drawn();
  EXPECT_TRUE(
      harness.run([](ImGuiTestContext& ctx) { ctx.ItemClick("//###lesson/**/###return"); }));
  EXPECT_EQ(harness.state().kernel, home);
  EXPECT_FALSE(lesson().is_other_run);
  EXPECT_EQ(harness.drawn().find("This text is about"), std::string::npos);
  harness.workspace().update({state::SetSchedule{{.kind = simt::ScheduleKind::Random}}}, 0.0);
  harness.frame();
  harness.frame();
  EXPECT_NE(harness.drawn().find("This text is about another run of " + home), std::string::npos)
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
  choose_in_palette("somebody is faster");
  ASSERT_NE(harness.view().lesson, nullptr);
  EXPECT_EQ(lesson().title, "Somebody is faster");
  choose_in_palette("close the lesson");
  EXPECT_EQ(harness.view().lesson, nullptr);
}

TEST_F(LessonWindow, ALectureHasNoBarsAndNotesByKey) {
  open_lesson_3();
  press(ImGuiKey_S);
  EXPECT_FALSE(harness.state().course.notes) << "notes are a lecture's";
  press(ImGuiKey_L);
  EXPECT_FALSE(shows("###top"));
  EXPECT_FALSE(shows("Lesson###lesson"));
  press(ImGuiKey_S);
  EXPECT_TRUE(shows("###notes"));
  press(ImGuiKey_PageDown);
  EXPECT_EQ(lesson().beat, 1U);
  EXPECT_TRUE(shows("###notes")) << "they stay from beat to beat";
  press(ImGuiKey_S);
  EXPECT_FALSE(shows("###notes"));
  press(ImGuiKey_Escape);
  EXPECT_FALSE(harness.state().lecture);
  EXPECT_NE(harness.view().lesson, nullptr);
}

TEST_F(LessonWindow, EscapeClosesTheListAlone) {
  open_lesson_3();
  press(ImGuiMod_Ctrl | ImGuiKey_L);
  press(ImGuiKey_Escape);
  EXPECT_FALSE(harness.state().course.list);
  EXPECT_NE(harness.view().lesson, nullptr);
}

}  // namespace
}  // namespace tilestep::test
