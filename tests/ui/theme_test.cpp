#include "ui/theme.h"

#include <gtest/gtest.h>

namespace tilestep {
namespace {

class EveryTheme : public ::testing::TestWithParam<state::Theme> {};

TEST_P(EveryTheme, TextIsLegibleOnEveryBackgroundItStandsOn) {
  for (const ui::TextPair& pair : ui::text_pairs(ui::theme(GetParam()))) {
    EXPECT_GE(ui::contrast(pair.text, pair.background), 4.5) << pair.what;
  }
}

TEST_P(EveryTheme, NeighbouringBlocksDifferInColour) {
  const ui::Theme& theme = ui::theme(GetParam());
  for (std::uint32_t y = 0; y < 6; ++y) {
    for (std::uint32_t x = 0; x < 6; ++x) {
      const ImU32 here = ui::block_colour(theme, {x, y, 0});
      EXPECT_NE(here, ui::block_colour(theme, {x + 1, y, 0}));
      EXPECT_NE(here, ui::block_colour(theme, {x, y + 1, 0}));
      EXPECT_NE(here, ui::block_colour(theme, {x + 1, y + 1, 0}));
      EXPECT_NE(ui::block_colour(theme, {x + 1, y, 0}), ui::block_colour(theme, {x, y + 1, 0}));
    }
  }
}

TEST_P(EveryTheme, FramesStandOutFromThePanel) {
  const ui::Theme& theme = ui::theme(GetParam());
  for (const ImU32 colour : theme.blocks) {
    EXPECT_GE(ui::contrast(colour, theme.panel), 3.0);  // WCAG 2.1, 1.4.11
  }
  for (const ui::RoleColours& role : theme.roles) {
    EXPECT_GE(ui::contrast(role.line, role.tint.fill), 3.0) << "a ring around a number";
    EXPECT_GE(ui::contrast(role.solid.fill, role.tint.fill), 1.25)
        << "written, not just there; the cut corner says it, too";
  }
  EXPECT_GE(ui::contrast(theme.focus, theme.panel), 10.0);
}

TEST_P(EveryTheme, LeavesNoColourToTheLibrary) {
  ImGuiContext* imgui = ImGui::CreateContext();
  constexpr ImVec4 kNobodys(0.123F, 0.456F, 0.789F, 0.321F);
  for (ImVec4& colour : ImGui::GetStyle().Colors) {
    colour = kNobodys;
  }
  ui::apply_style(ui::theme(GetParam()), 18.0F);
  for (int i = 0; i < ImGuiCol_COUNT; ++i) {
    const ImVec4 colour = ImGui::GetStyle().Colors[i];
    EXPECT_NE(colour.x, kNobodys.x) << ImGui::GetStyleColorName(i);
  }
  ImGui::DestroyContext(imgui);
}

INSTANTIATE_TEST_SUITE_P(Themes, EveryTheme,
                         ::testing::Values(state::Theme::Dark, state::Theme::Light));

TEST(Contrast, IsThatOfWcag) {
  EXPECT_NEAR(ui::contrast(ui::rgb(0xFFFFFF), ui::rgb(0x000000)), 21.0, 1e-6);
  EXPECT_NEAR(ui::contrast(ui::rgb(0x777777), ui::rgb(0xFFFFFF)), 4.48, 0.005);
  EXPECT_DOUBLE_EQ(ui::contrast(ui::rgb(0x123456), ui::rgb(0x123456)), 1.0);
}

TEST(Mix, GoesFromOneColourToTheOther) {
  EXPECT_EQ(ui::mix(ui::rgb(0x000000), ui::rgb(0xFF8000), 0.0F), ui::rgb(0x000000));
  EXPECT_EQ(ui::mix(ui::rgb(0x000000), ui::rgb(0xFF8000), 1.0F), ui::rgb(0xFF8000));
  EXPECT_EQ(ui::mix(ui::rgb(0x000000), ui::rgb(0x646464), 0.5F), ui::rgb(0x323232));
}

}  // namespace
}  // namespace tilestep
