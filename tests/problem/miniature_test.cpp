#include "problem/launch/launch.h"

#include <gtest/gtest.h>

#include <limits>

namespace tilestep::problem {
namespace {

TEST(Miniature, HasTwoTilesAndTheSameEdges) {
  EXPECT_EQ(miniature({1024, 1024, 1024}, 16), (Problem{32, 32, 32}));
  EXPECT_EQ(miniature({1000, 1000, 1000}, 16), (Problem{24, 24, 24}));
  EXPECT_EQ(miniature({4096, 512, 1000}, 32), (Problem{64, 64, 40}));
  EXPECT_EQ(miniature({1024, 1024, 1024}, 13), (Problem{23, 23, 23}));
}

TEST(Miniature, OfSmallBlocksHasMoreOfThem) {
  EXPECT_EQ(miniature({4096, 4096, 4096}, 1), (Problem{8, 8, 8}));
  EXPECT_EQ(miniature({4096, 4096, 4096}, 3), (Problem{10, 10, 10}))
      << "4096 is 1 more than 1365·3";
}

TEST(Miniature, IsNeverLarger) {
  EXPECT_EQ(miniature({3, 9, 1}, 16), (Problem{3, 9, 1}));
  for (int size = 1; size <= 300; ++size) {
    for (int block_size = 1; block_size <= 32; ++block_size) {
      const int small = miniature({size, size, size}, block_size).M;
      ASSERT_GE(small, 1);
      ASSERT_LE(small, size);
      ASSERT_LE(small, 64);
      ASSERT_EQ(small % block_size, size % block_size);
    }
  }
}

TEST(Miniature, OfAKernelWithoutBlockSize_IsThatOfSingleElements) {
  EXPECT_EQ(miniature({4096, 5, 1000}, 0), (Problem{8, 5, 8}));
  EXPECT_EQ(miniature({4096, 4096, 4096}, -3), (Problem{8, 8, 8}));
}

TEST(Miniature, OfTheLargestSize_DoesNotOverflow) {
  const int largest = std::numeric_limits<int>::max();
  EXPECT_EQ(miniature({largest, largest, largest}, 32).M, 63);
}

}  // namespace
}  // namespace tilestep::problem
