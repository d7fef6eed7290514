// Runs recorded ahead and kept: the likeliest first, within a limit.
#include "workspace/scene_maker.h"

#include "build_tree_paths.h"
#include "workspace/paths.h"

#include <gtest/gtest.h>

#include <memory>

namespace tilestep::workspace {
namespace {

TEST(SceneMaker, TheLikeliestRunsAreKeptWithinTheBound) {
  const Paths paths = tilestep::test::build_tree_paths();
  compile::Compiler compiler{cache_options(paths)};
  const CatalogPtr catalog =
      std::make_shared<problem::Catalog>(*problem::load_catalog(paths.kernels));
  Pool pool(2);
  SceneMaker maker(paths, pool, compiler, catalog,
                   [](const SceneResult&, const SceneKey&) { return true; });
  const auto settle = [&] {
    maker.prepare(0);
    while (pool.pending() > 0) {
      pool.wait_for_result();
      pool.apply_results();
      maker.prepare(0);
    }
  };
  const auto key = [](int block_size) {
    state::Setup setup;
    setup.parameters = {{16, 16, 16}, block_size};
    return SceneKey(setup);
  };
  maker.look_ahead();
  maker.request({key(4)});
  settle();
  const std::uint64_t one = maker.kept_bytes();
  ASSERT_GT(one, 0U);
  const std::uint64_t most = kAheadBytes + 3 * one;
  maker.expect({key(5), key(3), key(6), key(2), key(8), key(16), key(9), key(10), key(1)}, most);
  settle();
  EXPECT_LE(maker.kept_bytes(), most);
  EXPECT_TRUE(maker.is_kept(key(5)));
  EXPECT_FALSE(maker.is_kept(key(1)));
  maker.expect({key(1)}, most);
  settle();
  EXPECT_TRUE(maker.is_kept(key(1))) << "others make room for what is expected";
  maker.expect({key(1), key(5)}, one);
  EXPECT_LE(maker.kept_bytes(), one);
  EXPECT_TRUE(maker.is_kept(key(4))) << "what is on stage stays";
}

}  // namespace
}  // namespace tilestep::workspace
