// Variations of a kernel, the table of winners, and best_by_size at a size.
#include "problem/describe/best_by_size.h"

#include "folders.h"
#include "problem/describe/catalog.h"
#include "problem/describe/description.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilestep::problem {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> ids(const std::vector<LaunchSpec>& specs) {
  std::vector<std::string> all;
  for (const LaunchSpec& spec : specs) {
    all.push_back(spec.id);
  }
  return all;
}

std::string kernel_with(const std::string& tuning, const std::string& more = "") {
  return R"toml(
[[kernel]]
id = "tile"
source = "tile.cu"
entry = "tile<BM, BN>"
grid = "ceil_div(N, BN)"
block = "BM * BN"
)toml" + more +
         R"toml(
instances = [
  { name = "tuned", ladder = true, values = { BM = 16, BN = 8 } },
  { name = "small", values = { BM = 8, BN = 8 } },
  { name = "teaching", timed = false, values = { BM = 2, BN = 2 } },
]
)toml" + tuning;
}

const std::string kLists = R"(
[kernel.tuning]
values = { BN = [8, 16], BM = [8, 16, 32] }
that = ["BM * BN <= 256"]
)";

TEST(Tuning, AKernelHasEveryCombinationThatIsAllowedAndNoInstance) {
  const auto catalog = parse_descriptions(kernel_with(kLists), "c.toml");
  ASSERT_TRUE(catalog) << catalog.error().message;
  EXPECT_THAT(ids(catalog->kernels), ElementsAre("tile", "tile_small", "tile_teaching"));
  EXPECT_THAT(ids(catalog->candidates), ElementsAre("tile:BM=32", "tile:BM=8:BN=16", "tile:BN=16"));
  const LaunchSpec* const wide = catalog->find("tile:BM=8:BN=16");
  ASSERT_NE(wide, nullptr);
  EXPECT_EQ(wide->entry, "tile<8, 16>");
  EXPECT_FALSE(wide->ladder);
  EXPECT_THAT(wide->values, ElementsAre(std::pair("BM", 8), std::pair("BN", 16)));
}

TEST(Tuning, RivalsAreTimedFloatKernelsWithTheirVariations) {
  const auto catalog = parse_descriptions(kernel_with(kLists), "c.toml");
  ASSERT_TRUE(catalog);
  std::vector<std::string> all;
  for (const LaunchSpec* const spec : rivals(*catalog)) {
    all.push_back(spec->id);
  }
  EXPECT_THAT(all,
              ElementsAre("tile", "tile:BM=32", "tile:BM=8:BN=16", "tile:BN=16", "tile_small"));
  const auto tensor =
      parse_descriptions(kernel_with(kLists, "arithmetic = \"tf32x3\"\n"), "c.toml");
  ASSERT_TRUE(tensor);
  EXPECT_TRUE(rivals(*tensor).empty());
}

std::string tuning_mistake(const std::string& tuning) {
  const auto catalog = parse_descriptions(kernel_with(tuning), "c.toml");
  return catalog ? "none" : catalog.error().message;
}

TEST(Tuning, AMistakeNamesItsLine) {
  EXPECT_THAT(tuning_mistake("[kernel.tuning]\nvalues = { BK = [8] }\n"),
              HasSubstr("`instances` defines no value named BK. Use one"));
  EXPECT_THAT(tuning_mistake("[kernel.tuning]\nvalues = { BM = [] }\n"),
              HasSubstr("BM must be a list of positive integers, for example BM = [32, 64]."));
  EXPECT_THAT(tuning_mistake("[kernel.tuning]\nvalues = { BM = [32] }\nthat = [\"BM >\"]\n"),
              HasSubstr("c.toml:"));
  EXPECT_THAT(tuning_mistake("[kernel.tuning]\nvalues = { BM = [32] }\nthat = [\"BM * BQ > 8\"]\n"),
              HasSubstr("`instances` defines no value named BQ. Use one"));
  EXPECT_THAT(
      tuning_mistake("[kernel.tuning]\nvalues = { BM = [32] }\nthat = [\"BM / (BN - 8) > 8\"]\n"),
      HasSubstr("divides by zero"));
  EXPECT_EQ(
      tuning_mistake("[kernel.tuning]\nvalues = { BM = [32] }\nthat = [\"ceil_div(BM, 3) > 8\"]\n"),
      "none");
  EXPECT_THAT(tuning_mistake("[kernel.tuning]\nthat = []\n"), HasSubstr("values` is missing."));
  EXPECT_THAT(
      tuning_mistake("[kernel.tuning]\nvalues = { BM = [1, 2, 3, 4, 5, 6, 7, 8, 9], BN = [1, 2, "
                     "3, 4, 5, 6, 7, 8, 9] }\n"),
      HasSubstr("variations exceed the limit of 64."));
  std::string numbers = "1";
  for (int i = 2; i < 100; ++i) {
    numbers += ", " + std::to_string(i);
  }
  EXPECT_THAT(tuning_mistake("[kernel.tuning]\nvalues = { BM = [" + numbers + "], BN = [" +
                             numbers + "] }\n"),
              HasSubstr("the lists have more than 4096 combinations. Shorten one."));
}

BestTable table() {
  BestTable best{"Some GPU", "1.0", "NVRTC 13.0", "13.1.0", "2026-11-26T10:00:00Z",
                 1980,       3201,  1980,         "How",    {}};
  best.winners.push_back(
      {{512, 512, 512}, "tile_small", {{"BM", 8}, {"BN", 8}}, 0.1, 0.09, 0.11, 0.15, "tile", 0.2});
  best.winners.push_back(
      {{512, 512, 8192}, "tile", {{"BM", 16}, {"BN", 8}}, 0.5, 0.4, 0.6, 0.0, "", 0.0});
  best.winners.push_back(
      {{4096, 4096, 4096}, "tile:BM=32", {{"BM", 32}, {"BN", 8}}, 3.0, 2.9, 3.1, 3.3, "tile", 3.2});
  return best;
}

TEST(BestTableFile, IsReadAsItWasWritten) {
  const auto read = parse_best(to_toml(table()), "best.toml");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, table());
}

std::string best_mistake(const std::string& from, const std::string& to) {
  std::string text = to_toml(table());
  text.replace(text.find(from), from.size(), to);
  const auto read = parse_best(text, "best.toml");
  return read ? "none" : read.error().message;
}

TEST(BestTableFile, AMistakeNamesItsLine) {
  EXPECT_THAT(best_mistake("tilestep-best", "tilestep"), HasSubstr("format` must be"));
  EXPECT_THAT(best_mistake("version = 1", "version = 2"), HasSubstr("reads versions up to 1"));
  EXPECT_THAT(best_mistake("K = 8192", "K = 512"), HasSubstr("duplicate size 512×512×512"));
  EXPECT_THAT(best_mistake("median_ms = 0.1", "median_ms = 0"), HasSubstr("best.toml:18"));
  EXPECT_THAT(best_mistake("{ BM = 8,", "{ \"B M\" = 8,"),
              HasSubstr("'B M' is not a valid name for a value. Use only letters, digits and _."));
  EXPECT_THAT(best_mistake("q1_ms = 0.09", "q1_ms = 0.2"), HasSubstr("in non-decreasing order"));
  EXPECT_THAT(best_mistake("sm_clock_mhz = 1980", "sm_clock_mhz = -1"),
              HasSubstr("sm_clock_mhz must be an integer of at least 0."));
}

TEST(BestBySize, AnotherSizeIsTheNearestRecordedOne) {
  const BestTable best = table();
  EXPECT_EQ(nearest_winner(best, {512, 512, 512})->kernel, "tile_small");
  EXPECT_EQ(nearest_winner(best, {8, 8, 8})->kernel, "tile_small");
  EXPECT_EQ(nearest_winner(best, {600, 400, 6000})->kernel, "tile");
  EXPECT_EQ(nearest_winner(best, {5000, 2000, 4096})->kernel, "tile:BM=32");
  EXPECT_EQ(nearest_winner({}, {8, 8, 8}), nullptr);
}

TEST(BestBySize, SaysWhatItIsAndWhereThatComesFrom) {
  auto catalog = parse_descriptions(kernel_with(kLists), "c.toml");
  ASSERT_TRUE(catalog);
  catalog->best = table();
  ASSERT_TRUE(check_winners(*catalog, "best.toml"));
  const auto exact = best_for(*catalog, {4096, 4096, 4096});
  ASSERT_TRUE(exact);
  EXPECT_EQ(explanation(*exact, catalog->best, {4096, 4096, 4096}),
            "best_by_size at 4096×4096×4096 uses tile with BM = 32, BN = 8: 45.8 TFLOP/s, 110.0% "
            "of cuBLAS (Some GPU, 2026-11-26).");
  const auto near = best_for(*catalog, {500, 500, 500});
  ASSERT_TRUE(near);
  EXPECT_THAT(explanation(*near, catalog->best, {500, 500, 500}),
              HasSubstr("which won at 512×512×512, the nearest recorded size"));
  catalog->best.winners[0].values[0].second = 4;
  EXPECT_THAT(check_winners(*catalog, "best.toml").error().message,
              HasSubstr("was measured with BM = 4, BN = 8, but tile_small has BM = 8, BN = 8"));
  catalog->best.winners[0].kernel = "gone";
  EXPECT_THAT(check_winners(*catalog, "best.toml").error().message,
              HasSubstr("is 'gone', which is not in the catalog."));
  catalog->best = {};
  EXPECT_THAT(best_for(*catalog, {8, 8, 8}).error().message, HasSubstr("no table of winners"));
}

TEST(BestBySize, OfTheRepository_HasAWinnerForEveryRecordedSize) {
  const Result<Catalog> catalog = load_catalog(tilestep::test::source_folder() / "kernels");
  ASSERT_TRUE(catalog) << catalog.error().message;
  EXPECT_GE(catalog->best.winners.size(), 9U);
  EXPECT_LE(catalog->candidates.size(), 48U) << "each is measured at every size";
  for (const Winner& winner : catalog->best.winners) {
    const LaunchSpec* const spec = catalog->find(winner.kernel);
    EXPECT_TRUE(spec->arithmetic.empty()) << winner.kernel;
    EXPECT_GT(winner.cublas_ms, 0.0) << "beside cuBLAS, in one run";
    EXPECT_TRUE(evaluate_shape(*spec, {winner.problem, 1})) << winner.kernel;
  }
}

}  // namespace
}  // namespace tilestep::problem
