// Stepping and other actions from the keyboard.
#include "app/harness.h"
#include "ui/actions.h"

#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <set>
#include <vector>

namespace tilestep::test {
namespace {

class Keys : public ::testing::Test {
 protected:
  // Presses a chord and returns the resulting step.
  std::uint64_t press(ImGuiKeyChord chord) {
    EXPECT_TRUE(harness.run([chord](ImGuiTestContext& ctx) { ctx.KeyPress(chord); }));
    return harness.state().step;
  }
  [[nodiscard]] const record::Recording& recording() const {
    return *harness.view().run.scene->recording;
  }

  void carry_out(const ui::Commands& commands) {
    harness.workspace().update(commands, 0.0);
    harness.workspace().settle();
    harness.frame();
  }

  Harness harness;
};

TEST_F(Keys, OpenWithTheTiledKernelAtItsStart) {
  ASSERT_NE(harness.view().run.scene, nullptr) << harness.view().messages.error;
  EXPECT_EQ(harness.state().kernel, "tiled");
  EXPECT_EQ(harness.state().step, 0U);
  EXPECT_EQ(harness.view().messages.error, "");
}

TEST_F(Keys, F10GoesFromBarrierToBarrierAndShiftF10Back) {
  std::vector<std::uint64_t> stops{0};
  while (stops.back() < recording().step_count()) {
    stops.push_back(press(ImGuiKey_F10));
    ASSERT_GT(stops.back(), stops[stops.size() - 2]);
  }
  // tiled, K = 8, BLOCK_SIZE 4: load, multiply, load, multiply, write back.
  EXPECT_EQ(stops.size(), 6U);
  while (stops.size() > 1) {
    stops.pop_back();
    EXPECT_EQ(press(ImGuiMod_Shift | ImGuiKey_F10), stops.back());
  }
}

TEST_F(Keys, F10ShowsThePhaseThatItEndedAndShiftF10UndoesJustThat) {
  press(ImGuiKey_F10);
  const std::uint64_t load = harness.state().step;
  EXPECT_TRUE(harness.view().narration.shows_phase);
  EXPECT_EQ(harness.view().narration.phase_over, 0U);
  EXPECT_NE(harness.view().narration.summary, nullptr);
  press(ImGuiKey_F11);
  EXPECT_FALSE(harness.view().narration.shows_phase) << "the next statement removes the summary";
  press(ImGuiKey_F11);
  const state::AppState middle = harness.state();
  press(ImGuiKey_F10);
  EXPECT_EQ(harness.view().narration.phase_over, 1U)
      << "from the middle of a phase F10 ends that phase";
  EXPECT_TRUE(harness.view().narration.shows_phase);
  press(ImGuiKey_F10);
  press(ImGuiMod_Shift | ImGuiKey_F10);
  EXPECT_TRUE(harness.view().narration.shows_phase);
  press(ImGuiMod_Shift | ImGuiKey_F10);
  EXPECT_EQ(harness.state(), middle) << "where the row of F10 began";
  press(ImGuiMod_Shift | ImGuiKey_F10);
  EXPECT_EQ(harness.state().step, load);
  EXPECT_TRUE(harness.view().narration.shows_phase);
  press(ImGuiKey_Home);
  EXPECT_FALSE(harness.state().phase.done);
}

TEST_F(Keys, APhasePlaysAndAKeyEndsThat) {
  press(ImGuiKey_F10);
  for (int i = 0; i < 5; ++i) {
    harness.frame();
  }
  EXPECT_EQ(harness.rest_seconds(), 0.0) << "it plays";
  press(ImGuiMod_Ctrl | ImGuiKey_M);
  for (int i = 0; i < 120; ++i) {  // 2 s
    harness.frame();
  }
  EXPECT_GT(harness.rest_seconds(), 0.0);
  press(ImGuiKey_F10);
  for (int i = 0; i < 5; ++i) {
    harness.frame();
  }
  EXPECT_GT(harness.rest_seconds(), 0.0) << "without motion it is there at once";
}

TEST_F(Keys, F11StepsStatementsAndShiftF11TakesThemBack) {
  const std::uint64_t one = press(ImGuiKey_F11);
  const std::uint64_t two = press(ImGuiKey_F11);
  EXPECT_EQ(one, recording().statement_starts()[1]);
  EXPECT_EQ(two, recording().statement_starts()[2]);
  EXPECT_EQ(press(ImGuiMod_Shift | ImGuiKey_F11), one);
  EXPECT_EQ(press(ImGuiMod_Shift | ImGuiKey_F11), 0U);
  EXPECT_EQ(press(ImGuiMod_Shift | ImGuiKey_F11), 0U) << "the start is the end of the way back";
}

TEST_F(Keys, CtrlF11StepsOneInstruction) {
  EXPECT_EQ(press(ImGuiMod_Ctrl | ImGuiKey_F11), 1U);
  EXPECT_EQ(press(ImGuiMod_Ctrl | ImGuiKey_F11), 2U);
  EXPECT_EQ(press(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_F11), 1U);
}

TEST_F(Keys, MShowsMemoryOverTheStageAndHidesItAgain) {
  press(ImGuiKey_F10);
  press(ImGuiKey_M);
  EXPECT_TRUE(harness.state().show_memory);
  EXPECT_TRUE(harness.state().animate) << "Ctrl+M is another key";
  press(ImGuiKey_M);
  EXPECT_FALSE(harness.state().show_memory);
}

// The numbers are claims E2 to E5 of docs/reports/claims.md.
TEST_F(Keys, ShiftMShowsTheSameAccessInFourKernels) {
  carry_out({state::SelectKernel{"tiled_transposed"}, state::SetParameters{{{16, 16, 16}, 16}}});
  carry_out({state::SeekStep{recording().statement_starts()[10]}});  // after the store to As
  press(ImGuiMod_Shift | ImGuiKey_M);
  EXPECT_TRUE(harness.state().show_memory);
  ASSERT_NE(harness.view().run.contrast, nullptr);
  EXPECT_EQ(harness.view().run.contrast->size(), 4U);
  const std::string drawn = harness.drawn();
  for (const char* const words :
       {"8 passes instead of 1", "2 passes instead of 1", "1 pass", "[16][17]", "[16][18]"}) {
    EXPECT_NE(drawn.find(words), std::string::npos) << words;
  }
  press(ImGuiMod_Shift | ImGuiKey_M);
  EXPECT_FALSE(harness.state().show_memory);
  EXPECT_EQ(harness.view().run.contrast, nullptr);
}

TEST_F(Keys, ShiftMSaysWhereThereIsNoContrast) {
  carry_out({state::SelectKernel{"double_buffered"}});
  press(ImGuiMod_Shift | ImGuiKey_M);
  EXPECT_FALSE(harness.state().show_memory);
  EXPECT_NE(harness.view().messages.notice.find("No other kernel"), std::string::npos)
      << harness.view().messages.notice;
}

TEST_F(Keys, EightShowsTheVolume_AndShiftWithArrowsTurnsIt) {
  press(ImGuiKey_F10);
  press(ImGuiMod_Shift | ImGuiKey_LeftArrow);
  EXPECT_EQ(harness.state().volume, state::VolumeView()) << "it is not there to be turned";
  press(ImGuiKey_8);
  EXPECT_TRUE(harness.state().volume.large);
  press(ImGuiMod_Shift | ImGuiKey_LeftArrow);
  press(ImGuiMod_Shift | ImGuiKey_UpArrow);
  EXPECT_GT(harness.state().volume.yaw, state::VolumeView().yaw);
  EXPECT_GT(harness.state().volume.pitch, state::VolumeView().pitch);
  press(ImGuiKey_M);
  EXPECT_FALSE(harness.state().volume.large) << "one of them is over the stage";
  press(ImGuiKey_8);
  EXPECT_FALSE(harness.state().show_memory);
  press(ImGuiKey_Escape);
  EXPECT_FALSE(harness.state().volume.large);
}

TEST_F(Keys, HomeAndEndReachBothEnds) {
  EXPECT_EQ(press(ImGuiKey_End), recording().step_count());
  EXPECT_EQ(press(ImGuiKey_Home), 0U);
}

TEST_F(Keys, SpacePlaysAndPauses) {
  press(ImGuiKey_Space);
  EXPECT_TRUE(harness.state().playing);
  const std::uint64_t before = harness.state().step;
  for (int i = 0; i < 90; ++i) {  // 1.5 s at 2 statements a second
    harness.frame();
  }
  EXPECT_GT(harness.state().step, before);
  press(ImGuiKey_Space);
  EXPECT_FALSE(harness.state().playing);
}

TEST_F(Keys, F9SetsABreakpointThatF5RunsTo) {
  press(ImGuiKey_F11);
  press(ImGuiKey_F9);
  ASSERT_EQ(harness.state().breakpoints.size(), 1U);
  const int line = *harness.state().breakpoints.begin();
  press(ImGuiKey_Home);
  press(ImGuiKey_F5);
  EXPECT_EQ(static_cast<int>(harness.view().run.state->line(0, 0)), line);
}

TEST_F(Keys, AltArrowsMoveTheFocusThread) {
  press(ImGuiMod_Alt | ImGuiKey_RightArrow);
  press(ImGuiMod_Alt | ImGuiKey_DownArrow);
  EXPECT_EQ(harness.state().focus.thread, 5U) << "one right, one down in a 4×4 block";
  press(ImGuiKey_Period);
  EXPECT_EQ(harness.state().focus.block, 1U);
  press(ImGuiKey_Comma);
  EXPECT_EQ(harness.state().focus.block, 0U);
}

TEST_F(Keys, UpAndDownChooseTheSumThatIsWrittenOut) {
  state::AppState state;
  state.kernel = "register_tile_2d";
  state.parameters = {{16, 16, 8}, 4};
  state.focus.thread = 6;
  harness.workspace().set_state(state);
  harness.frame();
  const auto sum_after = [this](ImGuiKeyChord chord) {
    press(chord);
    return harness.state().focus.sum;
  };
  EXPECT_EQ(sum_after(ImGuiKey_DownArrow), 1);
  EXPECT_EQ(sum_after(ImGuiKey_DownArrow), 2);
  ASSERT_TRUE(harness.view().run.sum);
  EXPECT_EQ(harness.view().run.sums->sums()[*harness.view().run.sum].home.name, "acc[0][2]");
  EXPECT_EQ(sum_after(ImGuiKey_UpArrow), 1);
  EXPECT_EQ(sum_after(ImGuiKey_UpArrow), 0);
  EXPECT_EQ(sum_after(ImGuiKey_UpArrow), 15) << "before the first comes the last";
}

TEST_F(Keys, QuestionMarkShowsTheKeysAndEscapeHidesThem) {
  press(ImGuiMod_Shift | ImGuiKey_Slash);
  EXPECT_TRUE(harness.state().show_keys);
  press(ImGuiKey_Escape);
  EXPECT_FALSE(harness.state().show_keys);
}

TEST_F(Keys, TheSheetOfKeysHasItsSizeWithinAFewFrames) {
  const auto size = [] { return ImGui::FindWindowByName("###keys")->Size; };
  press(ImGuiMod_Shift | ImGuiKey_Slash);
  const std::string first = harness.drawn();
  EXPECT_NE(first.find("Next statement"), std::string::npos);
  EXPECT_EQ(first.find("Turn the cubes"), std::string::npos) << "eight keys, and a way to all";
  press(ImGuiKey_Enter);
  EXPECT_NE(harness.drawn().find("Turn the cubes left"), std::string::npos);
  EXPECT_EQ(harness.view().messages.event, "") << "Enter is the sheet's alone";
  for (int i = 0; i < 4; ++i) {
    harness.frame();
  }
  const ImVec2 early = size();
  for (int i = 0; i < 40; ++i) {
    harness.frame();
  }
  EXPECT_EQ(early.x, size().x);
  EXPECT_EQ(early.y, size().y);
  EXPECT_GT(early.x, 600.0F) << "three columns of keys and what they do";
}

TEST_F(Keys, ThemeAndSizeAndTabsHaveKeys) {
  press(ImGuiMod_Ctrl | ImGuiKey_T);
  EXPECT_EQ(harness.state().theme, state::Theme::Light);
  press(ImGuiMod_Ctrl | ImGuiKey_Equal);
  EXPECT_GT(harness.state().scale, 1.0F);
  press(ImGuiMod_Ctrl | ImGuiKey_0);
  EXPECT_FLOAT_EQ(harness.state().scale, 1.0F);
  press(ImGuiMod_Ctrl | ImGuiKey_2);
  EXPECT_EQ(harness.state().tab, state::Tab::Timing);
  press(ImGuiMod_Ctrl | ImGuiKey_1);
  EXPECT_EQ(harness.state().tab, state::Tab::Step);
}

TEST_F(Keys, ThePaletteFindsACommandByItsName) {
  bool opened = false;
  EXPECT_TRUE(harness.run([this, &opened](ImGuiTestContext& ctx) {
    ctx.KeyPress(ImGuiMod_Ctrl | ImGuiKey_K);
    ctx.Yield(2);
    opened = harness.state().show_palette;
    ctx.KeyChars("go to the end");
    ctx.Yield(2);
    ctx.KeyPress(ImGuiKey_Enter);
    ctx.Yield(2);
  }));
  EXPECT_TRUE(opened);
  EXPECT_FALSE(harness.state().show_palette);
  EXPECT_EQ(harness.state().step, recording().step_count());
}

TEST_F(Keys, CtrlQAsksToQuit) {
  press(ImGuiMod_Ctrl | ImGuiKey_Q);
  EXPECT_TRUE(harness.asked_to_quit());
}

TEST_F(Keys, TypingInTheEditorIsNotStepping) {
  press(ImGuiMod_Ctrl | ImGuiKey_E);
  ASSERT_TRUE(harness.state().editing);
  press(ImGuiKey_Space);
  EXPECT_FALSE(harness.state().playing);
  press(ImGuiKey_F10);
  EXPECT_GT(harness.state().step, 0U) << "function keys still step";
}

TEST_F(Keys, CtrlEPutsTheCaretIntoTheKernelAndTakesItOutAgain) {
  EXPECT_TRUE(harness.run([](ImGuiTestContext& ctx) {
    ctx.KeyPress(ImGuiMod_Ctrl | ImGuiKey_E);
    ctx.Yield(2);
    ctx.KeyChars("// typed ");
  }));
  EXPECT_NE(harness.state().edited_source.find("// typed "), std::string::npos);
  press(ImGuiMod_Ctrl | ImGuiKey_E);
  EXPECT_FALSE(harness.state().editing);
  press(ImGuiKey_Space);
  EXPECT_TRUE(harness.state().playing) << "keys step again";
}

TEST(Actions, EachHasALabelATooltipAndCommands) {
  for (const ui::Action& action : ui::actions()) {
    EXPECT_STRNE(action.label, "");
    EXPECT_STRNE(action.tooltip, "");
    EXPECT_NE(action.commands, nullptr) << action.label;
  }
}

TEST(Actions, NoChordIsGivenTwice) {
  std::set<ImGuiKeyChord> seen;
  for (const ui::Action& action : ui::actions()) {
    for (const ImGuiKeyChord chord : {action.key, action.other_key}) {
      if (chord != 0) {
        EXPECT_TRUE(seen.insert(chord).second) << action.label << " " << ui::key_name(chord);
      }
    }
  }
}

}  // namespace
}  // namespace tilestep::test
