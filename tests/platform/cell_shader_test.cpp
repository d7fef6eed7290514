#include "platform/off_screen.h"

#include <gtest/gtest.h>

#include <vector>

namespace tilestep {
namespace {

using test::is_near;
using test::pixel;

constexpr ImU32 kBack = IM_COL32(10, 20, 30, 255);
constexpr ImU32 kFill = IM_COL32(200, 100, 50, 255);
constexpr ImU32 kBorder = IM_COL32(0, 255, 128, 255);
constexpr ImU32 kMark = IM_COL32(255, 255, 255, 255);

ui::CellInstance cell_at(float x, float y) {
  return {.x = x,
          .y = y,
          .w = 40,
          .h = 40,
          .fill = kFill,
          .border = kBorder,
          .border_width = 4,
          .radius = 6,
          .mark_colour = kMark};
}

class CellShader : public ::testing::Test {
 protected:
  // One frame with these cells on a plain background, clipped to `clip`.
  platform::Image drawn(const std::vector<ui::CellInstance>& cells,
                        ImVec4 clip = {0, 0, 160, 120}) {
    window_.frame(0.0, [&] {
      ImDrawList* list = ImGui::GetForegroundDrawList();
      list->AddRectFilled({0, 0}, {160, 120}, kBack);
      window_.cells().draw(*list, cells, clip);
      // After the cells in drawing order, so on top of them in the picture.
      list->AddRectFilled({150, 110}, {160, 120}, kMark);
    });
    return window_.read_pixels();
  }

  platform::Window window_{test::off_screen_options(160, 120)};
};

TEST_F(CellShader, FillsInsideTheBorderAndLeavesTheOutsideAlone) {
  const platform::Image image = drawn({cell_at(20, 20)});
  EXPECT_TRUE(is_near(pixel(image, 40, 40), kFill)) << test::to_string(pixel(image, 40, 40));
  EXPECT_TRUE(is_near(pixel(image, 22, 40), kBorder)) << test::to_string(pixel(image, 22, 40));
  EXPECT_TRUE(is_near(pixel(image, 57, 40), kBorder));
  EXPECT_TRUE(is_near(pixel(image, 40, 22), kBorder));
  EXPECT_TRUE(is_near(pixel(image, 18, 40), kBack));
  EXPECT_TRUE(is_near(pixel(image, 40, 61), kBack));
}

TEST_F(CellShader, RoundsTheCorners) {
  const platform::Image image = drawn({cell_at(20, 20)});
  EXPECT_TRUE(is_near(pixel(image, 20, 20), kBack)) << test::to_string(pixel(image, 20, 20));
  EXPECT_TRUE(is_near(pixel(image, 59, 59), kBack));
}

TEST_F(CellShader, HatchesOnlyWhereTheMarkIsSet) {
  ui::CellInstance hatched = cell_at(20, 20);
  hatched.marks = ui::mark::kHatched;
  const platform::Image image = drawn({hatched, cell_at(80, 20)});
  int fill = 0;
  int line = 0;
  for (int x = 26; x < 54; ++x) {
    fill += is_near(pixel(image, x, 40), kFill) ? 1 : 0;
    line += is_near(pixel(image, x, 40), kMark) ? 1 : 0;
    EXPECT_TRUE(is_near(pixel(image, x + 60, 40), kFill));
  }
  EXPECT_GT(fill, 8);
  EXPECT_GT(line, 2);
}

TEST_F(CellShader, TellsReadFromWrittenByShape) {
  ui::CellInstance read = cell_at(20, 20);
  read.border = kMark;
  read.border_width = 3;
  ui::CellInstance written = cell_at(80, 20);
  written.border_width = 0;
  written.marks = ui::mark::kCut;
  const platform::Image image = drawn({read, written});
  EXPECT_TRUE(is_near(pixel(image, 40, 21), kMark)) << "a read cell has a ring";
  EXPECT_TRUE(is_near(pixel(image, 40, 40), kFill));
  EXPECT_TRUE(is_near(pixel(image, 115, 24), kMark)) << "a corner of a written cell is cut off";
  EXPECT_TRUE(is_near(pixel(image, 85, 24), kFill));
  EXPECT_TRUE(is_near(pixel(image, 100, 55), kFill));
}

TEST_F(CellShader, ClipsToTheGivenRectangle) {
  const platform::Image image = drawn({cell_at(20, 20)}, {0, 0, 40, 120});
  EXPECT_TRUE(is_near(pixel(image, 38, 40), kFill));
  EXPECT_TRUE(is_near(pixel(image, 42, 40), kBack));
}

TEST_F(CellShader, KeepsItsPlaceInTheDrawOrder) {
  const platform::Image image = drawn({cell_at(125, 85)});
  EXPECT_TRUE(is_near(pixel(image, 140, 100), kFill));
  EXPECT_TRUE(is_near(pixel(image, 155, 115), kMark)) << "what is drawn later lies on top";
}

TEST_F(CellShader, DrawsTwoBatchesFromOneBuffer) {
  ui::CellInstance other = cell_at(80, 20);
  other.fill = kMark;
  platform::Image image;
  window_.frame(0.0, [&] {
    ImDrawList* list = ImGui::GetForegroundDrawList();
    list->AddRectFilled({0, 0}, {160, 120}, kBack);
    window_.cells().draw(*list, std::vector{cell_at(20, 20)}, {0, 0, 160, 120});
    window_.cells().draw(*list, std::vector{other}, {0, 0, 160, 120});
  });
  image = window_.read_pixels();
  EXPECT_TRUE(is_near(pixel(image, 40, 40), kFill));
  EXPECT_TRUE(is_near(pixel(image, 100, 40), kMark));
}

TEST_F(CellShader, TwoRunsAreIdentical) {
  const platform::Image first = drawn({cell_at(20.5F, 20.25F), cell_at(80, 20)});
  const platform::Image second = drawn({cell_at(20.5F, 20.25F), cell_at(80, 20)});
  EXPECT_EQ(first.rgba, second.rgba);
}

}  // namespace
}  // namespace tilestep
