// `tilestep occupancy`: rows for BLOCK_SIZEs, as text and JSON.
#include "cli/occupancy_command.h"
#include "cli/output.h"
#include "support/catalog_launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tilestep::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

class OccupancyOf : public testing::Test {
 protected:
  void SetUp() override {
    if (!compiler_.nvrtc().found) {
      GTEST_SKIP() << compiler_.nvrtc().why_not;
    }
  }

  OccupancyReport report(const problem::LaunchSpec& spec, const std::vector<int>& block_sizes,
                         int architecture = 90) {
    auto made = occupancy_report(compiler_, spec, {64, 64, 64}, block_sizes,
                                 *insight::find_architecture(architecture));
    EXPECT_TRUE(made) << (made ? "" : made.error().message);
    return std::move(*made);
  }
  OccupancyReport report(const std::string& kernel, const std::vector<int>& block_sizes,
                         int architecture = 90) {
    return report(*test::repository_catalog().find(kernel), block_sizes, architecture);
  }

  compile::Compiler compiler_{compile::CacheOptions{}};
};

TEST_F(OccupancyOf, TheTiledKernelIsToldForEachBlockSize) {
  const OccupancyReport printed = report("tiled", {3, 16, 32});
  ASSERT_EQ(printed.rows.size(), 3U);
  EXPECT_EQ(printed.rows[0].occupancy.needs.threads, 9);
  EXPECT_EQ(printed.rows[0].occupancy.idle_lanes(), 23);
  EXPECT_EQ(printed.rows[0].occupancy.blocks, 32);
  EXPECT_EQ(printed.rows[1].static_shared_bytes, 2 * 16 * 16 * 4);
  EXPECT_EQ(printed.rows[2].static_shared_bytes, 2 * 32 * 32 * 4);
  const std::string text = occupancy_text(printed);
  EXPECT_THAT(text,
              StartsWith("tiled  64×64×64  machine code for compute capability 9.0 (Hopper)"));
  EXPECT_THAT(text, HasSubstr("1 (23 idle)"));
  EXPECT_THAT(text, HasSubstr("Limited by blocks (an SM holds at"));
}

TEST_F(OccupancyOf, JsonHasEveryLimit) {
  const json printed = occupancy_json(report("naive", {8}, 75));
  EXPECT_EQ(printed["schema"], "tilestep-occupancy");
  EXPECT_EQ(printed["version"], 1);
  EXPECT_EQ(printed["architecture"]["compute_capability"], "7.5");
  const json& row = printed["rows"][0];
  EXPECT_EQ(row["block_size"], 8);
  EXPECT_EQ(row["threads"], 64);
  EXPECT_EQ(row["warps_of_block"], 2);
  EXPECT_EQ(row["static_shared_bytes"], 0);
  EXPECT_GT(row["registers"], 0);
  EXPECT_EQ(row["blocks_by_limit"]["warps"], 16);
  EXPECT_EQ(row["blocks_by_limit"]["blocks"], 16);
  EXPECT_TRUE(row["blocks_by_limit"]["shared memory"].is_null());  // the kernel uses none
  EXPECT_EQ(row["occupancy"], 1.0);
}

TEST_F(OccupancyOf, ALaunchThatDoesNotExistIsARowWithItsReason) {
  const OccupancyReport printed = report("register_tile_vectorised", {3, 4});
  EXPECT_THAT(printed.rows[0].why_not, HasSubstr("BLOCK_SIZE must be a multiple of 4"));
  EXPECT_EQ(printed.rows[1].why_not, "");
  EXPECT_THAT(occupancy_text(printed), HasSubstr("multiple of 4"));
  EXPECT_THAT(occupancy_json(printed)["rows"][0]["error"], HasSubstr("multiple of 4"));
}

TEST_F(OccupancyOf, WhatTheArchitectureCannotDoIsTheCompilersSentence) {
  const OccupancyReport printed = report("double_buffered", {16}, 75);
  EXPECT_THAT(printed.rows[0].why_not, HasSubstr("requires .target sm_80 or higher"));
}

problem::LaunchSpec own(const std::string& source) {
  problem::LaunchSpec spec;
  spec.id = "own";
  spec.source_name = "own.cu";
  spec.source = source;
  spec.entry = "k<BLOCK_SIZE>";
  spec.block = {"BLOCK_SIZE", "BLOCK_SIZE", "1"};
  return spec;
}

TEST_F(OccupancyOf, TooManyThreadsOrTooMuchSharedMemoryIsSaid) {
  const std::string text =
      "template <int B> __global__ void k(float* a) {"
      "  __shared__ float s[64 * B * B]; s[threadIdx.x] = a[0]; __syncthreads();"
      "  a[0] = s[threadIdx.y]; }";
  const OccupancyReport printed = report(own(text), {8, 16, 33});
  EXPECT_EQ(printed.rows[0].why_not, "");
  EXPECT_EQ(printed.rows[0].occupancy.needs.shared_bytes, 16384);
  EXPECT_THAT(printed.rows[1].why_not,
              HasSubstr("65536 bytes of shared memory per block, but at most 49152 are allowed"));
  EXPECT_THAT(printed.rows[2].why_not, HasSubstr("has 1089 threads"));
}

TEST_F(OccupancyOf, DynamicSharedMemoryCounts) {
  problem::LaunchSpec spec =
      own("template <int B> __global__ void k(float* a) { extern __shared__ float s[];"
          "  s[threadIdx.x] = a[0]; __syncthreads(); a[0] = s[threadIdx.y]; }");
  spec.dynamic_shared_bytes = "102400";
  const OccupancyReport fits = report(spec, {8}, 90);
  EXPECT_EQ(fits.rows[0].dynamic_shared_bytes, 102400);
  EXPECT_EQ(fits.rows[0].occupancy.blocks, 2);
  const OccupancyReport does_not = report(spec, {8}, 86);
  EXPECT_EQ(does_not.rows[0].occupancy.blocks, 0);
  EXPECT_THAT(occupancy_text(does_not),
              HasSubstr("The kernel cannot run: a block needs 102400 bytes"));
}

TEST(OccupancyArchitecture, IsReadInThreeSpellings) {
  for (const char* spelled : {"12.0", "120", "sm_120"}) {
    const auto sm = parse_architecture(spelled);
    ASSERT_TRUE(sm) << spelled;
    EXPECT_EQ((*sm)->number, 120);
  }
  const auto none = parse_architecture("6.1");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("--arch 6.1: choose"));
  EXPECT_THAT(none.error().message, HasSubstr("9.0"));
}

TEST(Table, ALastColumnOfSentencesStandsLeft) {
  Table table({"n", "x", "why"}, Table::Last::Sentence);
  table.add({"1", "1,000", "short"});
  table.add({"10", "2", "a longer one"});
  EXPECT_EQ(table.text(), "  n       x  why\n  1   1,000  short\n  10      2  a longer one\n");
}

}  // namespace
}  // namespace tilestep::cli
