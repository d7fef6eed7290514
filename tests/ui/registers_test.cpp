// The focus thread's registers: sums at their rows and columns, fragments found by their values.
#include "ui/stage/registers.h"

#include "stage_scene.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilestep::ui {
namespace {

using test::StageScene;
using testing::ElementsAre;

// The end of the first statement after which the thread's sums have all begun and differ in how
// many products they have.
void go_between_products(StageScene& scene) {
  const auto starts = scene.recording().statement_starts();
  for (std::size_t i = starts.size() / 2; i < starts.size(); ++i) {
    scene.go_to(starts[i]);
    const auto tile = find_register_tile(scene.inputs(), scene.content(),
                                         find_fragments(scene.inputs(), scene.content()));
    if (tile && std::ranges::any_of(tile->sums, &RegisterSum::is_behind)) {
      return;
    }
  }
}

TEST(RegisterTile, OfTwoDimensions_HasItsFragmentsBesideIt) {
  StageScene scene("register_tile_2d", {16, 16, 16}, 4);
  scene.thread = 6;
  go_between_products(scene);
  const auto tile = find_register_tile(scene.inputs(), scene.content(),
                                       find_fragments(scene.inputs(), scene.content()));
  ASSERT_TRUE(tile);
  EXPECT_THAT(tile->rows, ElementsAre(1, 5, 9, 13));
  EXPECT_THAT(tile->cols, ElementsAre(2, 6, 10, 14));
  EXPECT_EQ(tile->sums.size(), 16U);
  EXPECT_EQ(tile->a.values.size(), 4U);
  EXPECT_EQ(tile->b.values.size(), 4U);
  EXPECT_FALSE(tile->a.name.empty());
  EXPECT_FALSE(tile->b.name.empty());
  EXPECT_NE(tile->a.name, tile->b.name);
  EXPECT_EQ(std::ranges::count_if(tile->sums, &RegisterSum::is_chosen), 1);
  for (const RegisterSum& sum : tile->sums) {
    EXPECT_TRUE(sum.value);
    EXPECT_FALSE(sum.product.empty());
  }
}

TEST(RegisterTile, OfOneDimension_IsAColumn) {
  StageScene scene("register_tile_1d", {16, 16, 16}, 4);
  go_between_products(scene);
  const auto tile = find_register_tile(scene.inputs(), scene.content(),
                                       find_fragments(scene.inputs(), scene.content()));
  ASSERT_TRUE(tile);
  EXPECT_EQ(tile->cols.size(), 1U);
  EXPECT_GT(tile->rows.size(), 1U);
}

// a_next and b_next hold numbers of A and B, too, and as many as the thread has rows and columns.
TEST(RegisterTile, NumbersOnTheirWayToSharedMemoryAreNoFragment) {
  StageScene scene("prefetch_registers_teaching", {16, 16, 16}, 4);
  for (std::size_t phase = 0; phase < 3; ++phase) {
    scene.go_to_end_of_phase(phase);
    const FragmentNames names = find_fragments(scene.inputs(), scene.content());
    EXPECT_NE(names.a, "a_next");
    EXPECT_NE(names.b, "b_next");
  }
}

TEST(RegisterTile, AThreadWithOneSumHasNone) {
  StageScene scene("tiled", {8, 8, 8}, 4);
  scene.go_to_end_of_phase(1);
  EXPECT_FALSE(find_register_tile(scene.inputs(), scene.content(),
                                  find_fragments(scene.inputs(), scene.content())));
}

}  // namespace
}  // namespace tilestep::ui
