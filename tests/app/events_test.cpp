// Running to events from the keyboard.
#include "app/harness.h"
#include "ui/actions.h"

#include <gtest/gtest.h>

namespace tilestep::test {
namespace {

class EventKeys : public ::testing::Test {
 protected:
  std::uint64_t press(ImGuiKeyChord chord) {
    EXPECT_TRUE(harness.run([chord](ImGuiTestContext& ctx) { ctx.KeyPress(chord); }));
    harness.frame();
    return harness.state().step;
  }
  void open(const char* kernel, problem::Problem size, int block_size) {
    state::AppState state;
    state.kernel = kernel;
    state.parameters = {size, block_size};
    harness.workspace().set_state(state);
    harness.frame();
  }

  Harness harness;
};

TEST_F(EventKeys, RGoesToEachFindingAndShiftRBack) {
  open("tiled_missing_barrier", {8, 8, 8}, 4);
  ASSERT_NE(harness.view().run.check, nullptr);
  ASSERT_FALSE(harness.view().run.check->findings.empty());
  const std::uint64_t first = press(ImGuiKey_R);
  EXPECT_GT(first, 0U);
  EXPECT_EQ(harness.view().messages.event, harness.view().run.check->findings.front().sentence);
  const std::uint64_t second = press(ImGuiKey_R);
  EXPECT_GT(second, first);
  EXPECT_EQ(press(ImGuiMod_Shift | ImGuiKey_R), first);
  EXPECT_EQ(press(ImGuiMod_Shift | ImGuiKey_R), first);
  EXPECT_EQ(harness.view().messages.event, "No finding of block (0,0) before this step.");
}

TEST_F(EventKeys, ERepeatsWhatWasChosenLast) {
  open("tiled_transposed", {8, 8, 8}, 8);
  harness.workspace().update({state::RunToEvent{record::EventKind::BankConflict, +1}}, 0.0);
  harness.workspace().settle();
  const std::uint64_t first = harness.state().step;
  EXPECT_EQ(harness.state().event, record::EventKind::BankConflict);
  const std::uint64_t second = press(ImGuiKey_E);
  EXPECT_GT(second, first);
  EXPECT_NE(harness.view().messages.event.find("Bank conflict"), std::string::npos);
  EXPECT_EQ(press(ImGuiMod_Shift | ImGuiKey_E), first);
}

TEST_F(EventKeys, F5StopsAtAFindingAndGoesOn) {
  open("tiled_missing_barrier", {8, 8, 8}, 4);
  const std::uint64_t end = harness.view().run.scene->recording->step_count();
  const std::uint64_t stop = press(ImGuiKey_F5);
  EXPECT_LT(stop, end);
  EXPECT_EQ(harness.view().messages.event, harness.view().run.check->findings.front().sentence);
  EXPECT_GT(press(ImGuiKey_F5), stop);
}

TEST_F(EventKeys, PlayingStopsAtAFindingAndGoesOn) {
  open("tiled_missing_barrier", {8, 8, 8}, 4);
  harness.workspace().update({state::SetPace{state::kMaxPace}}, 0.0);
  press(ImGuiKey_Space);
  for (int i = 0; i < 120 && harness.state().playing; ++i) {
    harness.frame();
  }
  const std::uint64_t stop = harness.state().step;
  EXPECT_LT(stop, harness.view().run.scene->recording->step_count());
  EXPECT_FALSE(harness.view().messages.event.empty());
  press(ImGuiKey_Space);
  for (int i = 0; i < 4; ++i) {
    harness.frame();
  }
  EXPECT_GT(harness.state().step, stop);
}

TEST_F(EventKeys, EnterWalksThroughTheAccessesOfTheChosenCellAndEscapeLeavesIt) {
  open("tiled", {8, 8, 8}, 4);
  harness.workspace().update({state::FocusCell{"A", 1, 6, "A[1][6]"}}, 0.0);
  EXPECT_GT(press(ImGuiKey_Enter), 0U);
  EXPECT_NE(harness.view().messages.event.find("reads A[1][6]"), std::string::npos)
      << harness.view().messages.event;
  press(ImGuiKey_Escape);
  EXPECT_EQ(harness.state().focus.cell_of, "");
}

TEST_F(EventKeys, TheFlowOfTheChosenCellIsThereUntilItIsLeft) {
  open("tiled", {8, 8, 8}, 4);
  harness.workspace().update({state::FocusCell{"A", 1, 6, "A[1][6]"}}, 0.0);
  harness.frame();
  harness.frame();
  ASSERT_NE(harness.view().run.flow, nullptr);
  EXPECT_EQ(harness.view().run.flow->cell, "A[1][6]");
  EXPECT_NE(harness.view().run.flow->sentence.find("loaded 2×"), std::string::npos);
  EXPECT_NE(harness.view().run.flow->sentence.find("by naive: 8×"), std::string::npos)
      << harness.view().run.flow->sentence;
  harness.workspace().update({state::PointAt{"C[3][5]"}}, 0.0);
  harness.frame();
  harness.frame();
  ASSERT_NE(harness.view().run.flow, nullptr);
  EXPECT_EQ(harness.view().run.flow->cell, "C[3][5]") << "what is pointed at goes first";
  harness.workspace().update({state::PointAt{}}, 0.0);
  press(ImGuiKey_Escape);
  harness.frame();
  EXPECT_EQ(harness.view().run.flow, nullptr);
}

TEST_F(EventKeys, AClickOnAFoldOfTheTimelineShowsThatPartOfTheRun) {
  open("tiled", {32, 32, 64}, 2);
  const auto click = [this](float from_left) {
    EXPECT_TRUE(harness.run([from_left](ImGuiTestContext& ctx) {
      ImGuiWindow* const window = ImGui::FindWindowByName("Timeline###timeline");
      ctx.MouseMoveToPos({window->Pos.x + from_left * window->Size.x, window->Pos.y + 44.0F});
      ctx.MouseClick();
      ctx.Yield(2);
    }));
    return harness.state().step;
  };
  const std::uint64_t whole = click(0.2F);
  const std::uint64_t part = click(0.9F);
  EXPECT_GT(part, whole);
  EXPECT_LT(part, harness.view().run.scene->recording->step_count() / 2) << "the end of the fold";
}

TEST_F(EventKeys, AWrongConditionSaysSoAndMovesNothing) {
  open("tiled", {8, 8, 8}, 4);
  harness.workspace().update({state::SetCondition{30, "txx == 1"}}, 0.0);
  EXPECT_EQ(press(ImGuiKey_F5), 0U);
  EXPECT_NE(harness.view().messages.event.find("no variable txx"), std::string::npos);
  EXPECT_EQ(harness.state().conditions.at(30), "txx == 1") << "what was typed stays";
}

TEST_F(EventKeys, CtrlGGoesToAPlaceAndKeepsWhatIsWrong) {
  open("tiled", {8, 8, 8}, 4);
  const auto type = [this](const char* text) {
    EXPECT_TRUE(harness.run([text](ImGuiTestContext& ctx) {
      ctx.KeyPress(ImGuiMod_Ctrl | ImGuiKey_G);
      ctx.Yield(3);
      ctx.KeyChars(text);
      ctx.Yield(2);
      ctx.KeyPress(ImGuiKey_Enter);
      ctx.Yield(3);
    }));
  };
  type("step 500");
  EXPECT_EQ(harness.state().step, 500U);
  EXPECT_FALSE(harness.state().show_go_to);
  type("C[3][4]");
  EXPECT_EQ(harness.state().focus.cell_name, "C[3][4]");
  EXPECT_EQ(harness.state().focus.cell_of, "C");
  EXPECT_EQ(harness.state().focus.cell_row, 3);
  type("D[1][2]");
  EXPECT_TRUE(harness.state().show_go_to) << "to be mended";
  press(ImGuiKey_Escape);
  EXPECT_FALSE(harness.state().show_go_to);
}

TEST_F(EventKeys, ShiftF9WritesTheConditionOfABreakpoint) {
  open("tiled", {8, 8, 8}, 4);
  press(ImGuiKey_F11);
  const auto type = [this](const char* text) {
    EXPECT_TRUE(harness.run([text](ImGuiTestContext& ctx) {
      ctx.KeyPress(ImGuiMod_Shift | ImGuiKey_F9);
      ctx.Yield(3);
      ctx.KeyChars(text);
      ctx.Yield(2);
      ctx.KeyPress(ImGuiKey_Enter);
      ctx.Yield(3);
    }));
  };
  type("tx == 3");
  ASSERT_EQ(harness.state().conditions.size(), 1U);
  EXPECT_EQ(harness.state().conditions.begin()->second, "tx == 3");
  EXPECT_EQ(harness.state().breakpoints.size(), 1U);
  EXPECT_EQ(harness.state().condition_line, 0);
  type(" && (");
  EXPECT_NE(harness.state().condition_line, 0) << "a wrong one stays open";
  press(ImGuiKey_Escape);
  EXPECT_EQ(harness.state().conditions.begin()->second, "tx == 3");
}

}  // namespace
}  // namespace tilestep::test
