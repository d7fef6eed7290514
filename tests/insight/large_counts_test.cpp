// Counts of launches too large to execute: reads as products, and samples of blocks.
#include "insight/count/block_sample.h"
#include "insight/count/cost.h"
#include "insight/count/profile.h"
#include "insight/count/representatives.h"
#include "insight/count/reuse.h"
#include "profiles.h"
#include "simulated.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace tilestep::insight {
namespace {

problem::Buffer matrix(int rows, int cols, int pitch) {
  problem::Buffer buffer;
  buffer.name = "A";
  buffer.rows = rows;
  buffer.cols = cols;
  buffer.pitch = pitch;
  return buffer;
}

// Compares with one count for each element.
void expect_same_reads(const problem::Buffer& buffer, const BlockMeter::Footprint& footprint,
                       const BlockRange& range) {
  ReadCounts counts(buffer);
  ReadProducts products(buffer);
  counts.add(footprint, range);
  products.add(footprint, range);
  EXPECT_EQ(counts.reuse().elements_by_reads, products.reuse().elements_by_reads);
  EXPECT_GT(products.reuse().elements(), 0U);
}

TEST(ReadProducts, AreWhatElementsWereRead) {
  BlockRange range;
  range.last = {2, 3};
  BlockMeter::Footprint tiles;
  // A tile of 2×4 that blocks move by rows (y), that each block in x reads again, and that
  // iterations move by its width.
  ElementMotion rows{{0, 2 * 20}, 5};
  rows.shift[kIterations] = 4;
  tiles[rows] = {{0, 4, 1}, {20, 4, 3}};
  expect_same_reads(matrix(10, 20, 20), tiles, range);
  // Columns, with an overlap from block to block, of a matrix with a pitch.
  BlockMeter::Footprint columns;
  columns[{{3, 0}, 1}] = {{1, 5, 2}, {25, 2, 1}, {49, 5, 2}};
  expect_same_reads(matrix(4, 20, 24), columns, range);
  // Backwards, and in two kinds of pieces.
  BlockMeter::Footprint backwards;
  backwards[{{-2, -24}, 1}] = {{24 * 3 + 6, 3, 1}};
  backwards[{{0, 24}, 1}] = {{0, 30, 1}};
  expect_same_reads(matrix(8, 24, 24), backwards, range);
}

TEST(ReadProducts, SayWhereReadsAreNone) {
  BlockRange range;
  range.last = {3};
  BlockMeter::Footprint diagonal;
  diagonal[{{25}, 1}] = {{20, 10, 1}};  // over the end of a row
  ReadProducts products(matrix(8, 24, 24));
  products.add(diagonal, range);
  EXPECT_EQ(products.reuse().elements(), 0U);
}

TEST(BlockAxes, CoverTheGridOnceHoweverTheyAreSplit) {
  BlockAxes axes({103, 5, 1});
  ASSERT_TRUE(axes.split(0, 12));
  EXPECT_FALSE(axes.split(0, 5));
  ASSERT_TRUE(axes.split(0, 4));
  ASSERT_TRUE(axes.split(1, 2));
  EXPECT_FALSE(axes.split(1, 2));
  std::multiset<std::pair<std::uint32_t, std::uint32_t>> blocks;
  std::size_t in_sets = 0;
  for (const BlockRange& range : axes.ranges()) {
    AxisPoint at = range.first;
    do {
      const problem::Dim3 block = axes.block_at(at);
      blocks.insert({block.x, block.y});
    } while (next_point(range, at));
    AxisPoint ones;
    ones.fill(1);
    for (const BlockSet& set : axes.sets(range, ones)) {
      in_sets += set.blocks();
    }
  }
  EXPECT_EQ(in_sets, blocks.size());
  EXPECT_EQ(blocks.size(), 103U * 5U);
  EXPECT_EQ(std::set(blocks.begin(), blocks.end()).size(), 103U * 5U);
  EXPECT_EQ(blocks.rbegin()->first, 102U);
}

class Sample : public testing::Test {
 protected:
  test::Simulated simulated_;
};

TEST_F(Sample, IsNearTheCountAndSaysHowNear) {
  test::OwnKernel own;
  own.source =
      "__global__ void kernel(const float* x, float* y) {\n"
      "  int n = 20 + blockIdx.x * 37 % 11 + (blockIdx.y == 0 ? 90 : 0);\n"
      "  float sum = 0.0f;\n"
      "  for (int k = 0; k < n; ++k) sum += x[k * 32 + threadIdx.x];\n"
      "  y[threadIdx.x] = sum;\n"
      "}\n";
  own.grid = {60, 20, 1};
  own.block = {32, 1, 1};
  own.buffers = {{"x", 32 * 130}, {"y", 32}};
  const auto program = simulated_.program(test::launch_of(own), compile::Build::Fast);
  Profile sample;
  ASSERT_TRUE(profile_by_sample(program, 30'000, sample, nullptr));
  const Profile all = profile(program, MethodChoice::AlwaysFull);
  EXPECT_EQ(sample.method, Method::Sample);
  EXPECT_LT(sample.blocks_executed, 250U);
  const auto expected = static_cast<double>(total_cost(*program, all).global_loads.sectors);
  const auto estimated = static_cast<double>(total_cost(*program, sample).global_loads.sectors);
  EXPECT_GT(sample.error, 0.0);
  EXPECT_LT(sample.error, 0.2);
  EXPECT_NEAR(estimated, expected, 1.5 * sample.error * expected);
  std::uint64_t blocks = 0;
  for (const BlockClass& c : sample.classes) {
    blocks += c.blocks;
  }
  EXPECT_EQ(blocks, 1200U);
}

// Each block alone, with iterations of its loop skipped.
TEST_F(Sample, OfAllBlocksIsTheCount) {
  test::OwnKernel own;
  own.source =
      "__global__ void kernel(const float* x, float* y) {\n"
      "  int n = 20 + (blockIdx.x * 37 + blockIdx.y * 2) % 11;\n"
      "  float sum = 0.0f;\n"
      "#pragma unroll 1\n"
      "  for (int k = 0; k < n; ++k) sum += x[k * 33 + threadIdx.x];\n"
      "  y[threadIdx.x] = sum;\n"
      "}\n";
  own.grid = {2, 2, 1};
  own.block = {48, 1, 1};
  own.buffers = {{"x", 33 * 130}, {"y", 48}};
  const auto program = simulated_.program(test::launch_of(own), compile::Build::Fast);
  Profile sample;
  ASSERT_TRUE(profile_by_sample(program, 1'000'000, sample, nullptr));
  EXPECT_EQ(sample.blocks_executed, 4U);
  const Profile all = profile(program, MethodChoice::AlwaysFull);
  const Cost some = total_cost(*program, sample);
  const Cost whole = total_cost(*program, all);
  EXPECT_EQ(some.instructions, whole.instructions);
  EXPECT_EQ(some.global_loads, whole.global_loads);
  EXPECT_EQ(some.global_stores, whole.global_stores);
}

// Its counts do not depend on contents, so none are needed.
TEST_F(Sample, OfProvedBlocksIsOneOnlyWhereAProofHolds) {
  test::OwnKernel own;
  own.grid = {4000, 1, 1};
  own.block = {64, 1, 1};
  own.buffers = {{"x", 1 << 20}, {"y", 64}};
  for (const bool depends : {false, true}) {
    own.source = std::string("__global__ void kernel(const float* x, float* y) {\n") +
                 "  int n = 2000 + blockIdx.x * blockIdx.x % 11;\n" +
                 (depends ? "  if (x[blockIdx.x] > 1.0f) n = 3;\n" : "") +
                 "  float sum = 0.0f;\n"
                 "#pragma unroll 1\n"
                 "  for (int k = 0; k < n; ++k) sum += x[k * 33 + threadIdx.x];\n"
                 "  y[threadIdx.x] = sum;\n"
                 "}\n";
    const auto program = simulated_.program(test::launch_of(own), compile::Build::Fast);
    const Profile sample = profile(program, MethodChoice::ProvedSample);
    EXPECT_EQ(sample.is_counted, !depends);
    EXPECT_TRUE(depends || sample.method == Method::Sample);
  }
}

// Most blocks do the same; the others are sampled, and the counts of the first stay exact.
TEST_F(Sample, TakesOnlyTheBlocksThatNothingIsProvedOf) {
  test::OwnKernel own;
  own.source =
      "__global__ void kernel(const float* x, float* y) {\n"
      "  int n = blockIdx.x < 3000 ? 500 : 400 + blockIdx.x * blockIdx.x % 13;\n"
      "  float sum = 0.0f;\n"
      "#pragma unroll 1\n"
      "  for (int k = 0; k < n; ++k) sum += x[k * 33 + threadIdx.x];\n"
      "  y[threadIdx.x] = sum;\n"
      "}\n";
  own.grid = {4000, 1, 1};
  own.block = {64, 1, 1};
  own.buffers = {{"x", 1 << 20}, {"y", 64}};
  const auto program = simulated_.program(test::launch_of(own), compile::Build::Fast);
  const Profile proved = profile(program, MethodChoice::QuickProof);
  ASSERT_FALSE(proved.is_counted);
  ASSERT_NE(proved.partial, nullptr);
  EXPECT_EQ(proved.partial->blocks, 3000U);
  const Profile sample =
      profile(program, MethodChoice::ProvedSample, nullptr, proved.partial.get());
  ASSERT_TRUE(sample.is_counted);
  EXPECT_EQ(sample.blocks_proved, 3000U);
  EXPECT_EQ(sample.classes.front().blocks, 3000U);
  std::uint64_t blocks = 0;
  for (const BlockClass& c : sample.classes) {
    blocks += c.blocks;
  }
  EXPECT_EQ(blocks, 4000U);
  const Profile all = profile(program, MethodChoice::AlwaysFull);
  const auto expected = static_cast<double>(total_cost(*program, all).global_loads.sectors);
  const auto estimated = static_cast<double>(total_cost(*program, sample).global_loads.sectors);
  EXPECT_LT(sample.error, 0.01);
  EXPECT_NEAR(estimated, expected, 1.5 * sample.error * expected + 1.0);
}

// The last block to arrive does more. No block that runs alone is the last.
TEST_F(Sample, SaysThatAnAtomicOperationAsksForOtherBlocks) {
  test::OwnKernel own;
  own.source =
      "__global__ void kernel(const float* x, float* y, int* arrived) {\n"
      "  __shared__ bool is_last;\n"
      "  int n = 400 + blockIdx.x * blockIdx.x % 13;\n"
      "  float sum = 0.0f;\n"
      "#pragma unroll 1\n"
      "  for (int k = 0; k < n; ++k) sum += x[k * 33 + threadIdx.x];\n"
      "  y[threadIdx.x] = sum;\n"
      "  __syncthreads();\n"
      "  if (threadIdx.x == 0) {\n"
      "    is_last = atomicAdd(arrived, 1) == gridDim.x - 1;\n"
      "  }\n"
      "  __syncthreads();\n"
      "  if (is_last) y[threadIdx.x] = 0.0f;\n"
      "}\n";
  own.grid = {4000, 1, 1};
  own.block = {64, 1, 1};
  own.buffers = {{"x", 1 << 20}, {"y", 64}, {"arrived", 1}};
  const auto program = simulated_.program(test::launch_of(own), compile::Build::Fast);
  EXPECT_FALSE(profile(program, MethodChoice::ProvedSample).is_counted);
  const Profile sample = profile(program, MethodChoice::WithoutProof);
  ASSERT_EQ(sample.method, Method::Sample);
  EXPECT_EQ(sample.atomic_line, 10U);
  const Cost all = total_cost(*program, profile(program, MethodChoice::AlwaysFull));
  const Cost some = total_cost(*program, sample);
  const auto loads = static_cast<double>(all.global_loads.sectors);
  EXPECT_NEAR(static_cast<double>(some.global_loads.sectors), loads, 1.5 * sample.error * loads);
  // A request of each of two warps, in each block; the last one's second store is missing.
  EXPECT_EQ(some.global_stores.requests, 8000U);
  EXPECT_EQ(all.global_stores.requests, 8002U);
}

// Followed contents end at a shortened loop: memory lacks its stores.
TEST_F(Sample, FollowsSharedMemoryOnlyUpToALoop) {
  test::OwnKernel own;
  own.source =
      "__global__ void kernel(const float* x, float* y, int* ticket) {\n"
      "  __shared__ volatile int rounds;\n"
      "  if (threadIdx.x == 0) rounds = atomicAdd(ticket, 0) + 100;\n"
      "  __syncthreads();\n"
      "  int n = rounds;\n"
      "  __syncthreads();\n"
      "  float sum = 0.0f;\n"
      "#pragma unroll 1\n"
      "  for (int k = 0; k < n; ++k) {\n"
      "    sum += x[k * 33 + threadIdx.x];\n"
      "    if (threadIdx.x == 0 && k < 60) rounds = k;\n"
      "  }\n"
      "  __syncthreads();\n"
      "  int m = rounds;\n"
      "  for (int k = 0; k < m; ++k) sum += x[k * 35 + threadIdx.x];\n"
      "  y[threadIdx.x] = sum;\n"
      "}\n";
  own.grid = {8000, 1, 1};
  own.block = {64, 1, 1};
  own.buffers = {{"x", 1 << 20}, {"y", 64}, {"ticket", 1}};
  const auto program = simulated_.program(test::launch_of(own), compile::Build::Fast);
  const Profile sample = profile(program, MethodChoice::WithoutProof);
  ASSERT_EQ(sample.method, Method::Sample);
  // 100 loads and 59 of each of two warps, in each block.
  EXPECT_EQ(total_cost(*program, sample).global_loads.requests, 8000U * 2 * 159);
}

// Stages 0, 1, 2 look like steady growth until they repeat.
TEST_F(Sample, ALoopOfThreeStagesIsCutShort) {
  test::OwnKernel own;
  own.source =
      "__global__ void kernel(const float* x, float* y) {\n"
      "  __shared__ float s[3][64];\n"
      "  int stage = 0;\n"
      "  float sum = 0.0f;\n"
      "#pragma unroll 1\n"
      "  for (int k = 0; k < 3000; ++k) {\n"
      "    s[stage][threadIdx.x] = x[k * 64 + threadIdx.x];\n"
      "    __syncthreads();\n"
      "    sum += s[stage][63 - threadIdx.x];\n"
      "    stage = stage + 1 == 3 ? 0 : stage + 1;\n"
      "  }\n"
      "  y[threadIdx.x] = sum;\n"
      "}\n";
  own.grid = {4, 1, 1};
  own.block = {64, 1, 1};
  own.buffers = {{"x", 3000 * 64}, {"y", 64}};
  const auto program = simulated_.program(test::launch_of(own), compile::Build::Fast);
  const Profile few = profile(program, MethodChoice::QuickProof);
  ASSERT_TRUE(few.is_counted) << few.why_full;
  EXPECT_LT(few.steps_executed, 2'000U);
  test::expect_same(few, profile(program, MethodChoice::AlwaysFull), *program);
}

// Few blocks show that all of them would be too many.
TEST_F(Sample, AProofThatWouldTakeTooLongIsGivenUpEarly) {
  const auto program = simulated_.program("naive_1d", {1001, 1001, 64}, 32, compile::Build::Fast);
  Profile quick;
  EXPECT_FALSE(profile_by_representatives(program, 1'000'000, quick, nullptr));
  EXPECT_EQ(quick.why_full, "too many blocks do something different");
  EXPECT_LT(quick.blocks_executed, 60U);
}

}  // namespace
}  // namespace tilestep::insight
