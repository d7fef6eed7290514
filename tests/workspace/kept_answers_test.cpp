// Counted launches on disk: kept answers equal the counts, and nothing else is taken for them.
#include "workspace/kept_answers.h"

#include "folders.h"
#include "support/temporary_folder.h"
#include "workspace/count_scheduler.h"
#include "workspace/survey.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace tilestep::workspace {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

std::string text_of(const analysis::LaunchFacts& facts) {
  return to_answer_text({{"", facts}});
}

class KeptAnswersTest : public ::testing::Test {
 protected:
  test::TemporaryFolder folder;
  fs::path share = test::share_folder();
  Result<problem::Catalog> catalog = problem::load_catalog(share / "kernels");
  compile::Compiler compiler{{{}, {share / "ptx-cache"}}};
  std::atomic<bool> cancel{false};

  [[nodiscard]] KeptAnswers opened() const { return KeptAnswers({folder.path(), {}, kNoLimit}); }
  [[nodiscard]] analysis::LaunchFacts counted(const SurveyItem& item, KeptAnswers* kept = nullptr) {
    return *count_launch(item, *catalog, {compiler, cancel, kept});
  }
  [[nodiscard]] problem::Launch launch_of(const SurveyItem& item) const {
    return *problem::evaluate(*catalog->find(item.kernel), item.parameters, {},
                              problem::BufferContents::Zero);
  }
  [[nodiscard]] std::vector<fs::path> files() const {
    return {fs::directory_iterator(folder.path()), fs::directory_iterator()};
  }
};

const SurveyItem kTiled{"tiled", {{96, 80, 64}, 8}, 0};

TEST_F(KeptAnswersTest, WhatIsKeptIsWhatIsCountedAnew) {
  ASSERT_TRUE(catalog);
  std::vector<SurveyItem> items{{"naive", {{67, 45, 33}, 7}, 0},
                                {"row_in_shared_kahan", {{256, 256, 256}, 16}, 0},
                                {"register_tile_2d", {{64, 64, 64}, 4}, 0},
                                kTiled,
                                {"tiled_transposed", {{96, 80, 64}, 8}, 0}};
  if (compiler.nvrtc().found) {
    items.push_back({"float4_loads", {{64, 64, 64}, 16}, 90});
  }
  KeptAnswers writer = opened();
  EXPECT_EQ(make_answers(items, *catalog, {compiler, cancel, &writer}, [](std::size_t) {}), 0U);
  const KeptAnswers reader = opened();
  for (const SurveyItem& item : items) {
    SCOPED_TRACE(item.kernel);
    const auto kept = reader.find(launch_of(item), item.architecture);
    ASSERT_TRUE(kept);
    EXPECT_EQ(text_of(*kept), text_of(counted(item)));
    EXPECT_GT(kept->cost.global_loads.sectors, 0U);
    EXPECT_FALSE(kept->accesses.empty());
    EXPECT_EQ(kept->needs.has_value(), item.architecture != 0);
  }
}

TEST_F(KeptAnswersTest, WhatIsKeptIsNotCountedAgain) {
  ASSERT_TRUE(catalog);
  KeptAnswers kept = opened();
  analysis::LaunchFacts marked = counted(kTiled);
  marked.barriers = 123456;  // a value that no count has
  kept.store(launch_of(kTiled), marked);
  const analysis::LaunchFacts answer = counted(kTiled, &kept);
  EXPECT_EQ(answer.barriers, 123456U);
  EXPECT_EQ(answer.kernel, "tiled");
  EXPECT_EQ(answer.parameters, kTiled.parameters);
}

// The last of the wishes is known: it is ready before the earlier ones.
TEST_F(KeptAnswersTest, WhatIsKeptIsThereBeforeAnythingIsCounted) {
  ASSERT_TRUE(catalog);
  KeptAnswers kept = opened();
  static_cast<void>(counted(kTiled, &kept));
  std::vector<SurveyItem> wanted;
  for (int block_size = 1; block_size <= 12; ++block_size) {
    wanted.push_back({"naive", {{256, 256, 256}, block_size}, 0});
  }
  wanted.push_back(kTiled);
  const CatalogPtr shared = std::make_shared<problem::Catalog>(*catalog);
  Pool pool(1);
  CountScheduler count_scheduler(pool, compiler, shared, &kept);
  count_scheduler.pursue(wanted, {});
  EXPECT_EQ(count_scheduler.counting(), (std::vector<SurveyItem>{wanted[0], wanted[1]}));
  pool.wait_for_result();
  pool.apply_results();
  EXPECT_TRUE(count_scheduler.is_due());
  count_scheduler.pursue(wanted, {});
  ASSERT_FALSE(count_scheduler.facts().empty());
  EXPECT_TRUE(is_of(count_scheduler.facts().front(), kTiled) || count_scheduler.facts().size() > 1);
  EXPECT_TRUE(std::ranges::any_of(count_scheduler.facts(), [&](const analysis::LaunchFacts& facts) {
    return is_of(facts, kTiled);
  }));
  EXPECT_GE(count_scheduler.uncounted(), 9U);
  count_scheduler.cancel();
}

TEST_F(KeptAnswersTest, AnotherLaunchOrTextOrArchitectureIsNotTakenForIt) {
  ASSERT_TRUE(catalog);
  KeptAnswers kept = opened();
  const problem::Launch launch = launch_of(kTiled);
  kept.store(launch, counted(kTiled));
  ASSERT_TRUE(kept.find(launch, 0));
  EXPECT_FALSE(kept.find(launch, 90));
  problem::Launch other = launch;
  other.source += "\n// edited\n";
  EXPECT_FALSE(kept.find(other, 0));
  other = launch;
  ++other.grid.y;
  EXPECT_FALSE(kept.find(other, 0));
  other = launch;
  ++other.buffers.front().pitch;
  EXPECT_FALSE(kept.find(other, 0));
  other = launch;
  ++other.arguments.back().integer;
  EXPECT_FALSE(kept.find(other, 0));
}

TEST_F(KeptAnswersTest, SizesOfOneCodeShareAFile) {
  ASSERT_TRUE(catalog);
  KeptAnswers kept = opened();
  const SurveyItem larger{"tiled", {{128, 128, 128}, 8}, 0};
  for (const SurveyItem& item : {kTiled, larger, kTiled}) {
    kept.store(launch_of(item), counted(item));
  }
  EXPECT_EQ(files().size(), 1U);
  EXPECT_EQ(kept.find(launch_of(kTiled), 0)->blocks, 120U);
  EXPECT_EQ(kept.find(launch_of(larger), 0)->blocks, 256U);
}

TEST_F(KeptAnswersTest, ABrokenFileIsNoneAndIsMadeAgain) {
  ASSERT_TRUE(catalog);
  KeptAnswers kept = opened();
  const std::string right = text_of(counted(kTiled, &kept));
  const fs::path file = files().at(0);
  std::string text;
  {
    std::ifstream stream(file, std::ios::binary);
    text.assign(std::istreambuf_iterator<char>(stream), {});
  }
  std::string changed = text;
  changed[changed.find("\"blocks\":120") + 9] = '9';
  std::string older = text;
  older[older.find('1')] = '0';
  for (const std::string& broken :
       {std::string(), std::string("x"), text.substr(0, 40), text + " ", changed, older}) {
    std::ofstream(file, std::ios::binary) << broken;
    EXPECT_FALSE(kept.find(launch_of(kTiled), 0)) << broken.substr(0, 60);
    EXPECT_EQ(text_of(counted(kTiled, &kept)), right);
    EXPECT_TRUE(kept.find(launch_of(kTiled), 0));
  }
}

TEST_F(KeptAnswersTest, AnEstimateIsNoAnswerWhereAnExactCountIsWanted) {
  ASSERT_TRUE(catalog);
  KeptAnswers kept = opened();
  analysis::LaunchFacts estimate = counted(kTiled);
  estimate.is_estimate = true;
  estimate.error = 0.1;
  kept.store(launch_of(kTiled), estimate);
  EXPECT_TRUE(counted(kTiled, &kept).is_estimate);
  SurveyItem exact = kTiled;
  exact.every_block = true;
  EXPECT_FALSE(counted(exact, &kept).is_estimate);
  EXPECT_FALSE(counted(kTiled, &kept).is_estimate) << "the exact count is kept instead";
}

TEST_F(KeptAnswersTest, WhatLacksItsMachineCodeOrWasCancelledIsNotKept) {
  ASSERT_TRUE(catalog);
  KeptAnswers kept = opened();
  analysis::LaunchFacts facts = counted(kTiled);
  facts.architecture = 90;
  kept.store(launch_of(kTiled), facts);
  EXPECT_FALSE(kept.find(launch_of(kTiled), 90));
  facts.needs.emplace();
  kept.store(launch_of(kTiled), facts);
  EXPECT_TRUE(kept.find(launch_of(kTiled), 90));
  cancel = true;
  EXPECT_FALSE(count_launch(kTiled, *catalog, {compiler, cancel, &kept}));
  EXPECT_FALSE(kept.find(launch_of(kTiled), 0));
}

}  // namespace
}  // namespace tilestep::workspace
