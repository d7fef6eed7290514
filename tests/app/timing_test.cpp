// The timing tab, driven by the mouse: a click on a point sets the stage.
#include "analysis/why.h"
#include "app/harness.h"
#include "problem/launch/miniature.h"

#include <gtest/gtest.h>
#include <implot.h>
#include <implot_internal.h>

#include <algorithm>

namespace tilestep::test {
namespace {

class TimingTab : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(
        harness.run([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiMod_Ctrl | ImGuiKey_2); }));
    for (int i = 0; i < 4; ++i) {
      harness.frame();
    }
    ASSERT_EQ(harness.state().tab, state::Tab::Timing);
  }

  // The recorded point of a kernel and BLOCK_SIZE at the size on the plot.
  [[nodiscard]] const timing::Point& recorded(const std::string& kernel, int block_size) const {
    const auto& points = harness.view().datasets->front().points;
    const auto found = std::find_if(points.begin(), points.end(), [&](const timing::Point& p) {
      return p.kernel == kernel && p.block_size == block_size && p.problem == kTimedProblem;
    });
    EXPECT_NE(found, points.end());
    return *found;
  }

  // Where it is drawn.
  static ImVec2 pixel_of(const timing::Point& point) {
    ImPlotPlot* plot = ImPlot::GetCurrentContext()->Plots.GetByIndex(0);
    const double gflops = timing::gflops(point.problem, point.samples_ms.statistics().median_ms);
    return {plot->XAxis(0).PlotToPixels(point.block_size), plot->YAxis(0).PlotToPixels(gflops)};
  }

  void click(ImVec2 at, int times = 1) {
    EXPECT_TRUE(harness.run([at, times](ImGuiTestContext& ctx) {
      ctx.MouseMoveToPos(at);
      if (times == 1) {
        ctx.MouseClick();
      } else {
        ctx.MouseDoubleClick();
      }
    }));
  }

  Harness harness;
};

TEST_F(TimingTab, AClickedPointSetsKernelAndBlockSizeOnTheStage) {
  ASSERT_EQ(harness.state().parameters.block_size, 4);
  click(pixel_of(recorded("naive", 13)));
  EXPECT_EQ(harness.state().tab, state::Tab::Timing) << "one click stays on the plot";
  EXPECT_EQ(harness.state().kernel, "naive");
  EXPECT_EQ(harness.state().parameters.block_size, 13);
  EXPECT_EQ(harness.state().timing.selected_kernel, "naive");
  EXPECT_EQ(harness.state().timing.selected_block_size, 13);
  ASSERT_NE(harness.view().scene, nullptr);
  EXPECT_EQ(harness.view().scene->launch.id, "naive");
  EXPECT_EQ(harness.view().scene->launch.block.x, 13U);
  EXPECT_EQ(harness.view().scene->launch.block.y, 13U);
}

TEST_F(TimingTab, ADoubleClickedPointOpensTheStage) {
  click(pixel_of(recorded("naive", 20)), 2);
  EXPECT_EQ(harness.state().tab, state::Tab::Step);
  EXPECT_EQ(harness.view().scene->launch.block.x, 20U);
}

TEST_F(TimingTab, TheSelectedPointIsCounted) {
  click(pixel_of(recorded("naive", 13)));
  const analysis::LaunchFacts* facts =
      analysis::find_facts(harness.view().facts, "naive", {kTimedProblem, 13});
  ASSERT_NE(facts, nullptr);
  EXPECT_EQ(facts->cost.flops, 2ULL * 256 * 256 * 256);
  EXPECT_EQ(harness.view().uncounted, 0U);
}

TEST_F(TimingTab, KeysShowEveryPage) {
  const std::pair<ImGuiKey, state::TimingPage> pages[] = {
      {ImGuiKey_4, state::TimingPage::Size},     {ImGuiKey_5, state::TimingPage::Ladder},
      {ImGuiKey_6, state::TimingPage::Roofline}, {ImGuiKey_7, state::TimingPage::Occupancy},
      {ImGuiKey_8, state::TimingPage::Counters}, {ImGuiKey_3, state::TimingPage::BlockSize}};
  // Counters of a kernel whose launches are quick to count.
  state::AppState state = harness.state();
  state.kernel = "single_block";
  harness.workspace().set_state(state);
  for (const auto& [key, page] : pages) {
    ASSERT_TRUE(
        harness.run([key = key](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiMod_Ctrl | key); }));
    EXPECT_EQ(harness.state().timing.page, page);
  }
}

TEST_F(TimingTab, ABarOfTheLadderSelectsItsKernel) {
  ASSERT_TRUE(harness.run([](ImGuiTestContext& ctx) {
    ctx.KeyPress(ImGuiMod_Ctrl | ImGuiKey_5);
    ctx.Yield();
    // The lowest bar but cuBLAS's; which kernel it is the data say.
    ctx.ItemClick("//###timing/**/$$0/bar");
  }));
  EXPECT_NE(harness.state().timing.selected_kernel, "");
  EXPECT_EQ(harness.state().kernel, harness.state().timing.selected_kernel);
}

TEST_F(TimingTab, TheSliderSetsTheStagesBlockSize) {
  ASSERT_TRUE(harness.run(
      [](ImGuiTestContext& ctx) { ctx.ItemInputValue("//###timing/##block_size", 19); }));
  EXPECT_EQ(harness.state().parameters.block_size, 19);
  EXPECT_EQ(harness.view().scene->launch.block.x, 19U);
}

TEST_F(TimingTab, TheSizeSliderBringsTheProblemsMiniatureOntoTheStage) {
  click(pixel_of(recorded("tiled", 13)));
  EXPECT_EQ(harness.view().scene->launch.parameters.problem, (problem::Problem{22, 22, 22}))
      << "256 is 9 more than 19·13";
  ASSERT_TRUE(harness.run([](ImGuiTestContext& ctx) {
    ctx.ItemClick("//###timing/##size");  // its middle: another size
  }));
  const problem::Problem timed = harness.state().timing.problem;
  ASSERT_NE(timed, kTimedProblem);
  EXPECT_EQ(harness.view().scene->launch.parameters.problem, problem::miniature(timed, 13));
}

TEST_F(TimingTab, ShowOnTheStageGoesToTheCostliestLine) {
  click(pixel_of(recorded("naive", 13)));
  const auto line = analysis::costliest_line(
      *analysis::find_facts(harness.view().facts, "naive", {kTimedProblem, 13}));
  ASSERT_TRUE(line);
  ASSERT_TRUE(harness.run([&](ImGuiTestContext& ctx) {
    ctx.ItemClick(
        ("//###timing/**/Show on the stage, at line " + std::to_string(line->line)).c_str());
  }));
  EXPECT_EQ(harness.state().tab, state::Tab::Step);
  ASSERT_NE(harness.view().state, nullptr);
  EXPECT_EQ(harness.view().state->line(harness.state().focus.block, harness.state().focus.thread),
            line->line);
}

TEST_F(TimingTab, AGpuWithoutMeasurementsIsPredictedAlone) {
  state::AppState state = harness.state();
  state.timing.gpu = "NVIDIA B200";
  state.timing.predict = true;
  state.timing.selected_kernel = "naive";
  state.timing.selected_block_size = 16;
  state.kernel = "naive";
  harness.workspace().set_state(state);
  for (const ImGuiKey page : {ImGuiKey_3, ImGuiKey_4, ImGuiKey_5, ImGuiKey_6, ImGuiKey_7}) {
    ASSERT_TRUE(harness.run([page](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiMod_Ctrl | page); }));
  }
  EXPECT_EQ(harness.view().uncounted, 0U);
  const analysis::LaunchFacts* facts =
      analysis::find_facts(harness.view().facts, "naive", {kTimedProblem, 16});
  ASSERT_NE(facts, nullptr);
  EXPECT_EQ(facts->architecture, 100);
}

TEST_F(TimingTab, AClickBesideEveryPointChangesNothing) {
  const state::AppState before = harness.state();
  ImVec2 at = pixel_of(recorded("naive", 16));
  at.y += 150.0F;
  click(at);
  EXPECT_EQ(harness.state(), before);
}

}  // namespace
}  // namespace tilestep::test
