// The same moment in other runs.
#include "build_tree_paths.h"
#include "problem/describe/catalog.h"
#include "state/apply.h"
#include "workspace/jobs.h"
#include "workspace/paths.h"
#include "workspace/scene_maker.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace tilestep::workspace {
namespace {

using RunPtr = std::shared_ptr<const record::Recording>;

class PlaceTest : public ::testing::Test {
 protected:
  [[nodiscard]] RunPtr run_of(const std::string& kernel, int size, int block_size) {
    SceneKey key;
    key.kernel = kernel;
    key.parameters = {{size, size, size}, block_size};
    const SceneDraft draft = draft_scene(key, catalog, compiler, test::build_tree_paths().assets);
    EXPECT_NE(draft.program, nullptr) << draft.result.message;
    JobControl control;
    return *record_blocks(draft.program, key.schedule, std::nullopt, control);
  }
  // The end of a phase of block 0, or a place within it.
  static std::uint64_t after(const RunPtr& run, const std::string& phase, int statements = -1) {
    for (const record::Phase& at : run->phases_of(0)) {
      if (*at.name == phase) {
        const std::size_t first = run->statement_of(at.first_step);
        return statements < 0
                   ? state::step_from(*run, at.first_step, state::Unit::Phase, +1, 0)
                   : run->statement_starts()[first + static_cast<std::size_t>(statements)];
      }
    }
    ADD_FAILURE() << "no phase " << phase;
    return 0;
  }
  static std::string ended(const RunPtr& run, std::uint64_t step) {
    const auto phase = state::phase_ended(*run, step, 0);
    return phase ? *run->phases_of(0)[*phase].name : "";
  }

  compile::Compiler compiler{cache_options(test::build_tree_paths())};
  problem::Catalog catalog = *problem::load_catalog(test::build_tree_paths().kernels);
};

TEST_F(PlaceTest, TheEndOfALoadIsTheEndOfThatLoad) {
  const RunPtr four = run_of("tiled", 12, 4);
  for (const int block_size : {1, 2, 3, 5, 6, 8}) {
    const RunPtr other = run_of("tiled", 12, block_size);
    const auto there = [&](const std::string& phase) {
      return ended(other, step_at(*other, moment_of(*four, after(four, phase), 0), 0));
    };
    EXPECT_EQ(there("load tile 0"), "load tile 0") << block_size;
    EXPECT_EQ(there("multiply tile 1"), "multiply tile 1") << block_size;
    EXPECT_EQ(there("load tile 2"), block_size < 6 ? "load tile 2" : "load tile 1") << block_size;
    EXPECT_EQ(there("write back"), "write back") << block_size;
  }
}

TEST_F(PlaceTest, TheSameProductIsOnStage) {
  const RunPtr four = run_of("tiled", 12, 4);
  const RunPtr six = run_of("tiled", 12, 6);
  const std::uint64_t there =
      step_at(*six, moment_of(*four, after(four, "multiply tile 1", 5), 0), 0);
  EXPECT_EQ(there, after(six, "multiply tile 1", 5));
  // A phase with fewer statements is over.
  const RunPtr two = run_of("tiled", 12, 2);
  const std::uint64_t last = after(six, "multiply tile 0", 11);
  EXPECT_EQ(ended(two, step_at(*two, moment_of(*six, last, 0), 0)), "multiply tile 0");
}

TEST_F(PlaceTest, AMomentOfARunIsItself) {
  const RunPtr run = run_of("register_tile_1d", 16, 8);
  for (const std::uint64_t step : run->statement_starts()) {
    EXPECT_EQ(step_at(*run, moment_of(*run, step, 0), 0), step);
  }
}

TEST_F(PlaceTest, AnotherKernelDoesSimilarWork) {
  const RunPtr tiled = run_of("tiled", 8, 4);
  const RunPtr naive = run_of("naive", 8, 4);
  const RunPtr wide = run_of("register_tile_2d", 16, 4);
  const auto from_tiled = [&](const RunPtr& to, const std::string& phase) {
    return ended(to, step_at(*to, moment_of(*tiled, after(tiled, phase), 0), 0, false));
  };
  EXPECT_EQ(from_tiled(wide, "load tile 0"), "load tile 0");
  EXPECT_EQ(from_tiled(wide, "multiply tile 1"), "multiply tile 1");
  EXPECT_EQ(from_tiled(naive, "multiply tile 0"), *naive->phases_of(0).back().name);
  EXPECT_EQ(step_at(*naive, moment_of(*tiled, tiled->step_count(), 0), 0, false),
            naive->step_count());
}

TEST_F(PlaceTest, TheFirstLoadFillsAllTiles) {
  for (const char* const kernel : {"tiled", "register_tile_2d", "double_buffered"}) {
    const RunPtr run = run_of(kernel, 16, 4);
    const std::uint64_t step = first_load_end(*run, 0);
    EXPECT_GT(step, 0U) << kernel;
    EXPECT_TRUE(ended(run, step).starts_with("load tile 0")) << kernel << ": " << ended(run, step);
  }
  EXPECT_EQ(first_load_end(*run_of("naive", 8, 4), 0), 0U) << "it loads no tile";
}

}  // namespace
}  // namespace tilestep::workspace
