// The facts about two points of the Timing tab.
#include "workspace/chart_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilestep::workspace {
namespace {

using ::testing::HasSubstr;

constexpr problem::Problem kThousand{1000, 1000, 1000};

timing::Point point(const std::string& kernel, int block_size, double ms) {
  timing::Point p;
  p.kernel = kernel;
  p.problem = kThousand;
  p.block_size = block_size;
  p.samples_ms = {ms};
  p.verified = true;
  return p;
}

analysis::LaunchFacts facts(const std::string& kernel, int block_size, int architecture) {
  analysis::LaunchFacts f;
  f.kernel = kernel;
  f.parameters = {kThousand, block_size};
  f.flops = 2e9;
  f.blocks = 1320;
  f.threads = block_size * block_size;
  f.architecture = architecture;
  f.cost.instructions = 66'000'000ULL;
  return f;
}

// An H200's data, and a T4's.
class Pair : public ::testing::Test {
 protected:
  Pair() {
    datasets[0] = {"here",
                   {},
                   {point("tiled", 16, 2.0), point("tiled", 17, 3.0), point("naive", 16, 5.0),
                    point("cublas", 0, 1.0)}};
    datasets[0].provenance.gpu = "NVIDIA H200";
    datasets[1] = {"there", {}, {point("tiled", 16, 20.0)}};
    datasets[1].provenance.gpu = "Tesla T4";
    all_facts = {facts("tiled", 16, 90), facts("tiled", 17, 90), facts("naive", 16, 90),
                 facts("tiled", 16, 75)};
    catalog.kernels.resize(2);
    catalog.kernels[0].id = "naive";
    catalog.kernels[0].title = "Naive";
    catalog.kernels[1].id = "tiled";
    catalog.kernels[1].title = "Tiled";
    state.timing.problem = kThousand;
    state.timing.selected_kernel = "tiled";
    state.timing.selected_block_size = 16;
  }

  [[nodiscard]] std::optional<ShownPair> shown() const {
    return show_timings(state, {&catalog, datasets, all_facts}).pair;
  }
  [[nodiscard]] ShownPair against(const state::TimedPoint& other) {
    state.timing.against = other;
    return shown().value();
  }

  std::vector<timing::DataSet> datasets{2};
  std::vector<analysis::LaunchFacts> all_facts;
  problem::Catalog catalog;
  state::AppState state;
};

TEST_F(Pair, OnePointIsNone) {
  EXPECT_FALSE(shown());
}

TEST_F(Pair, TwoBlockSizesAreNamedByThem) {
  const ShownPair pair = against({"tiled", 17, ""});
  ASSERT_TRUE(pair.comparison) << pair.why_not;
  EXPECT_EQ(pair.claim, "17 takes 1.50× as long as 16");
  EXPECT_DOUBLE_EQ(pair.ratio, 1.5);
  EXPECT_EQ(pair.slower().name, "17");
}

TEST_F(Pair, TwoKernelsAreNamedByTheirTitles) {
  EXPECT_EQ(against({"naive", 16, ""}).claim, "Naive 16 takes 2.50× as long as Tiled 16");
  state.timing.selected_kernel = "naive";
  const ShownPair pair = against({"tiled", 16, ""});
  EXPECT_EQ(pair.claim, "Naive 16 takes 2.50× as long as Tiled 16") << "in either order";
  EXPECT_TRUE(pair.is_swapped);
  EXPECT_EQ(pair.slower().point.kernel, "naive");
}

TEST_F(Pair, TwoGpusAreNamedAndEachHasItsOwnCounts) {
  const ShownPair pair = against({"tiled", 16, "there"});
  ASSERT_TRUE(pair.comparison) << pair.why_not;
  EXPECT_EQ(pair.claim, "Tesla T4 takes 10.00× as long as NVIDIA H200");
  EXPECT_EQ(pair.slower().facts->architecture, 75);
  EXPECT_EQ(pair.faster().facts->architecture, 90);
  EXPECT_EQ(architecture_of_other(state.timing, datasets, 90), 75);
}

TEST_F(Pair, CublasHasARatioWithoutFactors) {
  const ShownPair pair = against({"cublas", 0, ""});
  EXPECT_FALSE(pair.comparison);
  EXPECT_EQ(pair.claim, "Tiled 16 takes 2.00× as long as cuBLAS SGEMM");
  EXPECT_THAT(pair.why_not, HasSubstr("the source of cuBLAS is not available"));
}

TEST_F(Pair, WhatIsNotCountedYetIsSaid) {
  all_facts.clear();
  const ShownPair pair = against({"tiled", 17, ""});
  EXPECT_FALSE(pair.comparison);
  EXPECT_EQ(pair.why_not, "Counting both …");
  EXPECT_EQ(pair.claim, "17 takes 1.50× as long as 16") << "that is known already";
}

TEST_F(Pair, AnUnknownGpuHasNoFactors) {
  datasets[0].provenance.gpu = "Card of tomorrow";
  EXPECT_THAT(against({"tiled", 17, ""}).why_not, HasSubstr("the specifications of the GPU Card"));
}

TEST_F(Pair, BothAreCounted) {
  state.tab = state::Tab::Timing;
  state.timing.predict = false;
  state.timing.against = {"tiled", 16, "there"};
  catalog.kernels[1].uses_block_size = true;
  const std::vector<SurveyItem> items = wanted(state, {&catalog, datasets.data(), nullptr, 90, 75});
  ASSERT_GE(items.size(), 2U);
  EXPECT_EQ(items[0].architecture, 90);
  EXPECT_EQ(items[1].architecture, 75);
  EXPECT_EQ(items[1].parameters.block_size, 16);
}

}  // namespace
}  // namespace tilestep::workspace
