// From points to winners.
#include "folders.h"
#include "timing/dataset_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilestep::timing {
namespace {

Point point(const std::string& kernel, problem::Problem size, double ms, bool verified = true) {
  Point p;
  p.kernel = kernel;
  p.problem = size;
  p.samples_ms = {0.9 * ms, ms, 1.2 * ms};
  p.verified = verified;
  return p;
}

constexpr problem::Problem kSmall{512, 512, 512};
constexpr problem::Problem kLarge{4096, 4096, 4096};

DataSet measured() {
  DataSet data;
  data.provenance.gpu = "Some GPU";
  data.provenance.sm_clock_mhz = 1980;
  data.points = {point("cublas", kLarge, 3.0),
                 point("sliced_k", kLarge, 3.5),
                 point("shared_last_wave", kLarge, 2.5),
                 point("shared_last_wave:BM=64:BN=128:TM=8", kLarge, 2.75),
                 point("ordered_products", kLarge, 1.0, false),
                 point("tensor_tf32x3", kLarge, 2.0),
                 point("tiled", kLarge, 0.5),
                 point("sliced_k_small", kSmall, 0.1)};
  return data;
}

TEST(BestTable, HasTheFastestVerifiedFloatRungOfEachSize) {
  const auto catalog = problem::load_catalog(tilestep::test::source_folder() / "kernels");
  ASSERT_TRUE(catalog) << catalog.error().message;
  const problem::BestTable table = best_table(measured(), *catalog);
  EXPECT_EQ(table.gpu, "Some GPU");
  EXPECT_EQ(table.sm_clock_mhz, 1980);
  ASSERT_EQ(table.winners.size(), 2U);
  EXPECT_EQ(table.winners[0].problem, kSmall);
  EXPECT_EQ(table.winners[0].kernel, "sliced_k_small");
  EXPECT_EQ(table.winners[0].runner_up, "");
  EXPECT_EQ(table.winners[0].cublas_ms, 0.0) << "not measured there";
  const problem::Winner& large = table.winners[1];
  EXPECT_EQ(large.kernel, "shared_last_wave")
      << "neither a wrong one, nor one of other arithmetic, nor one with BLOCK_SIZE";
  EXPECT_EQ(large.values, catalog->find("shared_last_wave")->values);
  EXPECT_DOUBLE_EQ(large.median_ms, 2.5);
  EXPECT_DOUBLE_EQ(large.q1_ms, 0.95 * 2.5);
  EXPECT_DOUBLE_EQ(large.q3_ms, 1.1 * 2.5);
  EXPECT_DOUBLE_EQ(large.cublas_ms, 3.0);
  EXPECT_EQ(large.runner_up, "shared_last_wave:BM=64:BN=128:TM=8");
  EXPECT_DOUBLE_EQ(large.runner_up_ms, 2.75);
}

}  // namespace
}  // namespace tilestep::timing
