// The Timing tab, driven by the mouse: a click on a point sets the stage.
#include "analysis/why.h"
#include "app/harness.h"
#include "problem/launch/launch.h"
#include "ui/widgets.h"

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
    const auto& points = harness.view().timing.datasets->front().points;
    const auto found = std::find_if(points.begin(), points.end(), [&](const timing::Point& p) {
      return p.kernel == kernel && p.block_size == block_size && p.problem == kTimedProblem;
    });
    EXPECT_NE(found, points.end());
    return *found;
  }

  // Its position on screen.
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

  void shift_click(ImVec2 at) {
    EXPECT_TRUE(harness.run([at](ImGuiTestContext& ctx) {
      ctx.MouseMoveToPos(at);
      ctx.KeyDown(ImGuiMod_Shift);
      ctx.MouseClick();
      ctx.KeyUp(ImGuiMod_Shift);
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
  ASSERT_NE(harness.view().run.scene, nullptr);
  EXPECT_EQ(harness.view().run.scene->launch.id, "naive");
  EXPECT_EQ(harness.view().run.scene->launch.block.x, 13U);
  EXPECT_EQ(harness.view().run.scene->launch.block.y, 13U);
}

TEST_F(TimingTab, ADoubleClickedPointOpensTheStage) {
  click(pixel_of(recorded("naive", 20)), 2);
  EXPECT_EQ(harness.state().tab, state::Tab::Step);
  EXPECT_EQ(harness.view().run.scene->launch.block.x, 20U);
}

TEST_F(TimingTab, TheSelectedPointIsCounted) {
  click(pixel_of(recorded("naive", 13)));
  const analysis::LaunchFacts* facts =
      analysis::find_facts(*harness.view().timing.facts, "naive", {kTimedProblem, 13}, 0);
  ASSERT_NE(facts, nullptr);
  EXPECT_EQ(facts->cost.flops, 2ULL * 256 * 256 * 256);
  EXPECT_EQ(harness.view().timing.uncounted, 0U);
}

TEST_F(TimingTab, TheReasonsOfAPointSayWhatItsWarpsWaitFor) {
  click(pixel_of(recorded("naive", 13)));
  harness.frame();
  ASSERT_NE(harness.view().timing.sm, nullptr);
  ASSERT_NE(harness.view().timing.sm->summary, std::nullopt);
  EXPECT_EQ(harness.view().timing.sm->kernel, "naive");
  EXPECT_NE(harness.drawn().find("How a warp spends its time: waits for global memory"),
            std::string::npos);
  // Without a point nothing is asked.
  state::AppState state = harness.state();
  state.timing.selected_kernel.clear();
  harness.workspace().set_state(state);
  harness.frame();
  EXPECT_EQ(harness.view().timing.sm, nullptr);
}

TEST_F(TimingTab, KeysShowEveryPage) {
  const std::pair<ImGuiKey, state::TimingPage> pages[] = {
      {ImGuiKey_4, state::TimingPage::Size},     {ImGuiKey_5, state::TimingPage::Ladder},
      {ImGuiKey_6, state::TimingPage::Roofline}, {ImGuiKey_7, state::TimingPage::Occupancy},
      {ImGuiKey_8, state::TimingPage::Counters}, {ImGuiKey_9, state::TimingPage::Sm},
      {ImGuiKey_3, state::TimingPage::BlockSize}};
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

TEST_F(TimingTab, TheRooflineSaysInsideThePlotWhatIsCounted) {
  harness.change_view = [](workspace::FrameView& view) {
    view.timing.uncounted = 7;
    view.timing.counting = {"Naive", "Tiled"};
  };
  ASSERT_TRUE(harness.run([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiMod_Ctrl | ImGuiKey_6); }));
  EXPECT_NE(harness.drawn().find("Points left to count for Naive · Tiled: 7."), std::string::npos)
      << harness.drawn();
  EXPECT_EQ(harness.drawn().find("counting, 7 to go"), std::string::npos) << "once";
  harness.change_view = [](workspace::FrameView& view) { view.timing.uncounted = 0; };
  harness.frame();
  EXPECT_EQ(harness.drawn().find("to go"), std::string::npos);
}

TEST_F(TimingTab, ABarOfTheLadderSelectsItsKernel) {
  ASSERT_TRUE(harness.run([](ImGuiTestContext& ctx) {
    ctx.KeyPress(ImGuiMod_Ctrl | ImGuiKey_5);
    ctx.Yield();
  }));
  // The highest curve except cuBLAS's; the data determine its kernel.
  const auto& curves = harness.view().timing.shown->chart.curves;
  std::size_t bar = curves.size() - 1;
  while (curves[bar].role != analysis::Role::Measured) {
    --bar;
  }
  ASSERT_TRUE(harness.run([&](ImGuiTestContext& ctx) {
    ctx.ItemClick(("//###timing/**/$$" + std::to_string(bar) + "/bar").c_str());
  }));
  EXPECT_NE(harness.state().timing.selected_kernel, "");
  EXPECT_EQ(harness.state().kernel, harness.state().timing.selected_kernel);
}

TEST_F(TimingTab, APointOfBestBySizeIsTheKernelThatWonThere) {
  ASSERT_TRUE(harness.run([](ImGuiTestContext& ctx) {
    ctx.KeyPress(ImGuiMod_Ctrl | ImGuiKey_4);
    ctx.Yield();
  }));
  const auto& curves = harness.view().timing.shown->chart.curves;
  const auto best = std::ranges::find(curves, "best_by_size", &analysis::Curve::kernel);
  ASSERT_NE(best, curves.end());
  const analysis::Mark mark = best->marks.front();
  EXPECT_EQ(mark.x, 256.0);
  EXPECT_NE(mark.won, "");
  const std::string winner = analysis::stage_kernel(*mark.point);
  ASSERT_NE(winner, harness.state().kernel);
  auto& plots = ImPlot::GetCurrentContext()->Plots;
  ImPlotPlot* const plot = plots.GetByIndex(plots.GetBufSize() - 1);
  click({plot->XAxis(0).PlotToPixels(mark.x), plot->YAxis(0).PlotToPixels(mark.y)});
  EXPECT_EQ(harness.state().kernel, winner);
  EXPECT_EQ(harness.state().timing.selected_kernel, winner);
}

TEST_F(TimingTab, TheSliderSetsTheStagesBlockSize) {
  ASSERT_TRUE(harness.run(
      [](ImGuiTestContext& ctx) { ctx.ItemInputValue("//###timing/##block_size", 19); }));
  EXPECT_EQ(harness.state().parameters.block_size, 19);
  EXPECT_EQ(harness.view().run.scene->launch.block.x, 19U);
}

TEST_F(TimingTab, TheSizeSliderBringsTheProblemsMiniatureOntoTheStage) {
  click(pixel_of(recorded("tiled", 13)));
  EXPECT_EQ(harness.view().run.scene->launch.parameters.problem, (problem::Problem{22, 22, 22}))
      << "256 is 9 more than 19·13";
  ASSERT_TRUE(harness.run([](ImGuiTestContext& ctx) {
    ctx.ItemClick("//###timing/##size");  // its middle: another size
  }));
  const problem::Problem timed = harness.state().timing.problem;
  ASSERT_NE(timed, kTimedProblem);
  EXPECT_EQ(harness.view().run.scene->launch.parameters.problem, problem::miniature(timed, 13));
}

TEST_F(TimingTab, ShowOnTheStageGoesToTheCostliestLine) {
  click(pixel_of(recorded("naive", 13)));
  const auto line = analysis::costliest_line(
      *analysis::find_facts(*harness.view().timing.facts, "naive", {kTimedProblem, 13}, 0));
  ASSERT_TRUE(line);
  ASSERT_TRUE(harness.run([&](ImGuiTestContext& ctx) {
    ctx.ItemClick(
        ("//###timing/**/Show on the stage, at line " + std::to_string(line->line)).c_str());
  }));
  EXPECT_EQ(harness.state().tab, state::Tab::Step);
  ASSERT_NE(harness.view().run.state, nullptr);
  EXPECT_EQ(
      harness.view().run.state->line(harness.state().focus.block, harness.state().focus.thread),
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
  EXPECT_EQ(harness.view().timing.uncounted, 0U);
  const analysis::LaunchFacts* facts =
      analysis::find_facts(*harness.view().timing.facts, "naive", {kTimedProblem, 16}, 100);
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

TEST_F(TimingTab, AShiftClickedPointIsComparedWithTheSelectedOne) {
  click(pixel_of(recorded("naive", 16)));
  shift_click(pixel_of(recorded("naive", 17)));
  EXPECT_EQ(harness.state().timing.selected_block_size, 16) << "it stays";
  EXPECT_EQ(harness.state().timing.against, (state::TimedPoint{"naive", 17, ""}));
  const auto& pair = harness.view().timing.shown->pair;
  ASSERT_TRUE(pair && pair->comparison) << (pair ? pair->why_not : "no pair");
  const double ratio = recorded("naive", 17).samples_ms.statistics().median_ms /
                       recorded("naive", 16).samples_ms.statistics().median_ms;
  EXPECT_DOUBLE_EQ(pair->ratio, std::max(ratio, 1.0 / ratio));
  EXPECT_EQ(pair->is_swapped, ratio < 1.0);

  shift_click(pixel_of(recorded("naive", 17)));
  EXPECT_EQ(harness.state().timing.against, state::TimedPoint{}) << "again ends it";
}

TEST_F(TimingTab, KeysCompareWithNeighboursAndEscapeEndsIt) {
  click(pixel_of(recorded("naive", 16)));
  const auto press = [this](ImGuiKeyChord key) {
    ASSERT_TRUE(harness.run([key](ImGuiTestContext& ctx) { ctx.KeyPress(key); }));
  };
  const auto other = [this] { return harness.state().timing.against.block_size; };
  press(ImGuiKey_C);
  EXPECT_EQ(other(), 17);
  press(ImGuiKey_C);
  EXPECT_EQ(other(), 18);
  press(ImGuiMod_Shift | ImGuiKey_C);
  press(ImGuiMod_Shift | ImGuiKey_C);
  EXPECT_EQ(other(), 15) << "not with itself";
  press(ImGuiMod_Ctrl | ImGuiKey_Z);
  EXPECT_NE(other(), 15) << "a comparison can be undone";
  press(ImGuiKey_C);
  press(ImGuiKey_Escape);
  EXPECT_EQ(harness.state().timing.against, state::TimedPoint{});
}

TEST_F(TimingTab, CublasHasARatioButNoFactors) {
  click(pixel_of(recorded("naive", 16)));
  ASSERT_TRUE(harness.run([](ImGuiTestContext& ctx) { ctx.ItemClick("//###timing/**/cuBLAS"); }));
  const auto& pair = harness.view().timing.shown->pair;
  ASSERT_TRUE(pair);
  EXPECT_FALSE(pair->comparison);
  EXPECT_GT(pair->ratio, 1.0);
  EXPECT_NE(pair->claim.find("as long as cuBLAS SGEMM"), std::string::npos) << pair->claim;
  EXPECT_NE(pair->why_not.find("the source of cuBLAS is not available"), std::string::npos);
}

TEST_F(TimingTab, AFactorIsAClickFromTheStageThatShowsIt) {
  click(pixel_of(recorded("naive", 16)));
  shift_click(pixel_of(recorded("naive", 17)));
  const auto& pair = harness.view().timing.shown->pair;
  ASSERT_TRUE(pair && pair->comparison);
  const auto& factors = pair->comparison->factors;
  const auto idle =
      std::ranges::find(factors, analysis::Cause::IdleLanes, &analysis::Factor::cause);
  ASSERT_NE(idle, factors.end());
  ASSERT_LT(static_cast<std::size_t>(idle - factors.begin()), pair->comparison->named);
  ASSERT_TRUE(harness.run([](ImGuiTestContext& ctx) {
    ctx.ItemClick((std::string("//###timing/**/Show warp 9  ") + ui::icon::kForward).c_str());
  }));
  EXPECT_EQ(harness.state().tab, state::Tab::Step);
  EXPECT_EQ(harness.state().kernel, "naive");
  EXPECT_EQ(harness.state().parameters.block_size, 17) << "where they are idle";
  EXPECT_EQ(harness.state().focus.thread, 288U) << "the last of 289";
  EXPECT_EQ(harness.state().inspector, state::InspectorPage::Warp);
  EXPECT_TRUE(harness.state().inspector_open);
}

TEST_F(TimingTab, AThreadOfALargerBlockIsInFocusOnceItsStageIsThere) {
  state::OpenOnStage open{"naive", 17};
  open.thread = 288;
  ASSERT_EQ(harness.view().run.scene->launch.block.count(), 16U);
  harness.workspace().update({open}, 0.0);
  EXPECT_LT(harness.state().focus.thread, 16U) << "the old stage has no more";
  harness.workspace().settle();
  EXPECT_EQ(harness.state().focus.thread, 288U);
}

TEST_F(TimingTab, AccessesOfALineAreShownOnceTheyAreMade) {
  state::OpenOnStage open{"tiled", 4};
  open.line = 29;
  open.beside = state::Beside::Memory;
  harness.workspace().update({open}, 0.0);
  harness.workspace().settle();
  EXPECT_TRUE(harness.state().show_memory);
  ASSERT_NE(harness.view().run.statement, nullptr);
  EXPECT_FALSE(harness.view().run.statement->executed.empty());
  EXPECT_NE(
      harness.view().run.state->line(harness.state().focus.block, harness.state().focus.thread),
      29U)
      << "it is behind";
}

TEST_F(TimingTab, AnEventOfACauseIsFoundOnItsStage) {
  state::OpenOnStage open{"tiled", 4};
  open.event = record::EventKind::Barrier;
  harness.workspace().update({open}, 0.0);
  harness.workspace().settle();
  EXPECT_EQ(harness.state().tab, state::Tab::Step);
  EXPECT_GT(harness.state().step, 0U);
  EXPECT_FALSE(harness.view().messages.event.empty());
}

TEST_F(TimingTab, ACurveIsDrawnWithTheMouseAndShownBesideTheMeasuredOne) {
  ASSERT_TRUE(
      harness.run([](ImGuiTestContext& ctx) { ctx.ItemClick("//###timing/**/Draw yours"); }));
  const std::string kernel = harness.state().kernel;
  ASSERT_EQ(harness.state().timing.guess.kernel, kernel);
  harness.frame();
  const auto is_drawn = [this](analysis::Role role) {
    const auto& curves = harness.view().timing.shown->chart.curves;
    return std::ranges::any_of(curves, [&](const analysis::Curve& curve) {
      return curve.role == role && curve.kernel == harness.state().timing.guess.kernel;
    });
  };
  EXPECT_FALSE(is_drawn(analysis::Role::Measured));
  ImPlotPlot* plot = ImPlot::GetCurrentContext()->Plots.GetByIndex(
      ImPlot::GetCurrentContext()->Plots.GetBufSize() - 1);
  const ImVec2 from{plot->XAxis(0).PlotToPixels(8), plot->YAxis(0).PlotToPixels(1000)};
  const ImVec2 to{plot->XAxis(0).PlotToPixels(16), plot->YAxis(0).PlotToPixels(4000)};
  ASSERT_TRUE(harness.run([&](ImGuiTestContext& ctx) {
    ctx.MouseMoveToPos(from);
    ctx.MouseDown();
    ctx.MouseMoveToPos(to);
    ctx.MouseUp();
  }));
  const state::GuessView& guess = harness.state().timing.guess;
  ASSERT_EQ(guess.gflops.size(), 9U) << "8 to 16, none left out";
  EXPECT_NEAR(guess.gflops.at(8), 1000.0, 40.0);
  EXPECT_NEAR(guess.gflops.at(16), 4000.0, 160.0);
  EXPECT_EQ(harness.state().timing.selected_kernel, "") << "drawing selects nothing";

  ASSERT_TRUE(harness.run([](ImGuiTestContext& ctx) {
    ctx.KeyPress(ImGuiKey_RightArrow);
    ctx.KeyPress(ImGuiKey_UpArrow);
    ctx.KeyPress(ImGuiKey_UpArrow);
  }));
  EXPECT_EQ(harness.state().timing.guess.at, 17);
  EXPECT_NEAR(harness.state().timing.guess.gflops.at(17) / guess.gflops.at(16), 1.21, 0.01);
  EXPECT_EQ(harness.state().step, 0U) << "the arrow keys are not the stage's";

  ASSERT_TRUE(harness.run(
      [](ImGuiTestContext& ctx) { ctx.ItemClick("//###timing/**/Show the measured curve"); }));
  harness.frame();
  EXPECT_TRUE(is_drawn(analysis::Role::Measured));
  EXPECT_TRUE(is_drawn(analysis::Role::Drawn));
}

TEST_F(TimingTab, TheWhatIfSlidersMoveThePredictedCurve) {
  state::AppState state = harness.state();
  state.kernel = "naive";
  state.timing.what_if_open = true;
  state.timing.predict = true;
  harness.workspace().set_state(state);
  for (int i = 0; i < 4; ++i) {
    harness.frame();
  }
  const auto predicted = [this] {
    for (const analysis::Curve& curve : harness.view().timing.shown->chart.curves) {
      if (curve.role == analysis::Role::Predicted) {
        return curve.marks.back().gflops;
      }
    }
    return 0.0;
  };
  const double before = predicted();
  ASSERT_GT(before, 0.0);
  ASSERT_TRUE(
      harness.run([](ImGuiTestContext& ctx) { ctx.ItemInputValue("//###timing/**/##SMs", 16); }));
  EXPECT_EQ(harness.state().timing.what_if.sms, 16);
  EXPECT_LT(predicted(), 0.8 * before);
  ASSERT_TRUE(harness.run([](ImGuiTestContext& ctx) { ctx.ItemClick("//###timing/**/Reset"); }));
  EXPECT_EQ(harness.state().timing.what_if, state::WhatIf{});
  EXPECT_DOUBLE_EQ(predicted(), before);
}

TEST_F(TimingTab, HowItWasMeasuredIsFoldedUntilItIsAskedFor) {
  EXPECT_FALSE(harness.state().timing.method_open);
  const std::string face = std::string(ui::icon::kForward) + "  How it was measured";
  ASSERT_TRUE(harness.run(
      [&](ImGuiTestContext& ctx) { ctx.ItemClick(("//###timing/**/" + face).c_str()); }));
  EXPECT_TRUE(harness.state().timing.method_open);
}

}  // namespace
}  // namespace tilestep::test
