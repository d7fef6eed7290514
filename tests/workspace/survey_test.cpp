// What the Timing tab wants counted, and that it is counted.
#include "workspace/survey.h"

#include "folders.h"
#include "problem/describe/catalog.h"
#include "timing/counter_set.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>

namespace tilestep::workspace {
namespace {

constexpr int kHopper = 90;

class SurveyTest : public ::testing::Test {
 protected:
  std::filesystem::path share = tilestep::test::share_folder();
  Result<problem::Catalog> catalog = problem::load_catalog(share / "kernels");
  Result<timing::CounterSet> counters = timing::load_counter_set(share / "counters" / "h200.json");
  compile::Compiler compiler{{{}, {share / "ptx-cache"}}};

  [[nodiscard]] std::vector<SurveyItem> wanted_on(state::TimingPage page,
                                                  const std::string& kernel) const {
    state::AppState state;
    state.tab = state::Tab::Timing;
    state.timing.page = page;
    state.kernel = kernel;
    return wanted(state, {&*catalog, nullptr, &*counters, kHopper});
  }
};

// Kernels without BLOCK_SIZE are recorded with 0.
TEST_F(SurveyTest, RecordedLaunchesOfAKernelWithoutBlockSizeAreCounted) {
  ASSERT_TRUE(catalog);
  ASSERT_TRUE(counters);
  const std::vector<SurveyItem> items = wanted_on(state::TimingPage::Counters, "single_block");
  ASSERT_EQ(items.size(), 32U);
  const SurveyItem& item = items[12];
  const timing::CountedLaunch* recorded =
      counters->find("single_block", item.parameters.problem, item.parameters.block_size);
  ASSERT_NE(recorded, nullptr);
  const std::atomic<bool> cancel{false};
  const auto facts = count_launch(item, *catalog, compiler, cancel);
  ASSERT_TRUE(facts);
  if (!compiler.nvrtc().found && !facts->why_not.empty()) {
    GTEST_SKIP() << "skipped: no NVRTC here to compile for " << item.parameters.problem.M;
  }
  EXPECT_EQ(facts->why_not, "");
  EXPECT_EQ(facts->parameters, item.parameters);
  EXPECT_EQ(facts->cost.global_loads.sectors, recorded->global_load_sectors);
  EXPECT_GT(recorded->global_load_sectors, 0U);
}

// Structs by value among them, whose layout the fast build does not know.
TEST_F(SurveyTest, EveryKernelOfTheCatalogIsCounted) {
  ASSERT_TRUE(catalog);
  if (!compiler.nvrtc().found) {
    GTEST_SKIP() << "skipped: no NVRTC here to compile with BLOCK_SIZE 8";
  }
  const std::atomic<bool> cancel{false};
  const problem::Parameters parameters{{8, 8, 8}, 8};
  for (const problem::LaunchSpec& spec : catalog->kernels) {
    SCOPED_TRACE(spec.id);
    const auto facts = count_launch({spec.id, parameters, 0}, *catalog, compiler, cancel);
    ASSERT_TRUE(facts);
    EXPECT_EQ(facts->why_not, "");
    EXPECT_GT(facts->cost.global_loads.requests, 0U);
  }
}

// What a GPU must not run has no speed to explain, and can take minutes to count.
TEST_F(SurveyTest, ALaunchThatAGpuHasToRefuseIsNotCounted) {
  ASSERT_TRUE(catalog);
  const std::atomic<bool> cancel{false};
  const auto facts =
      count_launch({"tiled_no_guard", {{1024, 1024, 1024}, 3}, 0}, *catalog, compiler, cancel);
  ASSERT_TRUE(facts);
  EXPECT_NE(facts->why_not, "");
  EXPECT_EQ(facts->blocks, 0U);
}

TEST_F(SurveyTest, NothingIsCountedOffTheTimingTab) {
  ASSERT_TRUE(catalog);
  ASSERT_TRUE(counters);
  state::AppState state;
  state.timing.page = state::TimingPage::Counters;
  state.kernel = "tiled";
  EXPECT_TRUE(wanted(state, {&*catalog, nullptr, &*counters, kHopper}).empty());
  EXPECT_EQ(wanted_on(state::TimingPage::Counters, "tiled").size(), 64U);
}

}  // namespace
}  // namespace tilestep::workspace
