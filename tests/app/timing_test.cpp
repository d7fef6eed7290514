// The timing tab, driven by the mouse: a click on a point sets the stage.
#include "app/harness.h"

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
      return p.kernel == kernel && p.block_size == block_size &&
             p.problem == problem::Problem{4096, 4096, 4096};
    });
    EXPECT_NE(found, points.end());
    return *found;
  }

  // Where it is drawn.
  static ImVec2 pixel_of(const timing::Point& point) {
    ImPlotPlot* plot = ImPlot::GetCurrentContext()->Plots.GetByIndex(0);
    const double gflops =
        timing::gflops(point.problem, timing::statistics(point.samples_ms).median_ms);
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

TEST_F(TimingTab, AClickBesideEveryPointChangesNothing) {
  const state::AppState before = harness.state();
  ImVec2 at = pixel_of(recorded("naive", 16));
  at.y += 100.0F;
  click(at);
  EXPECT_EQ(harness.state(), before);
}

}  // namespace
}  // namespace tilestep::test
