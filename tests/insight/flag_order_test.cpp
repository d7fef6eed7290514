// Order of the warps of one block without a barrier: flags in its shared memory.
#include "check_fixture.h"
#include "insight/check/order.h"

#include <gmock/gmock.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tilestep::insight {
namespace {

using testing::HasSubstr;

constexpr std::uint32_t kFlagThreads = 64;
constexpr std::uint64_t kFlagWord = 0x40;

// Thread 0 was ordered up to `tick`, no other thread was.
ThreadClock clock_of_thread_0(std::uint32_t tick) {
  std::vector<std::uint32_t> ticks(kFlagThreads);
  ticks[0] = tick;
  return std::make_shared<const std::vector<std::uint32_t>>(std::move(ticks));
}

TEST(FlagOrder, NothingIsOrderedBeforeAnythingIsReleased) {
  const FlagOrder order;
  EXPECT_EQ(order.unordered(3, 0, 0b11, 40), 0b11U);
  EXPECT_EQ(order.seen(1, ~0U), nullptr);
}

TEST(FlagOrder, WhoSeesAReleaseComesAfterWhatWasDoneBeforeIt) {
  FlagOrder order;
  order.release(kFlagWord, clock_of_thread_0(5), true);
  order.observe(1, 8, kFlagWord);  // thread 40
  EXPECT_EQ(order.unordered(4, 0, 0b11, 40), 0b10U) << "thread 1 released nothing";
  EXPECT_EQ(order.unordered(5, 0, 0b01, 40), 0b01U) << "done after the release";
  EXPECT_EQ(order.unordered(4, 0, 0b01, 41), 0b01U) << "thread 41 has not looked";
  order.observe(1, 9, kFlagWord + 4);
  EXPECT_EQ(order.unordered(4, 0, 0b01, 41), 0b01U) << "another word";
}

TEST(FlagOrder, AStoreReplacesWhatWasReleasedAndAnAtomicAddsToIt) {
  std::vector<std::uint32_t> ticks(kFlagThreads);
  ticks[1] = 9;
  const auto of_thread_1 = std::make_shared<const std::vector<std::uint32_t>>(ticks);
  for (const bool replaces : {false, true}) {
    FlagOrder order;
    order.release(kFlagWord, clock_of_thread_0(5), true);
    order.release(kFlagWord, of_thread_1, replaces);
    order.observe(1, 0, kFlagWord);
    EXPECT_EQ(order.unordered(4, 0, 0b11, 32), replaces ? 0b01U : 0b00U);
  }
}

TEST(FlagOrder, LanesThatMeetKnowWhatEachOfThemHasSeen) {
  FlagOrder order;
  order.release(kFlagWord, clock_of_thread_0(5), true);
  order.observe(1, 8, kFlagWord);
  order.meet(1, 0b1'0000'0001);
  EXPECT_EQ(order.unordered(4, 0, 0b01, 32), 0U);
  EXPECT_EQ(order.unordered(4, 0, 0b01, 33), 0b01U) << "it was not there";
  order.clear();
  EXPECT_EQ(order.unordered(4, 0, 0b01, 32), 0b01U);
}

TEST(FlagOrder, AFenceCoversWhatTheThreadKnewThen) {
  FlagOrder order;
  EXPECT_EQ(order.fenced(0), nullptr);
  order.fence(0, clock_of_thread_0(5));
  ASSERT_NE(order.fenced(0), nullptr);
  EXPECT_EQ(order.fenced(0)->front(), 5U);
}

// Warp 0 stores s, warp 1 waits for a flag and reads it.
class WarpsInOrder : public Check {
 protected:
  std::vector<std::string> found(const std::string& before_send, const std::string& send,
                                 const std::string& wait) {
    const std::string source =
        "__global__ void kernel(float* out) {\n"
        "  __shared__ float s[32];\n"
        "  __shared__ int flag;\n"
        "  int t = threadIdx.x;\n"
        "  if (t == 0) flag = 0;\n"
        "  __syncthreads();\n"
        "  if (t < 32) {\n"
        "    s[t] = t;\n" +
        before_send + "    __syncwarp();\n    if (t == 0) { " + send +
        " }\n  } else {\n    if (t == 32) { " + wait +
        " }\n    __syncwarp();\n    out[t - 32] = s[t - 32];\n  }\n}\n";
    return sentences(check_source(source, {{"out", 32}}, {64, 1, 1}));
  }
  static constexpr const char* kFence = "    __threadfence_block();\n";
  static constexpr const char* kWait = "while (atomicAdd(&flag, 0) == 0) {}";
};

TEST_F(WarpsInOrder, AFlagInSharedMemoryOrdersWhatIsFencedBeforeIt) {
  EXPECT_THAT(found(kFence, "__threadfence_block(); atomicExch(&flag, 1);", kWait),
              testing::IsEmpty());
}

TEST_F(WarpsInOrder, WithoutAFenceOrAWaitThereIsARace) {
  EXPECT_THAT(found("", "atomicExch(&flag, 1);", kWait), testing::Not(testing::IsEmpty()));
  EXPECT_THAT(found(kFence, "__threadfence_block(); atomicExch(&flag, 1);", ""),
              testing::Contains(HasSubstr("no barrier orders the two")));
}

}  // namespace
}  // namespace tilestep::insight
