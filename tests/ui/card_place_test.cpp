// The position of a cell's tooltip card.
#include "ui/stage_panel.h"

#include <gtest/gtest.h>

namespace tilestep::ui {
namespace {

bool meets(ImVec2 at, ImVec2 size, const Box& box) {
  return at.x < box.right() && box.x < at.x + size.x && at.y < box.bottom() &&
         box.y < at.y + size.y;
}

TEST(CardPlace, NeverLiesOverTheCellOrTheBlocksArrays_WhereThereIsRoomElsewhere) {
  const Box window{0.0F, 0.0F, 1600.0F, 900.0F};
  const std::vector<Box> kept{{700.0F, 300.0F, 200.0F, 200.0F},
                              {920.0F, 80.0F, 200.0F, 200.0F},
                              {920.0F, 300.0F, 200.0F, 200.0F}};
  const ImVec2 size(300.0F, 110.0F);
  for (const Box& array : kept) {
    for (float x = array.x; x < array.right(); x += 50.0F) {
      for (float y = array.y; y < array.bottom(); y += 50.0F) {
        const Box cell{x, y, 50.0F, 50.0F};
        const ImVec2 at = place_beside_cell(size, cell, kept, window);
        EXPECT_GE(at.x, 0.0F);
        EXPECT_GE(at.y, 0.0F);
        EXPECT_LE(at.x + size.x, window.w);
        EXPECT_LE(at.y + size.y, window.h);
        EXPECT_FALSE(meets(at, size, cell));
        for (const Box& box : kept) {
          EXPECT_FALSE(meets(at, size, box)) << x << "," << y << " at " << at.x << "," << at.y;
        }
      }
    }
  }
}

TEST(CardPlace, IsNextToACellThatStandsFree) {
  const Box cell{100.0F, 400.0F, 40.0F, 40.0F};
  const ImVec2 at = place_beside_cell({200.0F, 80.0F}, cell, {}, {0.0F, 0.0F, 1600.0F, 900.0F});
  EXPECT_LT(std::abs(at.x - cell.x), 260.0F);
  EXPECT_LT(std::abs(at.y - cell.y), 120.0F);
}

}  // namespace
}  // namespace tilestep::ui
