// BLOCK_SIZE as an instrument: mouse, wheel, keys and digits on the slider under the stage; the
// moment on stage stays the same.
#include "ui/instrument.h"

#include "app/harness.h"
#include "state/apply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <string>

namespace tilestep::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kSlider = "//###instrument/block_size";

class InstrumentTest : public ::testing::Test {
 protected:
  void carry_out(const state::Command& command) {
    harness.workspace().update({command}, 0.0);
    harness.workspace().settle();
    harness.frame();
  }
  // The position of a value, on the track or on the curve above it.
  static ImVec2 notch(ImGuiTestContext& ctx, int value, float height = 0.8F) {
    const ImRect box = ctx.ItemInfo(kSlider).RectFull;
    const float pad = 0.6F * ImGui::GetFontSize();
    const ui::Notches notches{box.Min.x + pad, box.Max.x - pad, 32};
    return {notches.x_of(value), box.Min.y + height * box.GetHeight()};
  }
  void click(int value, float height = 0.8F) {
    EXPECT_TRUE(harness.run([=](ImGuiTestContext& ctx) {
      ctx.MouseMoveToPos(notch(ctx, value, height));
      ctx.MouseClick();
      ctx.Yield(2);
    }));
  }
  [[nodiscard]] int block_size() const { return harness.state().parameters.block_size; }
  // The phase of the focus block that ends on stage.
  [[nodiscard]] std::string ended() const {
    const record::Recording& run = *harness.view().run.scene->recording;
    const auto phase = state::phase_ended(run, harness.state().step, harness.state().focus.block);
    return phase ? *run.phases_of(harness.state().focus.block)[*phase].name : "";
  }

  Harness harness;
};

TEST_F(InstrumentTest, ADragGoesThroughItsValues) {
  EXPECT_TRUE(harness.run([&](ImGuiTestContext& ctx) {
    ctx.MouseMoveToPos(notch(ctx, 4));
    ctx.MouseDown();
    for (const int value : {5, 7, 12, 17}) {
      ctx.MouseMoveToPos(notch(ctx, value));
      IM_CHECK_EQ(block_size(), value);
      IM_CHECK(!ended().empty());
    }
    ctx.MouseUp();
  }));
  EXPECT_EQ(block_size(), 17);
  EXPECT_EQ(ended(), "load tile 0") << "the run was at its start: never empty tiles";
}

TEST_F(InstrumentTest, TheSameMomentStaysOnStage) {
  carry_out(state::SetParameters{{{24, 24, 24}, 4}});
  for (int i = 0; i < 3; ++i) {
    carry_out(state::Step{state::Unit::Phase, +1});
  }
  const std::string here = ended();
  ASSERT_EQ(here, "multiply tile 1");
  for (const int value : {5, 8, 3, 12, 4}) {
    click(value);
    EXPECT_EQ(ended(), here) << value;
    EXPECT_TRUE(harness.view().narration.shows_phase);
  }
  carry_out(state::SelectKernel{"tiled_padded"});
  EXPECT_EQ(ended(), here);
}

TEST_F(InstrumentTest, ShiftMovesTheSizesAndTheWheelTheBlock) {
  EXPECT_TRUE(harness.run([&](ImGuiTestContext& ctx) {
    ctx.MouseMoveToPos(notch(ctx, 10));
    ctx.MouseWheelY(1.0F);
    ctx.Yield(2);
    IM_CHECK_EQ(block_size(), 5);
    ctx.KeyDown(ImGuiMod_Shift);
    ctx.MouseDown();
    ctx.Yield(2);
    ctx.MouseUp();
    ctx.KeyUp(ImGuiMod_Shift);
    ctx.Yield(2);
  }));
  EXPECT_EQ(block_size(), 5);
  const problem::Problem& size = harness.state().parameters.problem;
  EXPECT_GT(size.N, 8);
  EXPECT_EQ(size.M, size.N) << "a square stays one";
}

TEST_F(InstrumentTest, ArrowKeysAndDigitsAreItsOwnOnceItWasClicked) {
  click(6);
  EXPECT_EQ(block_size(), 6);
  const std::uint32_t thread = harness.state().focus.thread;
  EXPECT_TRUE(harness.run([&](ImGuiTestContext& ctx) {
    ctx.KeyPress(ImGuiKey_RightArrow);
    ctx.Yield(2);
    IM_CHECK_EQ(block_size(), 7);
    ctx.KeyPress(ImGuiKey_LeftArrow, 2);
    ctx.Yield(2);
    IM_CHECK_EQ(block_size(), 5);
    ctx.KeyPress(ImGuiKey_1);
    ctx.KeyPress(ImGuiKey_2);
    ctx.Yield(2);
    IM_CHECK_EQ(block_size(), 12);
    ctx.KeyPress(ImGuiKey_8);
    ctx.Yield(2);
    IM_CHECK_EQ(block_size(), 8);
  }));
  EXPECT_EQ(harness.state().focus.thread, thread);
  EXPECT_FALSE(harness.state().volume.large) << "8 has another meaning elsewhere";
}

TEST_F(InstrumentTest, ASecondClickOnTheCurveOpensTheTimingTab) {
  constexpr float kOnTheCurve = 0.2F;
  click(9, kOnTheCurve);
  EXPECT_EQ(block_size(), 9);
  EXPECT_EQ(harness.state().tab, state::Tab::Step);
  click(9, kOnTheCurve);
  EXPECT_EQ(harness.state().tab, state::Tab::Timing);
  EXPECT_EQ(harness.state().timing.selected_kernel, "tiled");
  EXPECT_EQ(harness.state().timing.selected_block_size, 9);
}

TEST_F(InstrumentTest, NumbersSayWhatTheyWereAndWhy) {
  carry_out(state::SetParameters{{{48, 48, 48}, 16}});
  click(17);
  const std::string drawn = harness.drawn();
  EXPECT_THAT(drawn, HasSubstr("17 takes 1.11× as long as 16"));
  EXPECT_THAT(drawn, HasSubstr("passes through shared memory"));
  EXPECT_THAT(drawn, HasSubstr("→"));
}

TEST_F(InstrumentTest, AnEditedTextHasEveryNumberThatIsCounted) {
  std::string text = harness.view().source.text;
  const std::string product = "acc += As[ty][e] * Bs[e][tx];";
  ASSERT_NE(text.find(product), std::string::npos);
  text.insert(text.find(product), "if (e != 1) ");
  carry_out(state::EditSource{text});
  const std::string drawn = harness.drawn();
  for (const char* const name : {"loads of", "sectors", "passes", "idle", "not measured"}) {
    EXPECT_THAT(drawn, HasSubstr(name));
  }
}

TEST_F(InstrumentTest, ALectureSaysHowFastAndWhyInFewNumbers) {
  carry_out(state::SetParameters{{{48, 48, 48}, 16}});
  carry_out(state::ShowLecture{true});
  click(17);
  const std::string drawn = harness.drawn();
  EXPECT_THAT(drawn, HasSubstr("GFLOP/s"));
  EXPECT_THAT(drawn, HasSubstr("loads of"));
  EXPECT_THAT(drawn, HasSubstr("17 takes 1.11× as long as 16"));
}

// A curve with a dip reveals which BLOCK_SIZE has the most passes.
TEST_F(InstrumentTest, AQuestionAboutCountsHidesTheSpeed) {
  carry_out(state::OpenLesson{"09-strips", 7});
  ASSERT_NE(harness.view().lesson, nullptr);
  ASSERT_NE(harness.view().lesson->question, nullptr);
  EXPECT_THAT(harness.drawn(), Not(HasSubstr("GFLOP/s")));
  carry_out(state::ShowAnswer{});
  EXPECT_THAT(harness.drawn(), HasSubstr("GFLOP/s"));
}

TEST_F(InstrumentTest, AKernelWithoutBlockSizeHasNone) {
  carry_out(state::SelectKernel{"register_tile_8x8"});
  EXPECT_TRUE(harness.run([](ImGuiTestContext& ctx) { IM_CHECK(!ctx.ItemExists(kSlider)); }));
}

TEST_F(InstrumentTest, ALectureAndTwoRunsHaveItToo) {
  carry_out(state::ShowLecture{true});
  click(8);
  EXPECT_EQ(block_size(), 8);
  carry_out(state::ShowLecture{false});
  state::Comparison comparison{.on = true, .second = setup_of(harness.state())};
  comparison.second.parameters.block_size = 20;
  carry_out(state::Compare{comparison});
  click(6);
  EXPECT_EQ(block_size(), 6);
  click(18);
  EXPECT_EQ(block_size(), 6);
  EXPECT_EQ(harness.state().comparison.second.parameters.block_size, 18) << "the nearer grip";
}

}  // namespace
}  // namespace tilestep::test
