// Sliders, the palette, fields for files and a presenter's remote, by keys and mouse.
#include "app/harness.h"
#include "temporary_folder.h"
#include "ui/palette_rows.h"
#include "ui/theme.h"

#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace tilestep::test {
namespace {

workspace::Paths paths_with(const std::filesystem::path& home) {
  workspace::Paths paths = build_tree_paths();
  paths.documents = home;
  paths.user_state = home / "state";
  return paths;
}

bool any_tooltip_is_shown() {
  const ImGuiWindow* window = ImGui::FindWindowByName("##Tooltip_00");
  return window != nullptr && window->Active && !window->Hidden;
}

class ControlsTest : public ::testing::Test {
 protected:
  void press(ImGuiKeyChord chord) {
    EXPECT_TRUE(harness.run([chord](ImGuiTestContext& ctx) { ctx.KeyPress(chord); }));
  }
  // Opens a field, types into it and presses the keys in `then`, in one run: a second run would
  // lose the focus.
  void enter(ImGuiKeyChord chord, const char* text,
             const std::vector<ImGuiKey>& then = {ImGuiKey_Enter}) {
    EXPECT_TRUE(harness.run([=](ImGuiTestContext& ctx) {
      ctx.KeyPress(chord);
      ctx.Yield(2);
      ctx.KeyChars(text);
      ctx.Yield(2);
      for (const ImGuiKey key : then) {
        ctx.KeyPress(key);
        ctx.Yield(2);
      }
    }));
  }
  void palette(const char* query) { enter(ImGuiMod_Ctrl | ImGuiKey_K, query); }
  [[nodiscard]] std::vector<ui::PaletteRow> rows() {
    ui::Memory memory;
    const ui::Fonts fonts;
    return ui::palette_rows({harness.state(), harness.view(), ui::theme(harness.state().theme),
                             fonts, nullptr, memory});
  }

  TemporaryFolder home;
  Harness harness{paths_with(home.path())};
};

TEST_F(ControlsTest, ThePaletteSetsSizesUnitsAndForms) {
  palette("BLOCK_SIZE 2");
  EXPECT_EQ(harness.state().parameters.block_size, 2);
  palette("hexadec");
  EXPECT_EQ(harness.state().number_form, state::NumberForm::Hex);
  palette("% of cuBLAS");
  EXPECT_EQ(harness.state().timing.unit, state::SpeedUnit::OfCublas);
  EXPECT_EQ(harness.state().tab, state::Tab::Timing) << "where it is seen";
}

TEST_F(ControlsTest, ThePaletteGoesToAPlaceThatIsTyped) {
  palette("As[1][2]");
  EXPECT_EQ(harness.state().focus.cell_name, "As[1][2]");
  palette("thread 3,1");
  EXPECT_EQ(harness.state().focus.thread, 7U);
  palette("phase 1");
  EXPECT_TRUE(harness.view().narration.shows_phase);
  EXPECT_EQ(harness.view().narration.phase_over, 1U);
}

TEST_F(ControlsTest, ThePaletteHasEverySettingAndAnOrder) {
  const auto all = rows();
  for (const char* name :
       {"Window: Black screen", "Data: identity", "Schedule: random", "Lanes per warp: 4",
        "Numbers: exact", "BLOCK_SIZE: 32", "Unit of speed: GFLOP/s", "Kernel: Tiled",
        "Place: phase 0: load tile 0", "Data set: h200", "Predict for: NVIDIA B200"}) {
    EXPECT_TRUE(std::ranges::any_of(all, [name](const ui::PaletteRow& row) {
      return row.full_name() == name;
    })) << name;
  }
  const auto matches = ui::matching_rows(all, "timings");
  ASSERT_FALSE(matches.empty());
  EXPECT_NE(all[matches[0].row].name.find("imings"), std::string::npos)
      << "as it was typed, before strewn letters: " << all[matches[0].row].full_name();
  EXPECT_EQ(ui::matching_rows(all, "").size(), all.size());
}

TEST_F(ControlsTest, ATooltipDoesNotStayOverThePalette) {
  const ImGuiWindow* stage = ImGui::FindWindowByName("Stage###stage");
  bool has_tooltip = false;
  for (float x = 0.1F; x < 0.9F && !has_tooltip; x += 0.05F) {
    const ImVec2 at(stage->Pos.x + x * stage->Size.x, stage->Pos.y + 0.6F * stage->Size.y);
    EXPECT_TRUE(harness.run([at](ImGuiTestContext& ctx) {
      ctx.MouseMoveToPos(at);
      ctx.Yield(2);
    }));
    has_tooltip = any_tooltip_is_shown();
  }
  ASSERT_TRUE(has_tooltip);
  press(ImGuiMod_Ctrl | ImGuiKey_K);
  harness.frame();
  EXPECT_FALSE(any_tooltip_is_shown());
}

TEST_F(ControlsTest, ASceneIsSavedAndOpenedByItsPath) {
  press(ImGuiKey_F10);
  const state::AppState saved = harness.state();
  enter(ImGuiMod_Ctrl | ImGuiMod_Alt | ImGuiKey_S, "");
  EXPECT_EQ(harness.state().asked, state::Asked::Nothing);
  const std::filesystem::path file = home.path() / "tiled-scene.toml";
  ASSERT_TRUE(std::filesystem::exists(file)) << harness.view().messages.refusal;
  press(ImGuiKey_End);
  enter(ImGuiMod_Ctrl | ImGuiKey_O, "til", {ImGuiKey_Tab, ImGuiKey_Enter});
  EXPECT_EQ(harness.view().messages.refusal, "");
  EXPECT_EQ(harness.state(), saved);
}

TEST_F(ControlsTest, EscapeLeavesAFieldAlone) {
  enter(ImGuiMod_Ctrl | ImGuiKey_O, "x", {ImGuiKey_Escape});
  EXPECT_EQ(harness.state().asked, state::Asked::Nothing);
  EXPECT_TRUE(harness.view().files.recent.empty());
}

TEST_F(ControlsTest, LockedSizesMoveTogetherAndArrowsMoveTheSliderUnderThePointer) {
  palette("Lock M = N");
  EXPECT_TRUE(harness.state().sizes_locked);
  std::uint64_t step = 0;
  EXPECT_TRUE(harness.run([&](ImGuiTestContext& ctx) {
    ctx.SetRef("###top");
    ctx.MouseMove("M = N = K/##value");
    ctx.KeyPress(ImGuiKey_RightArrow);
    ctx.KeyPress(ImGuiKey_LeftArrow);
    ctx.Yield(2);
    step = harness.state().step;  // the end of the first load
    ctx.KeyPress(ImGuiKey_RightArrow);
    ctx.KeyPress(ImGuiKey_RightArrow);
    ctx.KeyPress(ImGuiKey_LeftArrow);
    ctx.MouseWheelY(2.0F);
    ctx.Yield(2);
  }));
  EXPECT_EQ(harness.state().parameters.problem, (problem::Problem{11, 11, 11}));
  EXPECT_TRUE(harness.view().narration.shows_phase) << "the stage does not step";
  EXPECT_EQ(harness.view().narration.phase_over, 0U);
  EXPECT_GT(step, 0U);
}

TEST_F(ControlsTest, ARemoteBlanksTheScreenAndStepsOn) {
  press(ImGuiKey_L);
  press(ImGuiKey_Period);
  EXPECT_TRUE(harness.state().blank);
  EXPECT_EQ(harness.state().focus.block, 0U);
  press(ImGuiKey_PageDown);
  EXPECT_FALSE(harness.state().blank);
  EXPECT_GT(harness.state().step, 0U);
  const std::uint64_t step = harness.state().step;
  press(ImGuiKey_F5);
  EXPECT_EQ(harness.state().step, step) << "a remote's start button does not run to the end";
  press(ImGuiKey_B);
  press(ImGuiKey_Escape);
  EXPECT_FALSE(harness.state().blank);
  EXPECT_TRUE(harness.state().lecture) << "Esc brings the picture back first";
  press(ImGuiKey_Escape);
  EXPECT_FALSE(harness.state().lecture);
}

TEST_F(ControlsTest, ZSaysWhereThereIsNoMoreToShow) {
  press(ImGuiKey_Z);
  EXPECT_FALSE(harness.state().whole_map);
  EXPECT_NE(harness.view().messages.notice.find("are fully visible"), std::string::npos);
}

}  // namespace
}  // namespace tilestep::test
