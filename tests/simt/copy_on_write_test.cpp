// Copies share a value until one of them changes it; buffers keep what was written.
#include "simt/state/storage.h"

#include <gtest/gtest.h>

#include <vector>

namespace tilestep::simt {
namespace {

using Numbers = CopyOnWrite<std::vector<int>>;

TEST(CopyOnWrite, CopiesShareUntilOneChanges) {
  Numbers first(std::make_shared<std::vector<int>>(3, 7));
  Numbers second = first;
  EXPECT_EQ(first.get(), second.get());
  second.own()[1] = 8;
  EXPECT_EQ((*first)[1], 7);
  EXPECT_EQ((*second)[1], 8);
  EXPECT_FALSE(first == second);
  const std::vector<int>* const kept = second.get();
  second.own()[2] = 9;
  EXPECT_EQ(second.get(), kept) << "nobody else has it: no copy";
}

TEST(CopyOnWrite, OnlyTheLastOneGivesItsValueAway) {
  Numbers first(std::make_shared<std::vector<int>>(1, 5));
  Numbers second = first;
  EXPECT_EQ(first.release(), nullptr);
  EXPECT_FALSE(first);
  ASSERT_NE(second.release(), nullptr);
}

TEST(CopyOnWrite, AnAlignedBufferCopiesAllThatIsNotZero) {
  AlignedBuffer buffer(3 * 4096 + 100);
  EXPECT_EQ(buffer.size() % 64, 0U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64, 0U);
  buffer.data()[0] = std::byte{1};
  buffer.data()[2 * 4096 - 1] = std::byte{2};
  buffer.data()[buffer.size() - 1] = std::byte{3};
  AlignedBuffer copy(buffer);
  EXPECT_TRUE(std::ranges::equal(copy.bytes(), buffer.bytes()));
  copy.data()[0] = std::byte{9};
  EXPECT_EQ(buffer.data()[0], std::byte{1});
  copy = AlignedBuffer();
  EXPECT_EQ(copy.size(), 0U);
  EXPECT_TRUE(AlignedBuffer(copy).bytes().empty());
}

}  // namespace
}  // namespace tilestep::simt
