// Two runs side by side, by keys and mouse.
#include "app/harness.h"
#include "ui/stage/stage_memory.h"

#include <gtest/gtest.h>
#include <imgui_internal.h>

namespace tilestep::test {
namespace {

class Compared : public ::testing::Test {
 protected:
  void press(ImGuiKeyChord chord) {
    EXPECT_TRUE(harness.run([chord](ImGuiTestContext& ctx) { ctx.KeyPress(chord); }));
  }
  void open(const std::string& kernel) {
    state::AppState state;
    state.kernel = kernel;
    harness.workspace().set_state(state);
    harness.frame();
    harness.frame();
  }
  static bool is_shown(const char* window) {
    const ImGuiWindow* const found = ImGui::FindWindowByName(window);
    return found != nullptr && found->WasActive;
  }

  Harness harness;
};

TEST_F(Compared, EqualsOpensAndClosesTheSecondSide) {
  press(ImGuiKey_Equal);
  ASSERT_TRUE(harness.state().comparison.on);
  EXPECT_TRUE(is_shown("Stage 2###stage2"));
  EXPECT_TRUE(is_shown("Stage###stage"));
  EXPECT_NE(harness.state().comparison.second.edited_source.find("// off: __syncthreads();"),
            std::string::npos)
      << "tiled stands beside itself without its first barrier";
  press(ImGuiKey_Equal);
  EXPECT_FALSE(harness.state().comparison.on);
  harness.frame();
  EXPECT_FALSE(is_shown("Stage 2###stage2"));
}

TEST_F(Compared, WhatPanelsKeepOfOneSecondSideIsNotTakenForTheNext) {
  press(ImGuiKey_Equal);
  const workspace::Generation before = harness.view().beside->view.run.scene->generation;
  press(ImGuiKey_Equal);
  problem::Parameters larger = harness.state().parameters;
  larger.problem = {12, 12, 12};
  harness.workspace().update({state::SetParameters{larger}}, 0.0);
  harness.workspace().settle();
  press(ImGuiKey_Equal);
  EXPECT_NE(harness.view().beside->view.run.scene->generation, before);
}

TEST_F(Compared, CtrlZSaysThatItOpensTheSecondSideAgain) {
  press(ImGuiKey_Equal);
  harness.wait(1.0);
  press(ImGuiKey_Equal);
  ASSERT_FALSE(harness.state().comparison.on);
  press(ImGuiMod_Ctrl | ImGuiKey_Z);
  EXPECT_TRUE(harness.state().comparison.on);
  EXPECT_NE(harness.drawn().find("closing the second run (press = to close it again)"),
            std::string::npos);
}

TEST_F(Compared, ABrokenKernelIsRunIntoItsFirstDifferenceByThreeKeys) {
  open("tiled_missing_barrier");
  press(ImGuiKey_Equal);
  EXPECT_EQ(harness.state().comparison.second.kernel, "tiled");
  press(ImGuiKey_A);
  EXPECT_EQ(harness.state().schedule.kind, simt::ScheduleKind::RunAhead);
  EXPECT_EQ(harness.state().comparison.second.schedule.kind, simt::ScheduleKind::RunAhead);
  EXPECT_EQ(harness.state().warp_size, 4) << "a block of one warp has nobody to run ahead of";
  press(ImGuiKey_D);
  ASSERT_NE(harness.view().beside, nullptr);
  ASSERT_FALSE(harness.view().beside->sums->differences.empty());
  EXPECT_GT(harness.state().step, 0U);
  const std::uint64_t first = harness.state().step;
  press(ImGuiKey_D);
  EXPECT_GT(harness.state().step, first);
  press(ImGuiMod_Shift | ImGuiKey_D);
  EXPECT_EQ(harness.state().step, first);
}

TEST_F(Compared, TabSwapsAndVLeavesTheSecondAlone) {
  open("tiled_missing_barrier");
  press(ImGuiKey_Equal);
  press(ImGuiKey_Tab);
  EXPECT_EQ(harness.state().kernel, "tiled");
  EXPECT_EQ(harness.state().comparison.second.kernel, "tiled_missing_barrier");
  press(ImGuiKey_V);
  EXPECT_EQ(harness.state().kernel, "tiled_missing_barrier");
  EXPECT_FALSE(harness.state().comparison.on);
}

TEST_F(Compared, NothingIsMarkedAsDifferentAfterwards_InAHallEither) {
  open("tiled_missing_barrier");
  press(ImGuiKey_Equal);
  press(ImGuiKey_A);
  press(ImGuiKey_D);
  harness.frame();
  auto& marked = harness.memory().of<ui::StageMemory>().differing;
  ASSERT_FALSE(marked.empty());
  press(ImGuiKey_L);
  press(ImGuiKey_Equal);
  harness.frame();
  ASSERT_TRUE(harness.state().lecture);
  ASSERT_FALSE(harness.state().comparison.on);
  EXPECT_TRUE(marked.empty());
}

TEST_F(Compared, UndoClosesItAgain) {
  press(ImGuiKey_Equal);
  // Schedule, warps and the second side are three changes of one key.
  for (int i = 0; i < 3; ++i) {
    press(ImGuiMod_Ctrl | ImGuiKey_Z);
  }
  EXPECT_FALSE(harness.state().comparison.on);
  EXPECT_EQ(setup_of(harness.state()), state::Setup{});
}

TEST_F(Compared, ThePaletteSetsTheFastBuildBesideTheStepBuild) {
  const auto palette = [this](const char* query) {
    EXPECT_TRUE(harness.run([query](ImGuiTestContext& ctx) {
      ctx.KeyPress(ImGuiMod_Ctrl | ImGuiKey_K);
      ctx.Yield(2);
      ctx.KeyChars(query);
      ctx.Yield(2);
      ctx.KeyPress(ImGuiKey_Enter);
      ctx.Yield(2);
    }));
  };
  palette("side 2: fast build");
  ASSERT_TRUE(harness.state().comparison.on);
  EXPECT_EQ(harness.state().build, problem::Build::Step);
  EXPECT_EQ(harness.state().comparison.second.build, problem::Build::Fast);
  harness.frame();
  ASSERT_NE(harness.view().beside->sums, nullptr);
  EXPECT_TRUE(harness.view().beside->sums->differences.empty());
  press(ImGuiKey_V);
  EXPECT_EQ(harness.state().build, problem::Build::Fast);
  EXPECT_FALSE(harness.view().run.scene->recording->program().module().is_debug);
  palette("step build");
  EXPECT_TRUE(harness.view().run.scene->recording->program().module().is_debug);
  press(ImGuiMod_Ctrl | ImGuiKey_Z);
  EXPECT_EQ(harness.state().build, problem::Build::Fast);
}

// The bars in the margin of line 27 of tiled.cu.
TEST_F(Compared, AClickInTheMarginSwitchesABarrierOff) {
  press(ImGuiKey_F10);  // ends at the barrier, so its line is on screen
  const ImGuiWindow* const source = ImGui::FindWindowByName("Source###source");
  ASSERT_NE(source, nullptr);
  const auto click = [&](float x, float y) {
    EXPECT_TRUE(harness.run([x, y](ImGuiTestContext& ctx) {
      ctx.MouseMoveToPos({x, y});
      ctx.MouseClick(ImGuiMouseButton_Left);
    }));
  };
  // The bars are left of the code, in an unknown row and column of the margin.
  const float font = ImGui::GetFontSize();
  const auto find_it = [&] {
    for (float y = source->Pos.y + 3.0F * font; y < source->Pos.y + source->Size.y;
         y += 1.2F * font) {
      click(source->Pos.x + 3.4F * font, y);
      if (!harness.state().edited_source.empty()) {
        return y;
      }
    }
    return 0.0F;
  };
  const float row = find_it();
  ASSERT_GT(row, 0.0F);
  EXPECT_NE(harness.state().edited_source.find("// off: __syncthreads();"), std::string::npos);
  ASSERT_NE(harness.view().run.check, nullptr);
  EXPECT_FALSE(harness.view().run.check->findings.empty()) << "the race that it had kept off";
}

TEST_F(Compared, StepsGoOnInBoth) {
  open("naive");
  press(ImGuiKey_Equal);
  press(ImGuiKey_F10);
  press(ImGuiKey_F11);
  EXPECT_GT(harness.state().second_step, 0U);
  press(ImGuiKey_End);
  EXPECT_EQ(harness.state().second_step,
            harness.view().beside->view.run.scene->recording->step_count());
  press(ImGuiKey_Home);
  EXPECT_EQ(harness.state().second_step, 0U);
}

}  // namespace
}  // namespace tilestep::test
