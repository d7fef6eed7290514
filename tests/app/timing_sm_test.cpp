// The page of one SM in the Timing tab, driven by mouse and keys.
#include "app/harness.h"
#include "ui/timing/sm_rows.h"

#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <algorithm>
#include <string_view>

namespace tilestep::test {
namespace {

// One wave of tiled<8> at 256: 32 blocks at once, of which an SM gets 8.
class SmPage : public ::testing::Test {
 protected:
  void SetUp() override {
    state::AppState state = harness.state();
    state.parameters.block_size = 8;
    state.tab = state::Tab::Timing;
    state.timing.page = state::TimingPage::Sm;
    state.timing.problem = {256, 256, 256};
    harness.workspace().set_state(state);
    for (int i = 0; i < 4; ++i) {
      harness.frame();
    }
    ASSERT_NE(harness.view().timing.sm, nullptr);
    ASSERT_NE(harness.view().timing.sm->summary, std::nullopt);
  }
  // A point of the rows: shares of the page's plot.
  ImVec2 place(float x, float y) {
    const auto& windows = ImGui::GetCurrentContext()->Windows;
    const auto* const page = std::find_if(windows.begin(), windows.end(), [](const ImGuiWindow* w) {
      return w->WasActive && std::string_view(w->Name).find("/plot_") != std::string_view::npos;
    });
    EXPECT_NE(page, windows.end());
    const ImRect area = (*page)->ContentRegionRect;
    return {area.Min.x + x * area.GetWidth(), area.Min.y + y * area.GetHeight()};
  }

  Harness harness;
};

TEST_F(SmPage, ShowsTheStatesOfEachWarpAndSaysThatTheyAreEstimated) {
  const auto& sm = *harness.view().timing.sm;
  EXPECT_EQ(sm.why_not, "");
  EXPECT_EQ(sm.run.lives.size(), 8U * 2U);
  const std::string drawn = harness.drawn();
  for (const char* const words : {"estimated", "8 blocks at once on one SM", "issue slots",
                                  "data stage", "waits for global memory", "block 132"}) {
    EXPECT_NE(drawn.find(words), std::string::npos) << words << " in " << drawn;
  }
}

TEST_F(SmPage, TheWheelZoomsAtTheMouseAndAButtonShowsAllClocksAgain) {
  const ImVec2 at = place(0.3F, 0.6F);
  ASSERT_TRUE(harness.run([at](ImGuiTestContext& ctx) {
    ctx.MouseMoveToPos(at);
    ctx.MouseWheelY(6.0F);
  }));
  const state::SmView zoomed = harness.state().timing.sm;
  EXPECT_GT(zoomed.clocks, 0);
  EXPECT_LT(zoomed.clocks, harness.view().timing.sm->run.clocks / 2);
  EXPECT_GT(zoomed.first, 0);
  ASSERT_TRUE(harness.run([at](ImGuiTestContext& ctx) {
    ctx.MouseMoveToPos(at);
    ctx.MouseDragWithDelta({60.0F, 0.0F});
  }));
  EXPECT_LT(harness.state().timing.sm.first, zoomed.first) << "earlier clocks come into view";
  EXPECT_EQ(harness.state().timing.sm.clocks, zoomed.clocks);
  ASSERT_TRUE(harness.run([](ImGuiTestContext& ctx) { ctx.ItemClick("**/All cycles"); }));
  EXPECT_EQ(harness.state().timing.sm.clocks, 0);
}

TEST_F(SmPage, AClickedWaitMarksItsInstruction) {
  const ImVec2 at = place(0.3F, 0.4F);
  ASSERT_TRUE(harness.run([at](ImGuiTestContext& ctx) {
    ctx.MouseMoveToPos(at);
    ctx.MouseClick();
  }));
  const int chosen = harness.state().timing.sm.instruction;
  ASSERT_GE(chosen, 0);
  EXPECT_LT(chosen, static_cast<int>(harness.view().timing.sm->code.size()));
}

TEST_F(SmPage, FewerBlocksAtOnceAreEstimatedAnew) {
  const std::int64_t before = harness.view().timing.sm->run.clocks;
  state::AppState state = harness.state();
  state.timing.sm.blocks = 1;
  harness.workspace().set_state(state);
  harness.frame();
  harness.frame();
  EXPECT_EQ(harness.view().timing.sm->run.lives.size(), 2U);
  EXPECT_LT(harness.view().timing.sm->run.clocks, before);
}

TEST_F(SmPage, ASecondLaunchIsShownOnTheSameClocks) {
  state::AppState state = harness.state();
  state.timing.against = {"naive", 8, ""};
  harness.workspace().set_state(state);
  harness.frame();
  harness.frame();
  ASSERT_NE(harness.view().timing.sm_against, nullptr);
  EXPECT_EQ(harness.view().timing.sm_against->parameters.block_size, 8);
  EXPECT_NE(harness.view().timing.sm_against->run.clocks, harness.view().timing.sm->run.clocks);
  EXPECT_NE(harness.drawn().find("Naive, BLOCK_SIZE 8"), std::string::npos) << harness.drawn();
  ASSERT_TRUE(harness.run([](ImGuiTestContext& ctx) {
    ctx.SetRef(ctx.WindowInfo("//###timing/plot").ID);
    ctx.ItemClick("##against");
    ctx.ItemClick("//##Combo_00/none");
  }));
  EXPECT_EQ(harness.view().timing.sm_against, nullptr);
}

int count(const std::string& text, const std::string& words) {
  int found = 0;
  for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) {
    ++found;
  }
  return found;
}

TEST_F(SmPage, ALectureShowsTheRowsTheirLegendAndTheErrorOfTheModel) {
  state::AppState state = harness.state();
  state.lecture = true;
  harness.workspace().set_state(state);
  harness.frame();
  harness.frame();
  const std::string drawn = harness.drawn();
  for (const char* const words : {"estimated", "median error", "8 blocks at once on one SM",
                                  "block 0", "waits for global memory", "cycles"}) {
    EXPECT_NE(drawn.find(words), std::string::npos) << words << " in " << drawn;
  }
  for (const char* const words :
       {"Roofline", "M×N×K", "Blocks at once", "Compare with", "Predicted", "not used to fit",
        "measured", "Machine code", "Latency hiding", "waits for the registers"}) {
    EXPECT_EQ(drawn.find(words), std::string::npos) << words << " in " << drawn;
  }
  state.timing.sm.blocks = 4;
  harness.workspace().set_state(state);
  harness.frame();
  harness.frame();
  EXPECT_NE(harness.drawn().find("Latency hiding"), std::string::npos) << harness.drawn();
}

TEST_F(SmPage, TwoLaunchesHaveLanesOrNeitherHas) {
  state::AppState state = harness.state();
  state.timing.against = {"naive", 8, ""};
  for (const bool is_lecture : {false, true}) {
    state.lecture = is_lecture;
    harness.workspace().set_state(state);
    harness.frame();
    harness.frame();
    const std::string drawn = harness.drawn();
    EXPECT_NE(drawn.find("Naive, BLOCK_SIZE 8"), std::string::npos) << drawn;
    EXPECT_NE(count(drawn, "issue slots"), 1) << drawn;
    EXPECT_EQ(count(drawn, "cycles per instruction"), is_lecture ? 0 : 1) << drawn;
  }
}

TEST(SmRows, ALowRowIsFilled_AndItsIssuesHaveNoStrip) {
  using clock::WarpState;
  for (const WarpState state : {WarpState::Wait, WarpState::Barrier, WarpState::NotSelected}) {
    EXPECT_EQ(ui::share_of_row(state, 6.8F), 1.0F);
    EXPECT_LT(ui::share_of_row(state, 30.0F), 1.0F);
  }
  EXPECT_EQ(ui::issue_strip(14.0F), 0.0F);
  EXPECT_GE(ui::issue_strip(15.1F), 3.0F);
}

// The stage's launch in machine code, with its place in time.
class SmWithStage : public SmPage {
 protected:
  void SetUp() override {
    SmPage::SetUp();
    state::AppState state = harness.state();
    state.build = problem::Build::Machine;
    harness.workspace().set_state(state);
    harness.frame();
    ASSERT_TRUE(harness.run([](ImGuiTestContext& ctx) { ctx.ItemClick("**/Sync with stage"); }));
    harness.frame();
    harness.frame();
  }
  // The clock of the focus thread's warp.
  [[nodiscard]] std::int64_t clock() {
    return harness.view().timing.sm_places->clock_at({harness.state().focus.block, 0},
                                                     harness.state().step);
  }
};

TEST_F(SmWithStage, EachStepMovesThePlaceInTime) {
  ASSERT_NE(harness.view().timing.sm_places, nullptr);
  EXPECT_EQ(harness.view().timing.sm->parameters.problem, harness.state().parameters.problem);
  std::int64_t last = clock();
  for (int phase = 0; phase < 3; ++phase) {
    ASSERT_TRUE(harness.run([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiKey_F10); }));
    EXPECT_GT(clock(), last) << phase;
    last = clock();
  }
}

TEST_F(SmWithStage, ADragAlongTheClocksDragsTheStage) {
  ASSERT_NE(harness.view().timing.sm_places, nullptr);
  const auto drag_to = [this](float share) {
    return harness.run([share](ImGuiTestContext& ctx) {
      ctx.MouseMove("**/##clocks");
      const ImGuiTestItemInfo axis = ctx.ItemInfo("**/##clocks");
      ctx.MouseDown();
      ctx.MouseMoveToPos(
          {axis.RectFull.Min.x + share * axis.RectFull.GetWidth(), axis.RectFull.GetCenter().y});
      ctx.MouseUp();
    });
  };
  const std::int64_t all = harness.view().timing.sm->run.clocks;
  ASSERT_TRUE(drag_to(0.995F));
  const std::uint64_t late = harness.state().step;
  EXPECT_GT(clock(), all * 9 / 10);
  ASSERT_TRUE(drag_to(0.5F));
  EXPECT_LT(harness.state().step, late);
  EXPECT_GT(harness.state().step, 0U);
  EXPECT_LE(clock(), all / 2 + 1);
}

TEST_F(SmWithStage, AClickOnAWarpPutsItInFocus) {
  const ImVec2 at = place(0.6F, 0.3F);
  ASSERT_TRUE(harness.run([at](ImGuiTestContext& ctx) {
    ctx.MouseMoveToPos(at);
    ctx.MouseClick();
  }));
  EXPECT_GT(harness.state().step, 0U);
  EXPECT_GE(harness.state().timing.sm.instruction, 0);
}

}  // namespace
}  // namespace tilestep::test
