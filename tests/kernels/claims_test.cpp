// Claims of teaching texts about these kernels, as numbers counted from executed instructions.
// docs/reports/claims.md is the same as a table; its letters and numbers are the tests' names here.
#include "insight/check/check.h"
#include "insight/check/finding.h"
#include "simulated.h"
#include "tally.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace tilestep {
namespace {

using problem::Problem;
using testing::ElementsAre;
using Numbers = std::set<std::uint64_t>;

std::uint64_t product(int a, int b, int c = 1) {
  return static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b) *
         static_cast<std::uint64_t>(c);
}

int ceil_div(int a, int b) {
  return (a + b - 1) / b;
}

class Claim : public testing::Test {
 protected:
  insight::Counters count(const problem::Launch& launch) {
    return insight::count(simulated_.program(launch, compile::Build::Fast));
  }
  insight::Counters count(const char* kernel, Problem size, int block_size) {
    return count(test::launch_of(kernel, size, block_size));
  }
  // Loads of elements of A and B from global memory.
  std::uint64_t loads(const char* kernel, Problem size, int block_size) {
    const insight::Counters counters = count(kernel, size, block_size);
    return counters.buffers[0].loads + counters.buffers[1].loads;
  }
  test::Tally tally(const char* kernel, Problem size, int block_size) {
    return test::Tally(simulated_.program(kernel, size, block_size));
  }
  insight::CheckResult check(const problem::Launch& launch) {
    return insight::check(simulated_.program(launch, compile::Build::Fast),
                          {simt::ScheduleKind::Sequential});
  }

  test::Simulated simulated_;
};

// The catalog's description with another entry: the teaching text's version.
problem::Launch with_entry(const std::string& kernel, const std::string& entry, Problem size,
                           int block_size) {
  problem::LaunchSpec spec = *test::repository_catalog().find(kernel);
  spec.entry = entry;
  return *problem::evaluate(spec, {size, block_size}, {});
}

// A: the programming guide's example, explained from a 3×3 product on.

TEST_F(Claim, A1_NaiveReadsEachElementAsOftenAsTheMatrixIsWide) {
  const test::Tally counted = tally("single_block", {3, 3, 3}, 4);
  EXPECT_EQ(counted.reads_of_all(0), Numbers{3});
  EXPECT_EQ(counted.reads_of_all(1), Numbers{3});
}

TEST_F(Claim, A2_NeighboursReadTheSameRowOrTheSameColumn) {
  const test::Tally counted = tally("single_block", {3, 3, 3}, 4);
  EXPECT_THAT(counted.read_by(0, 0, 0), ElementsAre(0, 1, 2));  // thread (0,0): a11 a12 a13
  EXPECT_THAT(counted.read_by(0, 0, 1), ElementsAre(0, 3, 6));  //               b11 b21 b31
  EXPECT_THAT(counted.read_by(0, 1, 0), ElementsAre(0, 1, 2));  // thread (1,0): the same row
  EXPECT_THAT(counted.read_by(0, 1, 1), ElementsAre(1, 4, 7));
  EXPECT_THAT(counted.read_by(0, 3, 0), ElementsAre(3, 4, 5));  // thread (0,1): the same column
  EXPECT_THAT(counted.read_by(0, 3, 1), ElementsAre(0, 3, 6));
}

TEST_F(Claim, A3_WithSharedMemoryEachElementIsReadOnce) {
  const test::Tally counted = tally("single_block_shared", {3, 3, 3}, 4);
  EXPECT_EQ(counted.reads_of_all(0), Numbers{1});
  EXPECT_EQ(counted.reads_of_all(1), Numbers{1});
  EXPECT_EQ(counted.read_by(0, 4, 0).size() + counted.read_by(0, 4, 1).size(), 2U);
}

TEST_F(Claim, A4_OneBarrierARoundIsARace) {
  const insight::CheckResult result =
      check(test::launch_of("single_block_ktiles_missing_barrier", {3, 3, 9}, 3));
  ASSERT_FALSE(result.findings.empty());
  EXPECT_EQ(result.findings[0].kind, insight::FindingKind::SharedRace);
  EXPECT_EQ(result.comparison.wrong, 0U);  // one warp in lockstep: the slip never shows in C
}

TEST_F(Claim, A5_TheIndexIntoBIsRightOnlyWhileBIsAsWideAsASubMatrix) {
  const char* const kernel = "single_block_ktiles_wrong_b_index";
  EXPECT_EQ(check(test::launch_of(kernel, {3, 3, 9}, 3)).comparison.wrong, 0U);
  EXPECT_EQ(check(test::launch_of(kernel, {3, 2, 9}, 3)).comparison.wrong, 6U);
}

TEST_F(Claim, A6_TiledReadsEachElementOfAOnceForEachColumnOfBlocks) {
  const test::Tally even = tally("submatrix", {8, 12, 16}, 4);
  EXPECT_EQ(even.reads_of_all(0), Numbers{12 / 4});
  EXPECT_EQ(even.reads_of_all(1), Numbers{8 / 4});
  const test::Tally naive = tally("naive", {8, 12, 16}, 4);
  EXPECT_EQ(naive.reads_of_all(0), Numbers{12});
  EXPECT_EQ(naive.reads_of_all(1), Numbers{8});
}

TEST_F(Claim, A7_BlocksAreRoundedUp) {
  EXPECT_EQ(test::launch_of("submatrix", {8, 12, 16}, 4).grid.count(), (8U / 4) * (12U / 4));
  EXPECT_EQ(test::launch_of("tiled", {9, 13, 16}, 4).grid.count(), 3U * 4U);  // not 2·3
}

TEST_F(Claim, A8_SubMatricesAreCountedByStrideNotByWidth) {
  const char* const kernel = "submatrix_width_for_stride";  // rows padded to multiples of 32
  EXPECT_EQ(check(test::launch_of(kernel, {8, 8, 8}, 4)).comparison.wrong, 64U);
  EXPECT_EQ(check(test::launch_of(kernel, {32, 32, 32}, 8)).comparison.wrong, 0U);
}

// B: "SGEMM V1", whole strips in shared memory.

TEST_F(Claim, B1_NaiveReadsTwiceMNK) {
  for (const Problem size : {Problem{4, 4, 4}, Problem{5, 7, 9}}) {
    EXPECT_EQ(loads("naive", size, 2), 2 * product(size.M, size.N, size.K));
  }
}

TEST_F(Claim, B2_NaiveReadsAnElementOfANTimesAndOneOfBMTimes) {
  const test::Tally counted = tally("naive", {5, 7, 9}, 2);
  EXPECT_EQ(counted.reads_of_all(0), Numbers{7});
  EXPECT_EQ(counted.reads_of_all(1), Numbers{5});
}

// The text claims M·K + K·N. That is only one block's share: every block loads strips of its own.
TEST_F(Claim, B3_StripsAndTilesReadTheMatricesOnceForEachRowAndColumnOfBlocks) {
  for (const char* const kernel : {"full_strip", "sliding_window", "tiled", "samples_loop"}) {
    for (const Problem size : {Problem{4, 4, 4}, Problem{20, 24, 28}, Problem{5, 7, 9}}) {
      for (const int block_size : {2, 4, 8}) {
        const insight::Counters counters = count(kernel, size, block_size);
        EXPECT_EQ(counters.buffers[0].loads, product(ceil_div(size.N, block_size), size.M, size.K));
        EXPECT_EQ(counters.buffers[1].loads, product(ceil_div(size.M, block_size), size.K, size.N));
      }
    }
  }
  const Problem one{4, 4, 4};
  EXPECT_EQ(loads("full_strip", one, 4), product(4, 4) + product(4, 4));        // one block
  EXPECT_EQ(loads("full_strip", one, 2), 2 * (product(4, 4) + product(4, 4)));  // its own example
}

TEST_F(Claim, B4_AnElementIsReadOnceForEachBlockThatNeedsIt) {
  for (const char* const kernel : {"full_strip", "tiled"}) {
    const test::Tally counted = tally(kernel, {5, 7, 9}, 2);
    EXPECT_EQ(counted.reads_of_all(0), Numbers{4});  // ceil(7 / 2), not 1
    EXPECT_EQ(counted.reads_of_all(1), Numbers{3});  // ceil(5 / 2)
  }
}

TEST_F(Claim, B5_SharedMemoryIsReadTwiceMNKTimes_BlockSizeTimesAnElement) {
  const Problem size{8, 12, 16};
  const insight::Counters counters = count("full_strip", size, 4);
  EXPECT_EQ(counters.shared_loads.elements, 2 * product(size.M, size.N, size.K));
  const test::Tally counted = tally("full_strip", size, 4);
  EXPECT_EQ(counted.shared_reads(0), Numbers{4});
}

TEST_F(Claim, B6_AThreadLoadsEveryBlockSizethElementOfItsRow) {
  const test::Tally counted = tally("full_strip", {4, 4, 4}, 2);
  EXPECT_THAT(counted.read_by(0, 0, 0), ElementsAre(0, 2));  // A[0][0] and A[0][2], not all four
  EXPECT_THAT(counted.read_by(0, 0, 1), ElementsAre(0, 8));  // B[0][0] and B[2][0]
}

TEST_F(Claim, B7_GlobalReadsFallByBlockSizeNotByK) {
  const Problem size{32, 32, 64};
  for (const int block_size : {4, 8, 16}) {
    EXPECT_EQ(loads("naive", size, block_size),
              loads("full_strip", size, block_size) * static_cast<std::uint64_t>(block_size));
  }
}

TEST_F(Claim, B8_OneBarrierIsEnoughForStrips) {
  EXPECT_EQ(tally("full_strip", {4, 4, 4}, 2).barriers(0), 1);
  EXPECT_EQ(tally("tiled", {4, 4, 4}, 2).barriers(0), 2 * 2);
  EXPECT_EQ(tally("sliding_window", {4, 4, 8}, 2).barriers(0), 2 * 2);
}

TEST_F(Claim, B9_TheLimitCountsBothStrips) {
  const problem::LaunchSpec& spec = *test::repository_catalog().find("full_strip");
  const auto launch = [&](int K) { return problem::evaluate_shape(spec, {{16, 16, K}, 16}); };
  EXPECT_TRUE(launch(384));   // 2·16·384·4 = 49152 bytes
  ASSERT_FALSE(launch(385));  // although 16·385·4 = 24640 would fit
  EXPECT_THAT(launch(385).error().message,
              testing::HasSubstr(
                  "static arrays of a block get at most 49152. Choose a smaller K or BLOCK_SIZE"));
}

// The text's own template argument is K. Then threads beyond K store to the next row.
TEST_F(Claim, B10_KHasToBeRoundedUpOrStripsOverlap) {
  const insight::CheckResult result =
      check(with_entry("full_strip", "matmul_full_strip<BLOCK_SIZE, K>", {8, 8, 10}, 4));
  ASSERT_FALSE(result.findings.empty());
  EXPECT_EQ(result.findings[0].kind, insight::FindingKind::SharedRace);
  EXPECT_TRUE(
      check(with_entry("full_strip", "matmul_full_strip<BLOCK_SIZE, K>", {8, 8, 12}, 4)).clean());
}

// C: an exercise on the CUDA samples' loop.

TEST_F(Claim, C1_TwoLevelsOfIndicesGiveThePlaceInC) {
  constexpr int kN = 12;
  constexpr int kBlock = 4;
  constexpr std::uint32_t kX = 2;
  const test::Tally counted = tally("samples_loop", {8, kN, 8}, kBlock);
  const std::uint32_t block = 1 * (kN / kBlock) + kX;  // block (X, 1)
  const std::uint32_t thread = 2 * kBlock + 1;         // thread (1, 2)
  EXPECT_THAT(counted.stored_by(block, thread, 2),
              ElementsAre((1 * kN + kX) * kBlock + 2 * kN + 1));
}

TEST_F(Claim, C2_AThreadLoadsTwoElementsARound) {
  const test::Tally counted = tally("samples_loop", {8, 12, 16}, 4);
  EXPECT_EQ(counted.read_by(0, 5, 0).size(), 16U / 4);
  EXPECT_EQ(counted.read_by(0, 5, 1).size(), 16U / 4);
}

// Its loop runs while a < aEnd, and aEnd is the last column itself.
TEST_F(Claim, C3_TheLoopsEndLosesAColumnWhereBlockSizeDividesKMinusOne) {
  const auto wrong = [&](int K, int block_size) {
    const insight::CheckResult result =
        check(test::launch_of("samples_loop_lost_column", {8, 8, K}, block_size));
    EXPECT_TRUE(result.findings.empty());
    return result.comparison.wrong;
  };
  EXPECT_EQ(wrong(8, 4), 0U);
  EXPECT_EQ(wrong(10, 4), 0U);
  EXPECT_EQ(wrong(9, 4), 64U);
  EXPECT_EQ(wrong(1, 4), 64U);
  EXPECT_EQ(wrong(8, 1), 64U);
}

TEST_F(Claim, C4_WithoutBoundaryChecksThreadsReachOutOfTheMatrices) {
  std::set<std::string> reached;
  for (const auto& finding :
       check(test::launch_of("samples_loop_unchecked", {10, 10, 10}, 4)).findings) {
    if (finding.kind == insight::FindingKind::OutOfRange) {
      reached.insert(finding.variable);
    }
  }
  EXPECT_THAT(reached, ElementsAre("A", "B", "C"));
}

}  // namespace
}  // namespace tilestep
