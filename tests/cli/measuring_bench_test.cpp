#include "cli/measuring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilestep::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

problem::Catalog two_kernels() {
  problem::Catalog catalog;
  catalog.kernels.resize(2);
  catalog.kernels[0].id = "naive";
  catalog.kernels[1].id = "tiled";
  return catalog;
}

TEST(BenchPlan, ByDefaultTakesTheWholeCatalogAndAllBlockSizes) {
  const auto plan = make_plan({}, two_kernels());
  ASSERT_TRUE(plan.has_value()) << plan.error().message;
  EXPECT_THAT(plan->kernels, ElementsAre("naive", "tiled"));
  EXPECT_EQ(plan->problems.size(), 4U);
  EXPECT_EQ(plan->block_sizes.size(), 32U);
  EXPECT_GE(plan->samples, timing::kFewestSamples);
  EXPECT_TRUE(plan->cublas);
}

TEST(BenchPlan, AKernelThatIsNotThereIsNamedWithThoseThatAre) {
  BenchOptions options;
  options.kernels = "naive,tilde";
  const auto plan = make_plan(options, two_kernels());
  ASSERT_FALSE(plan.has_value());
  EXPECT_EQ(plan.error().message,
            "--kernels naive,tilde: 'tilde' is not in the catalog. Choose from: naive, tiled.");
}

TEST(BenchPlan, WaysToCallCublasAreSeriesBesideIt) {
  BenchOptions options;
  options.cublas = "default,pedantic,fast_16bf";
  options.tf32 = true;
  const auto plan = make_plan(options, two_kernels());
  ASSERT_TRUE(plan.has_value()) << plan.error().message;
  EXPECT_TRUE(plan->cublas);
  EXPECT_THAT(plan->more_cublas, ElementsAre("cublas_default", "cublas_fast_16bf", "cublas_tf32"));
  options.cublas = "fp8";
  EXPECT_THAT(make_plan(options, two_kernels()).error().message, HasSubstr("--cublas fp8"));
}

TEST(BenchPlan, BestBySizeIsAKernelToMeasure) {
  BenchOptions options;
  options.kernels = "best_by_size,tiled";
  EXPECT_THAT(make_plan(options, two_kernels())->kernels, ElementsAre("best_by_size", "tiled"));
}

TEST(BenchPlan, ResumingNeedsAFile) {
  BenchOptions options;
  options.resume = true;
  EXPECT_THAT(make_plan(options, two_kernels()).error().message, HasSubstr("--out"));
}

TEST(BenchSummary, ShowsSpeedShareOfCublasAndWhatIsNotVerified) {
  timing::DataSet data;
  data.provenance.gpu = "Some GPU";
  data.points = {
      {"cublas", {1000, 1000, 1000}, 0, {1.0}, true, "", 0, 0, 0},
      {"tiled", {1000, 1000, 1000}, 16, {4.0}, true, "", 0, 0, 0},
      {"broken", {1000, 1000, 1000}, 16, {8.0}, false, "result wrong: …", 0, 0, 0},
      {"broken", {1000, 1000, 1000}, 3, {}, false, "no", 0, 0, 0},
  };
  const std::string text = summary(data);
  EXPECT_THAT(text, HasSubstr("1000×1000×1000   cuBLAS 2000 GFLOP/s"));
  EXPECT_THAT(text, HasSubstr("500  25.0%"));
  EXPECT_THAT(text, HasSubstr("250?  12.5%"));
  data.points.push_back({"best_by_size", {1000, 1000, 1000}, 0, {2.0}, true, "", 0, 0, 0});
  data.points.back().launched = "tiled:BM=32";
  EXPECT_THAT(summary(data), HasSubstr("At this size, best_by_size launches tiled:BM=32"));
}

}  // namespace
}  // namespace tilestep::cli
