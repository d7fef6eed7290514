#include "ui/stage_scene.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace tilestep::ui {
namespace {

using test::StageScene;

class ShapeOfStages : public testing::TestWithParam<const char*> {};

TEST_P(ShapeOfStages, HasTheArraysThatTheKernelMakesOfItsMemory) {
  StageScene scene(GetParam(), {16, 16, 16}, 4);
  const StageShape& shape = scene.shape();
  const Sheet& as = shape.sheets[size(scene.sheet("As"))];
  const Sheet& bs = shape.sheets[size(scene.sheet("Bs"))];
  EXPECT_EQ(as.rows, 12);
  EXPECT_EQ(as.cols, 12) << "4 columns of padding";
  EXPECT_EQ(as.parts, 3);
  EXPECT_EQ(bs.rows, 12);
  EXPECT_EQ(bs.cols, 8);
  EXPECT_EQ(bs.parts, 3);
  EXPECT_EQ(as.role, insight::ValueRole::A);
  EXPECT_EQ(bs.role, insight::ValueRole::B);
  EXPECT_EQ(shape.left, scene.sheet("As"));
  EXPECT_EQ(shape.top, scene.sheet("Bs"));
  EXPECT_THROW((void)scene.sheet("tiles"), std::runtime_error) << "nothing is left of it";
}

TEST_P(ShapeOfStages, FindsEveryCellAgain) {
  StageScene scene(GetParam(), {16, 16, 16}, 4);
  const simt::Program& program = scene.recording().program();
  std::set<std::pair<int, std::size_t>> seen;
  for (std::uint64_t offset = 0; offset < program.shared_bytes(); offset += 4) {
    const auto place =
        sheet_place(scene.shape(), program, program.locate(simt::kSharedWindow + offset, 4));
    ASSERT_TRUE(place.has_value()) << offset;
    const Sheet& sheet = scene.shape().sheets[size(place->sheet)];
    ASSERT_LT(place->row, sheet.rows);
    EXPECT_EQ(cell_offset(sheet, {place->row, place->col}), offset);
    seen.insert({place->sheet, cell_index(sheet, {place->row, place->col})});
  }
  EXPECT_EQ(seen.size(), program.shared_bytes() / 4);
}

INSTANTIATE_TEST_SUITE_P(, ShapeOfStages,
                         testing::Values("pipelined_tiles_teaching", "fragments_ahead_teaching",
                                         "ordered_products_teaching"),
                         [](const auto& kernel) { return std::string(kernel.param); });

TEST(Shape, OfMemoryThatServesForSumsLaterKeepsItsRoles) {
  StageScene scene("sliced_k_teaching", {16, 16, 32}, 4);
  EXPECT_EQ(scene.shape().left, scene.sheet("As"));
  EXPECT_EQ(scene.shape().sheets[size(scene.sheet("As"))].role, insight::ValueRole::A);
  EXPECT_EQ(scene.shape().sheets[size(scene.sheet("Bs"))].role, insight::ValueRole::B);
}

TEST(Shape, HasATurnedTilesPaddingAtItsPlace) {
  StageScene scene("pipelined_tiles_teaching", {16, 16, 16}, 4);
  scene.go_to_end_of_phase(2);
  EXPECT_EQ(scene.content().sheets[size(scene.sheet("As"))].padding, 4);
  for (int row = 0; row < 12; ++row) {
    EXPECT_TRUE(scene.cell("As", row, 8).is_padding) << row;
  }
  for (int row = 0; row < 4; ++row) {  // copied without a register, partly four floats at a time
    for (int col = 0; col < 8; ++col) {
      EXPECT_FALSE(scene.cell("As", row, col).is_padding) << row << ' ' << col;
      EXPECT_FALSE(scene.cell("Bs", row, col).is_padding) << row << ' ' << col;
    }
  }
}

TEST(Shape, KnowsWhatWasBroughtThroughRegisters) {
  StageScene scene("warp_tile_teaching", {16, 16, 16}, 4);
  scene.show_phase(2);  // the second tile; A's is stored transposed
  ASSERT_FALSE(scene.content().moving.empty());
  for (const Transfer& move : scene.content().moving) {
    const bool is_a = move.to.sheet == scene.sheet("As");
    EXPECT_EQ(move.from.sheet, scene.sheet(is_a ? "A" : "B"));
    EXPECT_EQ(is_a ? move.to.row : move.to.col, (is_a ? move.from.col - 4 : move.from.col));
    EXPECT_EQ(is_a ? move.to.col : move.to.row, (is_a ? move.from.row : move.from.row - 4));
  }
  EXPECT_EQ(scene.content().moving.size(), 64U);
}

}  // namespace
}  // namespace tilestep::ui
