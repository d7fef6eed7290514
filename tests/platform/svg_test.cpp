// A frame as an SVG: the conversion of text, cells and shapes. tests/app/command_line_test.py
// checks with an XML parser that a whole window is well-formed XML and contains its sentence.
#include "platform/svg.h"

#include "platform/off_screen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace tilestep {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr ImU32 kRed = IM_COL32(255, 0, 0, 255);
constexpr ImU32 kThinRed = IM_COL32(255, 0, 0, 51);

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

class Svg : public ::testing::Test {
 protected:
  std::string drawn(const std::function<void(ImDrawList&)>& draw,
                    const platform::SvgRect& area = {}) {
    for (int i = 0; i < 2; ++i) {  // the font atlas grows in the first
      window_.frame(0.0, [&] { draw(*ImGui::GetForegroundDrawList()); });
    }
    return window_.svg(area);
  }
  void text(ImDrawList& list, ImVec2 at, const char* words, ImFont* font = nullptr) {
    list.AddText(font != nullptr ? font : window_.fonts().text, 18.0F, at, kRed, words);
  }

  platform::Window window_{test::off_screen_options(320, 200)};
};

TEST_F(Svg, TextIsOneElementWithItsSpacesAndItsFont) {
  const std::string svg = drawn([&](ImDrawList& list) {
    text(list, {10, 20}, "16 threads read As & Bs.");
    text(list, {10, 60}, "if (a  <  b)", window_.fonts().mono);
    text(list, {10, 100}, "acc", window_.fonts().bold);
  });
  EXPECT_THAT(svg, HasSubstr(">16 threads read As &amp; Bs.</text>"));
  EXPECT_THAT(svg, HasSubstr(">if (a  &lt;  b)</text>"));
  EXPECT_THAT(svg, HasSubstr("font-weight=\"bold\""));
  EXPECT_EQ(count(svg, "<text"), 3U);
  EXPECT_EQ(count(svg, "\"Roboto, sans-serif\""), 2U);
  EXPECT_EQ(count(svg, "\"Inconsolata, monospace\""), 1U);
  EXPECT_EQ(count(svg, "<text x=\"10\""), 3U);
  EXPECT_EQ(count(svg, "textLength"), 3U);
  EXPECT_EQ(count(svg, "fill=\"#ff0000\""), 3U);
}

TEST_F(Svg, PiecesOfASentenceAreOneElement) {
  const std::string svg = drawn([&](ImDrawList& list) {
    text(list, {10, 20}, "adds ");
    const float width = window_.fonts().text->CalcTextSizeA(18.0F, 1000.0F, 0.0F, "adds ").x;
    text(list, {10 + width, 20}, "25", window_.fonts().bold);
  });
  EXPECT_EQ(count(svg, "<text"), 1U);
  EXPECT_EQ(count(svg, "<tspan"), 2U);
  EXPECT_THAT(svg, HasSubstr(">adds </tspan>"));
  EXPECT_THAT(svg, HasSubstr(">25</tspan></text>"));
}

TEST_F(Svg, ColumnsAndLinesAreElementsOfTheirOwn) {
  const std::string svg = drawn([&](ImDrawList& list) {
    text(list, {10, 20}, "one\ntwo");
    text(list, {200, 20}, "three");
  });
  EXPECT_EQ(count(svg, "<text"), 3U);
  EXPECT_THAT(svg, HasSubstr(">two</text>"));
}

TEST_F(Svg, NumbersOfNeighbouringCellsAreElementsOfTheirOwn) {
  const std::string svg = drawn([&](ImDrawList& list) {
    ImFont* mono = window_.fonts().mono;
    const float advance = mono->CalcTextSizeA(18.0F, 1000.0F, 0.0F, "0").x;
    text(list, {10, 20}, "12", mono);
    text(list, {10 + 3 * advance, 20}, "34", mono);
    text(list, {10 + 6 * advance, 20},
         "\xe2\x88\x92"
         "5",
         mono);
  });
  EXPECT_EQ(count(svg, "<text"), 3U);
}

TEST_F(Svg, TextThatDearImGuiCutsIsCut) {
  const ImVec4 cut(0, 0, 100, 200);
  const std::string svg = drawn([&](ImDrawList& list) {
    list.AddText(window_.fonts().text, 18.0F, {85, 20}, kRed, "MMMM", nullptr, 0.0F, &cut);
  });
  EXPECT_THAT(svg, HasSubstr("<clipPath id=\"c1\"><rect x=\"0\" y=\"0\" width=\"100\""));
  EXPECT_THAT(svg, HasSubstr("<text clip-path=\"url(#c1)\""));
  EXPECT_THAT(svg, Not(HasSubstr("MMMM")));
}

TEST_F(Svg, IconsArePaths) {
  const std::string svg = drawn([&](ImDrawList& list) {
    text(list, {10, 20}, "\xef\x81\x8b");
  });  // play
  EXPECT_THAT(svg, Not(HasSubstr("<text")));
  EXPECT_THAT(svg, HasSubstr("<path d=\"M"));
}

TEST_F(Svg, EveryCellIsARectangleInItsPlace) {
  ui::CellInstance cell{.x = 20, .y = 20, .w = 40, .h = 30, .fill = kRed};
  cell.border = IM_COL32(0, 255, 0, 255);
  cell.border_width = 4;
  cell.radius = 6;
  std::vector<ui::CellInstance> cells(3, cell);
  cells[1].marks = ui::mark::kHatched | ui::mark::kCut;
  cells[1].mark_colour = IM_COL32_WHITE;
  cells[2].marks = ui::mark::kDashed;
  const std::string svg = drawn([&](ImDrawList& list) {
    text(list, {10, 20}, "below");
    window_.cells().draw(list, cells, {0, 0, 320, 200});
    text(list, {10, 20}, "above");
  });
  EXPECT_EQ(count(svg, "class=\"cell\""), 3U);
  EXPECT_THAT(svg, HasSubstr("<rect class=\"cell\" x=\"22\" y=\"22\" width=\"36\" height=\"26\" "
                             "rx=\"4\" fill=\"#ff0000\" stroke=\"#00ff00\" stroke-width=\"4\"/>"));
  EXPECT_EQ(count(svg, "stroke-dasharray"), 1U);
  EXPECT_LT(svg.find("below"), svg.find("class=\"cell\""));
  EXPECT_LT(svg.rfind("class=\"cell\""), svg.find("above"));
}

TEST_F(Svg, CellsAreCutToTheirClip) {
  const std::vector<ui::CellInstance> cells{{.x = 20, .y = 20, .w = 40, .h = 30, .fill = kRed}};
  const std::string svg = drawn([&](ImDrawList& list) {
    window_.cells().draw(list, cells, {0, 0, 40, 200});
  });
  EXPECT_THAT(svg, HasSubstr("width=\"40\" height=\"200\"/></clipPath>\n<g clip-path"));
}

TEST_F(Svg, ShapesAreTheirOutlinesWithoutTheSmoothing) {
  EXPECT_THAT(drawn([](ImDrawList& list) {
                list.AddRectFilled({10, 20}, {30, 50}, kRed);
              }),
              HasSubstr("<path d=\"M10,20H30V50H10Z\" fill=\"#ff0000\"/>"));
  EXPECT_THAT(drawn([](ImDrawList& list) {
                list.AddTriangleFilled({10, 10}, {50, 10}, {10, 50}, kRed);
              }),
              HasSubstr("<path d=\"M10,10H50L10,50Z\" fill=\"#ff0000\"/>"));
  EXPECT_THAT(drawn([](ImDrawList& list) {
                list.AddLine({10, 20}, {50, 20}, kRed, 4.0F);
              }),
              HasSubstr("M10,18H50V22H10Z"));
}

TEST_F(Svg, RoundedCornersAreRound) {
  const std::string svg = drawn([](ImDrawList& list) {
    list.AddRectFilled({10, 20}, {90, 80}, kRed, 6.0F);
  });
  EXPECT_THAT(svg, HasSubstr("H84"));
  EXPECT_THAT(svg, Not(HasSubstr("M10,20H")));
  EXPECT_EQ(count(svg, "<path"), 1U);
}

TEST_F(Svg, TranslucentShapesThatOverlapStayTwo) {
  const auto two = [](ImU32 colour, float second) {
    return [=](ImDrawList& list) {
      list.AddRectFilled({10, 20}, {30, 50}, colour);
      list.AddRectFilled({second, 20}, {second + 20, 50}, colour);
    };
  };
  EXPECT_EQ(count(drawn(two(kThinRed, 20)), "<path"), 2U);
  EXPECT_EQ(count(drawn(two(kThinRed, 30)), "<path"), 1U);
  EXPECT_EQ(count(drawn(two(kRed, 20)), "<path"), 1U);
  EXPECT_THAT(drawn(two(kThinRed, 20)), HasSubstr("fill-opacity=\"0.2\""));
}

TEST_F(Svg, ARunOfColoursIsAGradient) {
  const std::string svg = drawn([](ImDrawList& list) {
    list.AddRectFilledMultiColor({10, 20}, {50, 40}, kRed & ~IM_COL32_A_MASK, kRed, kRed,
                                 kRed & ~IM_COL32_A_MASK);
  });
  EXPECT_THAT(svg, HasSubstr("x1=\"10\" y1=\"0\" x2=\"50\" y2=\"0\""));
  EXPECT_THAT(svg, HasSubstr("stop-opacity=\"0\""));
  EXPECT_THAT(svg, HasSubstr("<path d=\"M10,20H50V40H10Z\" fill=\"url(#g1)\"/>"));
}

TEST_F(Svg, AnAreaIsAPartOfTheWindow) {
  const std::string svg = drawn(
      [](ImDrawList& list) {
        list.AddRectFilled({10, 20}, {30, 50}, kRed);
      },
      {100, 50, 300, 150});
  EXPECT_THAT(svg, HasSubstr("width=\"200\" height=\"100\" viewBox=\"100 50 200 100\""));
}

TEST(SvgOutline, SharedEdgesCancelOutAndHolesStay) {
  platform::SvgOutline outline;
  outline.add({{0, 0}, {10, 0}, {10, 10}});
  outline.add({{0, 0}, {0, 10}, {10, 10}});  // the other orientation
  EXPECT_EQ(outline.path(), "M0,0H10V10H0Z");
  outline.add({{2, 2}, {4, 2}, {4, 4}, {2, 4}}, true);
  EXPECT_EQ(outline.path(), "M0,0H10V10H0ZM2,2V4H4V2Z");
}

TEST(SvgOutline, NumbersSayNoMoreThanTheyMust) {
  EXPECT_EQ(platform::svg_number(12.0), "12");
  EXPECT_EQ(platform::svg_number(12.5), "12.5");
  EXPECT_EQ(platform::svg_number(-0.001), "0");
  EXPECT_EQ(platform::svg_number(100.0), "100");
}

}  // namespace
}  // namespace tilestep
