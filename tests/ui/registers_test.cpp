// The focus thread's registers: sums at their rows and columns, fragments found by their values.
#include "ui/stage/registers.h"

#include "stage_scene.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>

namespace tilestep::ui {
namespace {

using test::StageScene;
using testing::ElementsAre;

// The end of the first statement after which the thread's sums have all begun and have different
// numbers of products.
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

// While the thread fills a_reg for the next product, part of it belongs to the previous product.
TEST(RegisterTile, ASaysWhichRoundItsFragmentsAreOf) {
  StageScene scene("register_tile_2d", {16, 16, 16}, 4);
  scene.thread = 6;
  const record::Phase phase = scene.recording().phases_of(0)[1];
  const auto starts = scene.recording().statement_starts();
  std::set<int> rounds;
  bool has_mixed = false;
  for (const std::uint64_t start : starts) {
    if (start <= phase.first_step || start > phase.last_step) {
      continue;
    }
    scene.go_to(start);
    const auto tile = find_register_tile(scene.inputs(), scene.content(), {"a_reg", "b_reg"});
    if (!tile || !tile->a.round) {
      continue;
    }
    rounds.insert(*tile->a.round);
    const auto earlier = std::ranges::count(tile->a.is_earlier, true);
    has_mixed = has_mixed || (earlier > 0 && earlier < 4);
    if (earlier == 0 && tile->a.values[0]) {
      const CellPlace place{tile->rows[0], *tile->a.round};
      EXPECT_EQ(*tile->a.values[0], scene.cell("As", place.row, place.col).value) << start;
    }
  }
  EXPECT_THAT(rounds, ElementsAre(0, 1, 2, 3));
  EXPECT_TRUE(has_mixed);
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

// a_next and b_next also hold numbers of A and B, as many as the thread has rows and columns.
TEST(RegisterTile, NumbersOnTheirWayToSharedMemoryAreNoFragment) {
  StageScene scene("prefetch_registers_teaching", {16, 16, 16}, 4);
  for (std::size_t phase = 0; phase < 3; ++phase) {
    scene.go_to_end_of_phase(phase);
    const FragmentNames names = find_fragments(scene.inputs(), scene.content());
    EXPECT_NE(names.a, "a_next");
    EXPECT_NE(names.b, "b_next");
  }
}

// Alternating buffers: a[2][4], of which the products use one.
TEST(RegisterTile, FragmentsThatTakeTurnsAreTheOnesOfTheLatestProducts) {
  StageScene scene("fragments_ahead_teaching", {16, 16, 16}, 4);
  for (std::size_t phase = 1; phase < 4; ++phase) {
    scene.go_to_end_of_phase(phase);
    const auto tile = find_register_tile(scene.inputs(), scene.content(),
                                         find_fragments(scene.inputs(), scene.content()));
    ASSERT_TRUE(tile);
    EXPECT_THAT(tile->a.name, testing::StartsWith("a["));
    EXPECT_THAT(tile->b.name, testing::StartsWith("b["));
    ASSERT_EQ(tile->a.values.size(), tile->rows.size());
    ASSERT_EQ(tile->b.values.size(), tile->cols.size());
    for (std::size_t i = 0; i < tile->sums.size(); ++i) {
      const auto factor = [](const std::optional<double>& value) {
        return factor_number(value.value());
      };
      EXPECT_EQ(tile->sums[i].product, factor(tile->a.values[i / tile->cols.size()]) + "·" +
                                           factor(tile->b.values[i % tile->cols.size()]));
    }
  }
}

// The threads of sliced_k add up 4×4 sums each, and store eight that others have begun.
TEST(RegisterTile, HoldsWhatTheThreadAddsUpUntilItIsExchanged) {
  StageScene scene("sliced_k_teaching", {16, 16, 32}, 4);
  const auto tile_of = [&](std::uint32_t thread) {
    scene.thread = thread;
    return find_register_tile(scene.inputs(), scene.content(),
                              find_fragments(scene.inputs(), scene.content()));
  };
  scene.go_to_end_of_phase(2);
  const auto first = tile_of(0);
  ASSERT_TRUE(first);
  EXPECT_THAT(first->rows, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(first->cols, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(first->name, "acc");
  EXPECT_EQ(std::ranges::count_if(first->sums, &RegisterSum::is_chosen), 1);
  const auto other_slice = tile_of(5);  // adds up a part of each sum
  ASSERT_TRUE(other_slice);
  EXPECT_EQ(other_slice->sums.size(), 16U);
  EXPECT_EQ(other_slice->name, "acc");
  EXPECT_EQ(other_slice->a.values.size(), 4U);
  const auto acc = scene.inputs().state.variable(0, 5, "acc");
  ASSERT_TRUE(acc);
  float number = 0.0F;
  std::memcpy(&number, acc->bytes.data() + 5 * sizeof number, sizeof number);
  EXPECT_EQ(other_slice->sums[5].value, static_cast<double>(number));
  scene.go_to(scene.recording().step_count());
  EXPECT_THAT(tile_of(0)->rows, ElementsAre(0, 4));
}

TEST(RegisterTile, AThreadWithOneSumHasNone) {
  StageScene scene("tiled", {8, 8, 8}, 4);
  scene.go_to_end_of_phase(1);
  EXPECT_FALSE(find_register_tile(scene.inputs(), scene.content(),
                                  find_fragments(scene.inputs(), scene.content())));
}

}  // namespace
}  // namespace tilestep::ui
