#include "ui/theme.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

namespace tilestep {
namespace {

using Three = std::array<double, 3>;
using Matrix = std::array<Three, 3>;

struct Vision {
  const char* name;
  Matrix seen;  // of linear sRGB
};
// Machado, Oliveira, Fernandes: A Physiologically-based Model for Simulation of Color Vision
// Deficiency, IEEE TVCG 15 (2009), severity 1.0.
constexpr std::array kVisions{Vision{"usual", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}},
                              Vision{"protanopia",
                                     {{{0.152286, 1.052583, -0.204868},
                                       {0.114503, 0.786281, 0.099216},
                                       {-0.003882, -0.048116, 1.051998}}}},
                              Vision{"deuteranopia",
                                     {{{0.367322, 0.860646, -0.227968},
                                       {0.280085, 0.672501, 0.047413},
                                       {-0.011820, 0.042940, 0.968881}}}},
                              Vision{"tritanopia",
                                     {{{1.255528, -0.076749, -0.178779},
                                       {-0.078411, 0.930809, 0.147602},
                                       {0.004733, 0.691367, 0.303900}}}}};

Three times(const Matrix& m, const Three& v) {
  Three out{};
  for (std::size_t i = 0; i < 3; ++i) {
    out[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2];
  }
  return out;
}

// CIE L*a*b* under D65 (IEC 61966-2-1).
Three lab(ImU32 colour, const Matrix& seen) {
  Three linear{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double c = static_cast<double>((colour >> (8 * i)) & 0xffU) / 255.0;
    linear[i] = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  }
  linear = times(seen, linear);
  for (double& c : linear) {
    c = std::clamp(c, 0.0, 1.0);
  }
  const Three xyz = times({{{0.4124564, 0.3575761, 0.1804375},
                            {0.2126729, 0.7151522, 0.0721750},
                            {0.0193339, 0.1191920, 0.9503041}}},
                          linear);
  const auto f = [](double t) {
    return t > 216.0 / 24389.0 ? std::cbrt(t) : (24389.0 / 27.0 * t + 16.0) / 116.0;
  };
  const double y = f(xyz[1]);
  return {116.0 * y - 16.0, 500.0 * (f(xyz[0] / 0.95047) - y), 200.0 * (y - f(xyz[2] / 1.08883))};
}

constexpr double kDegree = std::numbers::pi / 180.0;

double hue(double a, double b) {
  const double h = std::atan2(b, a) / kDegree;
  return h < 0.0 ? h + 360.0 : h;
}

// CIEDE2000 (Sharma, Wu, Dalal: The CIEDE2000 Color-Difference Formula, 2005).
double difference(const Three& one, const Three& two) {
  const auto seventh = [](double c) {
    return std::sqrt(std::pow(c, 7) / (std::pow(c, 7) + std::pow(25.0, 7)));
  };
  const double g =
      0.5 * (1.0 - seventh(0.5 * (std::hypot(one[1], one[2]) + std::hypot(two[1], two[2]))));
  const double a1 = one[1] * (1.0 + g);
  const double a2 = two[1] * (1.0 + g);
  const double c1 = std::hypot(a1, one[2]);
  const double c2 = std::hypot(a2, two[2]);
  const bool is_grey = c1 * c2 == 0.0;
  const double h1 = hue(a1, one[2]);
  const double h2 = hue(a2, two[2]);
  const double turn = is_grey ? 0.0 : std::remainder(h2 - h1, 360.0);
  const double dh = 2.0 * std::sqrt(c1 * c2) * std::sin(0.5 * turn * kDegree);
  const double h = is_grey                      ? h1 + h2
                   : std::abs(h1 - h2) <= 180.0 ? 0.5 * (h1 + h2)
                   : h1 + h2 < 360.0            ? 0.5 * (h1 + h2 + 360.0)
                                                : 0.5 * (h1 + h2 - 360.0);
  const double c = 0.5 * (c1 + c2);
  const double t = 1.0 - 0.17 * std::cos((h - 30.0) * kDegree) + 0.24 * std::cos(2 * h * kDegree) +
                   0.32 * std::cos((3 * h + 6.0) * kDegree) -
                   0.20 * std::cos((4 * h - 63.0) * kDegree);
  const double l = std::pow(0.5 * (one[0] + two[0]) - 50.0, 2);
  const double dl = (two[0] - one[0]) / (1.0 + 0.015 * l / std::sqrt(20.0 + l));
  const double dc = (c2 - c1) / (1.0 + 0.045 * c);
  const double of_hue = dh / (1.0 + 0.015 * c * t);
  const double around = 30.0 * std::exp(-std::pow((h - 275.0) / 25.0, 2));
  const double rotated = -std::sin(2.0 * around * kDegree) * 2.0 * seventh(c);
  return std::sqrt(dl * dl + dc * dc + of_hue * of_hue + rotated * dc * of_hue);
}

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
  for (const ImU32 state : theme.states) {
    EXPECT_GE(ui::contrast(state, theme.panel), 3.0) << "of a warp";
  }
  EXPECT_GE(ui::contrast(theme.focus, theme.panel), 10.0);
}

// 1 is the least that people with usual vision notice side by side.
TEST_P(EveryTheme, ColourBlindReadersTellApartWhatHasNoOtherSign) {
  constexpr double kLeast = 10.0;
  std::size_t alone = 0;
  for (const ui::ColourPair& pair : ui::colour_pairs(ui::theme(GetParam()))) {
    if (pair.other_sign != nullptr) {
      EXPECT_GT(std::string(pair.other_sign).size(), 5U) << pair.what;
      continue;
    }
    ++alone;
    for (const Vision& vision : kVisions) {
      EXPECT_GE(difference(lab(pair.a, vision.seen), lab(pair.b, vision.seen)), kLeast)
          << pair.what << ", " << vision.name;
    }
  }
  EXPECT_EQ(alone, 55U + 6U) << "11 states of a warp, 4 blocks";
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

TEST(Difference, IsThatOfCiede2000) {  // pairs 1, 7, 17 and 20 of Sharma, Wu, Dalal
  EXPECT_NEAR(difference({50, 2.6772, -79.7751}, {50, 0, -82.7485}), 2.0425, 5e-5);
  EXPECT_NEAR(difference({50, 0, 0}, {50, -1, 2}), 2.3669, 5e-5);
  EXPECT_NEAR(difference({50, 2.5, 0}, {73, 25, -18}), 27.1492, 5e-5);
  EXPECT_NEAR(difference({50, 2.5, 0}, {58, 24, 15}), 19.4535, 5e-5);
}

TEST(Vision, OfARedAndAGreenIsNearTheSameInDeuteranopia) {
  const ImU32 red = ui::rgb(0xC04040);
  const ImU32 green = ui::rgb(0x7A7A30);
  EXPECT_GT(difference(lab(red, kVisions[0].seen), lab(green, kVisions[0].seen)), 35.0);
  EXPECT_LT(difference(lab(red, kVisions[2].seen), lab(green, kVisions[2].seen)), 10.0);
}

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
