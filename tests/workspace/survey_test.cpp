// The launches that the Timing tab wants counted, and their counting.
#include "workspace/survey.h"

#include "folders.h"
#include "problem/describe/catalog.h"
#include "problem/describe/description.h"
#include "problem/file.h"
#include "temporary_folder.h"
#include "timing/counter_set.h"
#include "workspace/chart_request.h"
#include "workspace/count_scheduler.h"
#include "workspace/pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <future>
#include <vector>

namespace tilestep::workspace {
namespace {

constexpr int kHopper = 90;

class SurveyTest : public ::testing::Test {
 protected:
  std::filesystem::path share = tilestep::test::share_folder();
  Result<problem::Catalog> catalog = problem::load_catalog(share / "kernels");
  CatalogPtr shared = std::make_shared<problem::Catalog>(catalog.value_or(problem::Catalog{}));
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
  const auto facts = count_launch(item, *catalog, {compiler, cancel});
  ASSERT_TRUE(facts);
  if (!compiler.nvrtc().found && !facts->why_not.empty()) {
    GTEST_SKIP() << "skipped: no NVRTC here to compile for " << item.parameters.problem.M;
  }
  EXPECT_EQ(facts->why_not, "");
  EXPECT_EQ(facts->parameters, item.parameters);
  EXPECT_EQ(facts->cost.global_loads.sectors, recorded->global_load_sectors);
  EXPECT_GT(recorded->global_load_sectors, 0U);
}

// Including structs by value, whose layout the fast build does not know.
TEST_F(SurveyTest, EveryKernelOfTheCatalogIsCounted) {
  ASSERT_TRUE(catalog);
  if (!compiler.nvrtc().found) {
    GTEST_SKIP() << "skipped: no NVRTC here to compile with BLOCK_SIZE 8";
  }
  const std::atomic<bool> cancel{false};
  const problem::Parameters parameters{{8, 8, 8}, 8};
  for (const problem::LaunchSpec& spec : catalog->kernels) {
    SCOPED_TRACE(spec.id);
    const auto facts = count_launch({spec.id, parameters, 0}, *catalog, {compiler, cancel});
    ASSERT_TRUE(facts);
    EXPECT_EQ(facts->why_not, "");
    EXPECT_GT(facts->cost.global_loads.requests + facts->cost.global_loads.copy_engine_bytes, 0U);
  }
}

// A kernel that was opened by its path is in no catalog.
TEST_F(SurveyTest, AKernelOfAFileIsCountedAndComparedWithOneOfTheCatalog) {
  ASSERT_TRUE(catalog);
  const test::TemporaryFolder folder;
  const std::string file = (folder.path() / "mine.cu").string();
  problem::LaunchSpec spec = *catalog->find("naive");
  spec.id = "mine";
  spec.source_name = "mine.cu";
  spec.family.clear();
  ASSERT_TRUE(problem::write_file(file, spec.source));
  ASSERT_TRUE(problem::write_file((folder.path() / "mine.toml").string(),
                                  problem::description_text(spec, {}, {})));
  state::AppState state;
  state.tab = state::Tab::Timing;
  state.kernel = file;
  state.timing.problem = {64, 64, 64};
  state.timing.selected_kernel = file;
  state.timing.selected_block_size = 8;
  state.timing.against = {"tiled", 8, ""};
  state.timing.gpu = "NVIDIA H200";
  const std::vector<SurveyItem> items =
      wanted(state, {&*catalog, nullptr, nullptr, kHopper, kHopper});
  const SurveyItem mine{file, {{64, 64, 64}, 8}, kHopper};
  ASSERT_GE(items.size(), 2U);
  EXPECT_EQ(items.front(), mine);
  std::vector<analysis::LaunchFacts> facts;
  const std::atomic<bool> cancel{false};
  for (std::size_t i = 0; i < 2; ++i) {
    facts.push_back(*count_launch(items[i], *catalog, {compiler, cancel}));
  }
  if (!compiler.nvrtc().found) {
    GTEST_SKIP() << "skipped: no NVRTC here to compile a file";
  }
  const auto pair = show_timings(state, {&*catalog, {}, facts}).pair;
  ASSERT_TRUE(pair);
  EXPECT_EQ(pair->why_not, "");
  EXPECT_TRUE(pair->comparison);
}

TEST_F(SurveyTest, AKernelThatNobodyHasSaysSoInsteadOfBeingCountedForEver) {
  ASSERT_TRUE(catalog);
  state::AppState state;
  state.tab = state::Tab::Timing;
  state.timing.selected_kernel = "/nowhere/mine.cu";
  state.timing.selected_block_size = 8;
  const std::vector<SurveyItem> items =
      wanted(state, {&*catalog, nullptr, nullptr, kHopper, kHopper});
  ASSERT_FALSE(items.empty());
  EXPECT_EQ(items.front().kernel, "/nowhere/mine.cu");
  const std::atomic<bool> cancel{false};
  EXPECT_NE(count_launch(items.front(), *catalog, {compiler, cancel})->why_not, "");
}

// A launch that a GPU must not run has no speed to explain, and can take minutes to count. A warp
// of 4 threads reads 16 bytes of a row of B at a time, then the adjacent 16; one of 25 threads
// reads 100 bytes at any offset.
TEST_F(SurveyTest, LoadsKnowWhatIsNewToTheirWarpAndTheLinesTheyStraddle) {
  ASSERT_TRUE(catalog);
  if (!compiler.nvrtc().found) {
    GTEST_SKIP() << "skipped: no NVRTC here to compile for N = 256";
  }
  const std::atomic<bool> cancel{false};
  const auto counted = [&](const std::string& kernel, int block_size) {
    return *count_launch({kernel, {{256, 256, 256}, block_size}, kHopper}, *catalog,
                         {compiler, cancel});
  };
  EXPECT_NEAR(counted("pitched", 2).loads_of_new, 0.25, 0.02);
  EXPECT_NEAR(counted("pitched", 4).loads_of_new, 1.0, 0.01);
  const auto passes_of_request = [](const analysis::LaunchFacts& facts) {
    return facts.global_passes * static_cast<double>(facts.blocks) /
           static_cast<double>(facts.cost.global().requests);
  };
  EXPECT_NEAR(passes_of_request(counted("naive_1d", 8)), 1.0, 0.01);
  EXPECT_NEAR(passes_of_request(counted("naive_1d", 9)), 1.4, 0.15);
}

TEST_F(SurveyTest, ALaunchThatAGpuHasToRefuseIsNotCounted) {
  ASSERT_TRUE(catalog);
  const std::atomic<bool> cancel{false};
  const auto facts =
      count_launch({"tiled_no_guard", {{1024, 1024, 1024}, 3}, 0}, *catalog, {compiler, cancel});
  ASSERT_TRUE(facts);
  EXPECT_NE(facts->why_not, "");
  EXPECT_EQ(facts->blocks, 0U);
}

TEST_F(SurveyTest, OffTheTimingTabTheStagesLaunchIsCounted) {
  ASSERT_TRUE(catalog);
  ASSERT_TRUE(counters);
  state::AppState state;
  state.timing.page = state::TimingPage::Counters;
  state.kernel = "tiled";
  state.parameters = {{64, 64, 64}, 16};
  state.timing.problem = {256, 256, 256};
  const SurveyContext context{&*catalog, nullptr, &*counters, kHopper};
  const std::vector<SurveyItem> both{{"tiled", {{64, 64, 64}, 16}, kHopper},
                                     {"tiled", {{256, 256, 256}, 16}, kHopper}};
  EXPECT_EQ(wanted(state, context), both);
  EXPECT_EQ(likely_next(state, context).size(), 15U)
      << "14 to 18, 8 and 32, at both sizes, and 16 at N = 63, 32 and as it is timed";
  EXPECT_EQ(likely_next(state, context).front().parameters.block_size, 17);
  state::AppState edited = state;
  edited.edited_source = "another text";
  std::vector<SurveyItem> both_edited = both;
  for (SurveyItem& item : both_edited) {
    item.edited_source = edited.edited_source;
  }
  EXPECT_EQ(wanted(edited, context), both_edited);
  EXPECT_EQ(wanted_on(state::TimingPage::Counters, "tiled").size(), 64U);
}

// Pursues until nothing is left to count; returns how often facts() changed.
int settle(CountScheduler& count_scheduler, Pool& pool, const std::vector<SurveyItem>& wanted,
           const std::vector<SurveyItem>& ahead) {
  int changes = count_scheduler.pursue(wanted, ahead) ? 1 : 0;
  while (pool.pending() > 0) {
    pool.wait_for_result();
    pool.apply_results();
    changes += count_scheduler.pursue(wanted, ahead) ? 1 : 0;
  }
  return changes;
}

TEST_F(SurveyTest, WhatIsCountedAheadIsThereWhenItIsWanted) {
  ASSERT_TRUE(catalog);
  const SurveyItem now{"tiled", {{64, 64, 64}, 8}, 0};
  const SurveyItem later{"naive", {{64, 64, 64}, 8}, 0};
  Pool pool(2);
  CountScheduler count_scheduler(pool, compiler, shared);
  settle(count_scheduler, pool, {now}, {later});
  ASSERT_EQ(count_scheduler.facts().size(), 1U);
  EXPECT_EQ(count_scheduler.facts().front().kernel, "tiled");
  EXPECT_TRUE(count_scheduler.pursue({later, now}, {})) << "at once";
  EXPECT_EQ(pool.pending(), 0U);
  ASSERT_EQ(count_scheduler.facts().size(), 2U);
  EXPECT_EQ(count_scheduler.facts().back().kernel, "naive");
  EXPECT_FALSE(count_scheduler.pursue({later, now}, {}));
}

TEST_F(SurveyTest, ANewWishIsCountedBeforeTheOthers) {
  ASSERT_TRUE(catalog);
  std::vector<SurveyItem> wanted;
  for (int block_size = 1; block_size <= 16; ++block_size) {
    wanted.push_back({"tiled", {{256, 256, 256}, block_size}, 0});
  }
  Pool pool(1);
  CountScheduler count_scheduler(pool, compiler, shared);
  count_scheduler.pursue(wanted, {});
  EXPECT_EQ(count_scheduler.uncounted(), 16U);
  const SurveyItem clicked{"naive", {{256, 256, 256}, 16}, 0};
  wanted.insert(wanted.begin(), clicked);
  const auto is_clicked = [&](const analysis::LaunchFacts& facts) { return is_of(facts, clicked); };
  while (std::ranges::none_of(count_scheduler.facts(), is_clicked)) {
    count_scheduler.pursue(wanted, {});
    pool.wait_for_result();
    pool.apply_results();
    count_scheduler.pursue(wanted, {});
  }
  EXPECT_LE(count_scheduler.facts().size(), 4U) << "what ran when it was asked for, and it";
  settle(count_scheduler, pool, wanted, {});
  EXPECT_EQ(count_scheduler.facts().size(), 17U);
  EXPECT_EQ(count_scheduler.uncounted(), 0U);
}

// A pool of one thread that is busy until the test releases it.
TEST_F(SurveyTest, APageThatIsLeftCancelsItsWork) {
  ASSERT_TRUE(catalog);
  const SurveyItem left{"tiled", {{64, 64, 64}, 8}, 0};
  const SurveyItem other{"naive", {{64, 64, 64}, 8}, 0};
  std::promise<void> go;
  Pool pool(1);
  pool.submit([&go]() -> Completion {
    go.get_future().wait();
    return {};
  });
  CountScheduler count_scheduler(pool, compiler, shared);
  count_scheduler.pursue({left}, {});
  EXPECT_EQ(count_scheduler.uncounted(), 1U);
  count_scheduler.pursue({other}, {});
  go.set_value();
  settle(count_scheduler, pool, {other}, {});
  ASSERT_EQ(count_scheduler.facts().size(), 1U);
  EXPECT_EQ(count_scheduler.facts().front().kernel, "naive");
  count_scheduler.pursue({left, other}, {});
  EXPECT_EQ(count_scheduler.uncounted(), 1U) << "what was left was not counted";
}

TEST_F(SurveyTest, WhatWasCancelledTakesNoPlaceFromTheNextQuestion) {
  ASSERT_TRUE(catalog);
  const auto item = [](const char* kernel, int block_size) {
    return SurveyItem{kernel, {{64, 64, 64}, block_size}, 0};
  };
  std::promise<void> go;
  Pool pool(1);
  pool.submit([&go]() -> Completion {
    go.get_future().wait();
    return {};
  });
  CountScheduler count_scheduler(pool, compiler, shared);
  count_scheduler.pursue({}, {item("tiled", 4), item("tiled", 8)});
  EXPECT_EQ(pool.pending(), 1U + 2U);
  count_scheduler.pursue({}, {item("tiled", 16), item("tiled", 32)});
  EXPECT_EQ(pool.pending(), 1U + 2U) << "as long as those before have not ended";
  count_scheduler.pursue({item("naive", 8)}, {});
  EXPECT_EQ(pool.pending(), 1U + 3U) << "a question does not wait for them";
  go.set_value();
  settle(count_scheduler, pool, {item("naive", 8)}, {});
  ASSERT_EQ(count_scheduler.facts().size(), 1U);
  EXPECT_EQ(count_scheduler.facts().front().kernel, "naive");
}

// A launch of minutes: the cancellation reaches the count itself.
TEST_F(SurveyTest, ACountThatRunsIsCancelledToo) {
  ASSERT_TRUE(catalog);
  const SurveyItem endless{"naive", {{2048, 2048, 2048}, 8}, 0, true};
  Pool pool(2);
  CountScheduler count_scheduler(pool, compiler, shared);
  count_scheduler.pursue({endless}, {});
  EXPECT_EQ(count_scheduler.uncounted(), 1U);
  settle(count_scheduler, pool, {}, {});
  EXPECT_TRUE(count_scheduler.facts().empty());
  EXPECT_EQ(count_scheduler.uncounted(), 0U);
}

TEST_F(SurveyTest, NoPageWaitsForWhatItDoesNotShow) {
  ASSERT_TRUE(catalog);
  ASSERT_TRUE(counters);
  const auto data = timing::load_dataset(share / "timings" / "h200.json");
  ASSERT_TRUE(data);
  const SurveyContext context{&*catalog, &*data, &*counters, kHopper};
  state::AppState state;
  state.tab = state::Tab::Timing;
  state.kernel = "tiled";
  state.timing.problem = {1024, 1024, 1024};
  state.timing.selected_kernel = "naive";
  state.timing.selected_block_size = 16;
  state.timing.predict = false;
  const std::vector<SurveyItem> clicked{{"naive", {{1024, 1024, 1024}, 16}, kHopper},
                                        {"tiled", {{1024, 1024, 1024}, 16}, kHopper}};
  for (const state::TimingPage page :
       {state::TimingPage::BlockSize, state::TimingPage::Size, state::TimingPage::Ladder}) {
    state.timing.page = page;
    EXPECT_EQ(wanted(state, context), clicked) << "the point and the next rung";
  }
  state.timing.page = state::TimingPage::Occupancy;
  const std::vector<SurveyItem> occupancy = wanted(state, context);
  EXPECT_EQ(occupancy.size(), 2U + 31U);
  EXPECT_EQ(occupancy.front(), clicked.front()) << "the newest question first";
  state.timing.page = state::TimingPage::Roofline;
  for (const SurveyItem& item : wanted(state, context)) {
    EXPECT_EQ(item.parameters.problem, state.timing.problem);
  }
  // The chosen point, the stage's kernel, the ladder; nothing waits for what the plot does not
  // show.
  state.timing.selected_kernel = "";
  state.kernel = "tiled_padded";
  const std::vector<SurveyItem> shown = wanted(state, context);
  ASSERT_GT(shown.size(), 3U);
  EXPECT_EQ(shown.front().kernel, "tiled_padded");
  for (std::size_t i = 1; i < shown.size(); ++i) {
    EXPECT_TRUE(catalog->find(shown[i].kernel)->ladder) << shown[i].kernel;
  }
  state.timing.every_kernel = true;
  EXPECT_GT(wanted(state, context).size(), shown.size() + 5);
  EXPECT_EQ(wanted(state, context).front().kernel, "tiled_padded");
  state.timing.every_kernel = false;
  state.timing.problem = {1030, 1030, 1030};
  EXPECT_EQ(wanted(state, context), shown) << "of the size that the plot shows, the nearest";
  state.timing.alone = true;
  EXPECT_EQ(wanted(state, context).size(), 1U);
  Pool pool(1);
  CountScheduler count_scheduler(pool, compiler, shared);
  count_scheduler.pursue({}, likely_next(state, context));
  EXPECT_EQ(count_scheduler.uncounted(), 0U) << "for what is counted ahead nobody waits";
  count_scheduler.cancel();
}

// A tuned rung has no BLOCK_SIZE, whatever the slider's value: it would be counted 32 times.
TEST_F(SurveyTest, AKernelWithoutBlockSizeIsOneLaunch) {
  ASSERT_TRUE(catalog);
  state::AppState state;
  state.tab = state::Tab::Timing;
  state.kernel = "warp_tile";
  state.timing.page = state::TimingPage::Occupancy;
  state.timing.problem = {1024, 1024, 1024};
  state.timing.selected_kernel = "register_tile_vectorised";
  state.timing.selected_block_size = 16;
  const std::vector<SurveyItem> items = wanted(state, {&*catalog, nullptr, nullptr, kHopper});
  ASSERT_EQ(items.size(), 3U);
  EXPECT_EQ(items[0].parameters.block_size, 16);
  EXPECT_EQ(items[1].kernel, "register_tile_8x8");
  EXPECT_EQ(items[1].parameters.block_size, 0);
  EXPECT_EQ(items[2].kernel, "warp_tile");
  EXPECT_EQ(items[2].parameters.block_size, 0);
}

// blockIdx is looked up in memory, so no proof shows which blocks are alike.
TEST_F(SurveyTest, AnEstimateBecomesExact) {
  ASSERT_TRUE(catalog);
  if (!compiler.nvrtc().found) {
    GTEST_SKIP() << "skipped: no NVRTC here to compile a kernel of one's own";
  }
  problem::Catalog own = *catalog;
  problem::LaunchSpec spec = *own.find("naive");
  spec.id = "by_memory";
  spec.entry = "by_memory";
  spec.source =
      "__global__ void by_memory(const float* A, const float* B, float* C, int M, int N, int K) {\n"
      "  int turns = 40 + (int)A[(blockIdx.y * 32 + blockIdx.x) % 64];\n"
      "  float sum = 0.0f;\n"
      "  for (int t = 0; t < turns * 100; ++t) sum += B[(t * 7 + threadIdx.x) % 64];\n"
      "  C[blockIdx.x % 64] = sum;\n"
      "}\n";
  own.kernels.push_back(spec);
  const CatalogPtr with_it = std::make_shared<problem::Catalog>(own);
  Pool pool(1);
  CountScheduler count_scheduler(pool, compiler, with_it);
  const SurveyItem item{"by_memory", {{256, 256, 256}, 8}, 0};
  while (count_scheduler.facts().empty()) {
    count_scheduler.pursue({item}, {});
    pool.wait_for_result();
    pool.apply_results();
    count_scheduler.pursue({item}, {});
  }
  ASSERT_EQ(count_scheduler.facts().front().why_not, "");
  EXPECT_TRUE(count_scheduler.facts().front().is_estimate);
  EXPECT_EQ(settle(count_scheduler, pool, {item}, {}), 1);
  ASSERT_EQ(count_scheduler.facts().size(), 1U);
  EXPECT_FALSE(count_scheduler.facts().front().is_estimate);
}

TEST_F(SurveyTest, WhatWasAskedForLongestAgoIsForgottenUnlessItIsWanted) {
  ASSERT_TRUE(catalog);
  Pool pool(1);
  CountScheduler count_scheduler(pool, compiler, shared, nullptr, 2);
  const auto item = [](int size) {
    SurveyItem one{"naive", {}, 0, false};
    one.parameters.problem = {size, size, size};
    one.parameters.block_size = 4;
    return one;
  };
  const auto sizes = [&count_scheduler] {
    std::vector<int> found;
    for (const analysis::LaunchFacts& facts : count_scheduler.facts()) {
      found.push_back(facts.parameters.problem.M);
    }
    return found;
  };
  const auto pursue = [&](const std::vector<SurveyItem>& wanted) {
    do {
      count_scheduler.pursue(wanted, {});
      pool.wait_for_result();
      pool.apply_results();
    } while (count_scheduler.uncounted() > 0);
  };
  for (const int size : {4, 8, 12}) {
    pursue({item(size)});
  }
  EXPECT_EQ(sizes(), (std::vector<int>{8, 12}));
  pursue({item(8), item(16), item(20)});
  EXPECT_EQ(sizes(), (std::vector<int>{8, 16, 20})) << "more than are kept, but all are wanted";
}

}  // namespace
}  // namespace tilestep::workspace
