#include "analysis/launch_facts.h"
#include "build_tree_paths.h"
#include "problem/describe/catalog.h"
#include "workspace/paths.h"
#include "workspace/survey.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace tilestep::analysis {
namespace {

class LaunchNumbersTest : public ::testing::Test {
 protected:
  std::vector<LaunchNumber> numbers(const std::string& kernel, int size, int block_size) {
    const problem::Parameters parameters{{size, size, size}, block_size};
    const std::atomic<bool> never = false;
    const auto facts =
        workspace::count_launch({kernel, parameters, 0, true}, catalog, {compiler, never});
    const auto launch = problem::evaluate(*catalog.find(kernel), parameters, {});
    NumberedLaunch of;
    of.launch = &*launch;
    of.facts = &*facts;
    return numbers_of(of);
  }
  static const LaunchNumber& get(const std::vector<LaunchNumber>& all, const std::string& name) {
    const auto found = std::ranges::find(all, name, &LaunchNumber::name);
    EXPECT_NE(found, all.end()) << name;
    return found == all.end() ? all.front() : *found;
  }

  compile::Compiler compiler{workspace::cache_options(tilestep::test::build_tree_paths())};
  problem::Catalog catalog = *problem::load_catalog(tilestep::test::build_tree_paths().kernels);
};

// 48 = 3·16 is 6·8: every element is loaded once for each block that needs it.
TEST_F(LaunchNumbersTest, LoadsOfAnElementAreTheBlocksThatNeedIt) {
  const auto sixteen = numbers("tiled", 48, 16);
  EXPECT_EQ(get(sixteen, "blocks").text(), "9");
  const std::string loads = "loads per element of A and B";  // both have the same number
  EXPECT_EQ(get(sixteen, loads).text(), "3");
  EXPECT_EQ(get(sixteen, loads).cause, "16 products per load");
  EXPECT_EQ(get(numbers("tiled", 48, 8), loads).text(), "6");
  EXPECT_EQ(get(numbers("naive", 48, 8), loads).text(), "48");
}

// A load of shared memory that reads several numbers takes as many passes, but there are fewer
// loads.
TEST_F(LaunchNumbersTest, PassesAreThoseOfAsManyProducts) {
  const auto sixteen = numbers("tiled", 48, 16);
  const auto seventeen = numbers("tiled", 48, 17);
  const std::string passes = "shared-memory passes per 32 products";
  EXPECT_GT(get(sixteen, passes).value, 1.0);
  EXPECT_GT(get(seventeen, passes).value, 1.1 * get(sixteen, passes).value);
  EXPECT_EQ(get(numbers("tiled_transposed", 32, 32), passes).cause,
            "94% of the passes are due to bank conflicts");
}

TEST_F(LaunchNumbersTest, RowsThatStartAnywhereTakeMoreSectors) {
  const auto sixteen = numbers("tiled", 64, 16);
  const auto seventeen = numbers("tiled", 64, 17);
  EXPECT_EQ(get(sixteen, "sectors per request").text(), "4");
  EXPECT_EQ(get(sixteen, "sectors per request").cause, "no sector is wasted");
  EXPECT_GT(get(seventeen, "sectors per request").value, 4.0);
  EXPECT_EQ(get(seventeen, "sectors per request").cause,
            "rows of 17 floats do not start at multiples of 32 bytes");
  EXPECT_EQ(get(numbers("tiled", 64, 4), "sectors per request").cause,
            "rows of 4 floats are shorter than a sector of 32 bytes");
}

TEST_F(LaunchNumbersTest, ABlockThatFillsNoWarpHasIdleLanes) {
  EXPECT_EQ(get(numbers("tiled", 64, 16), "idle lanes").text(), "0%");
  const auto seventeen = numbers("tiled", 64, 17);
  EXPECT_GT(get(seventeen, "idle lanes").value, 5.0);
  EXPECT_EQ(get(seventeen, "idle lanes").cause, "289 threads in 10 warps of 32 lanes");
}

TEST_F(LaunchNumbersTest, WhatIsNotCountedIsLeftOut) {
  const auto launch =
      problem::evaluate(*catalog.find("tiled"), problem::Parameters{{8, 8, 8}, 4}, {});
  NumberedLaunch of;
  of.launch = &*launch;
  const auto all = numbers_of(of);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all.front().quantity, LaunchQuantity::Blocks);
  of.gflops = 2000.0;
  of.measured = {1000, 1000, 1000};
  const auto timed = numbers_of(of);
  EXPECT_EQ(timed.back().name, "GFLOP/s at 1000");
  EXPECT_EQ(timed.back().text(), "2,000");
  of.gflops = 0.0;
  EXPECT_EQ(numbers_of(of).back().text(), "not measured");
}

TEST_F(LaunchNumbersTest, AnEditedTextIsCountedAsItIs) {
  const std::atomic<bool> never = false;
  workspace::SurveyItem item{"tiled", {{16, 16, 16}, 4}, 0, true};
  const auto own = workspace::count_launch(item, catalog, {compiler, never});
  item.edited_source = catalog.find("tiled")->source;
  const std::string product = "acc += As[ty][e] * Bs[e][tx];";
  const std::size_t at = item.edited_source.find(product);
  ASSERT_NE(at, std::string::npos);
  item.edited_source.insert(at, "if (e != 1) ");
  const auto edited = workspace::count_launch(item, catalog, {compiler, never});
  ASSERT_TRUE(own && edited);
  EXPECT_EQ(edited->why_not, "");
  EXPECT_LT(edited->cost.shared_loads.threads, own->cost.shared_loads.threads);
  const std::vector<LaunchFacts> all{*own, *edited};
  EXPECT_EQ(find_facts(all, "tiled", item.parameters, 0), &all[0]);
  EXPECT_EQ(find_facts(all, "tiled", item.parameters, 0, item.edited_source), &all[1]);
}

}  // namespace
}  // namespace tilestep::analysis
