// Hundreds of phases are folded to few if there is no room.
#include "ui/timeline/timeline.h"

#include <gtest/gtest.h>

#include <vector>

namespace tilestep::ui {
namespace {

// As in tiled: load and multiply for each tile, then write back.
std::vector<record::Phase> phases_of(int tiles) {
  std::vector<record::Phase> phases;
  for (int tile = 0; tile < tiles; ++tile) {
    phases.push_back({.block = 0, .tile = tile, .kind = record::PhaseKind::Load});
    phases.push_back({.block = 0, .tile = tile, .kind = record::PhaseKind::Multiply});
  }
  phases.push_back({.block = 0, .tile = -1, .kind = record::PhaseKind::WriteBack});
  return phases;
}

std::vector<PhaseFold> folded(const std::vector<record::Phase>& phases, float each, float least) {
  return fold_phases(phases, least, least, [each](std::size_t first, std::size_t last) {
    return each * static_cast<float>(last - first);
  });
}

TEST(TimelineFold, LeavesAloneWhatCanBeRead) {
  const auto phases = phases_of(2);
  const auto folds = folded(phases, 100.0F, 50.0F);
  ASSERT_EQ(folds.size(), phases.size());
  for (const PhaseFold& fold : folds) {
    EXPECT_FALSE(fold.is_fold());
  }
}

TEST(TimelineFold, PutsThePhasesOfATileTogetherFirst) {
  const auto folds = folded(phases_of(4), 30.0F, 50.0F);
  ASSERT_EQ(folds.size(), 5U);
  EXPECT_EQ(folds[1].name, "tile 1");
  EXPECT_EQ(folds[1].first, 2U);
  EXPECT_EQ(folds[1].last, 4U);
  EXPECT_FALSE(folds[4].is_fold()) << "write back";
}

// A kernel that prefetches: wide phases keep their names beside one that is too narrow for its own.
TEST(TimelineFold, KeepsWidePhasesOfATileApart) {
  const auto phases = phases_of(2);
  const auto folds = fold_phases(phases, 50.0F, 50.0F, [](std::size_t first, std::size_t last) {
    return 100.0F * static_cast<float>(last - first) - (first == 4 ? 90.0F : 0.0F);
  });
  EXPECT_EQ(folds.size(), phases.size());
}

TEST(TimelineFold, PutsMoreTilesTogetherUntilTheyCanBeRead) {
  const auto phases = phases_of(32);  // N = 64, BLOCK_SIZE 2
  const auto folds = folded(phases, 4.0F, 50.0F);
  ASSERT_EQ(folds.size(), 5U);
  EXPECT_EQ(folds[0].name, "tiles 0 to 7");
  EXPECT_EQ(folds[3].name, "tiles 24 to 31");
  EXPECT_EQ(folds[4].first, 64U);
  std::size_t next = 0;
  for (const PhaseFold& fold : folds) {
    EXPECT_EQ(fold.first, next) << "none is lost";
    next = fold.last;
  }
  EXPECT_EQ(next, phases.size());
}

TEST(TimelineFold, NamesPhasesWithoutTilesByTheirNumbers) {
  const std::vector<record::Phase> phases(20, record::Phase{});
  const auto folds = folded(phases, 10.0F, 50.0F);
  ASSERT_FALSE(folds.empty());
  EXPECT_EQ(folds[0].name, "phases 1 to 8");
}

TEST(TimelineFold, HasNothingToFoldInNothing) {
  EXPECT_TRUE(folded({}, 1.0F, 50.0F).empty());
}

}  // namespace
}  // namespace tilestep::ui
