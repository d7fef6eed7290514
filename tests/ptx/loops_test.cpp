// Loops of machine code, assembled bit by bit in the layout of ptx/sass/decode.h.
#include "ptx/sass/loops.h"

#include <gtest/gtest.h>

#include <cstring>

namespace tilestep::ptx {
namespace {

constexpr std::uint64_t kFfmaCode = 0x223;
constexpr std::uint64_t kHmmaCode = 0x23c;
constexpr std::uint64_t kLdgCode = 0x981;
constexpr std::uint64_t kLdsCode = 0x984;
constexpr std::uint64_t kBarCode = 0xb1d;
constexpr std::uint64_t kBraCode = 0x947;
constexpr std::uint64_t kNoBoard = 7;

struct Schedule {
  std::uint64_t stall = 1;
  std::uint64_t result_board = kNoBoard;
  std::uint64_t wanted_boards = 0;
};

class Code {
 public:
  explicit Code(int architecture) { kernel_.architecture = architecture; }

  Code& add(std::uint64_t code, Schedule s) {
    return put(code,
               s.stall << 41U | s.result_board << 46U | kNoBoard << 49U | s.wanted_boards << 52U);
  }
  Code& back_to(std::int64_t target, std::uint64_t stall) {
    const std::int64_t here = static_cast<std::int64_t>(kernel_.code.size()) / 16;
    auto offset = static_cast<std::uint64_t>((target - here - 1) * 4);
    std::uint64_t low = kBraCode;
    if (kernel_.architecture >= 90) {
      low |= (offset & 0xffU) << 16U;
      offset = static_cast<std::uint64_t>(static_cast<std::int64_t>(offset) >> 8);
    }
    return put(low | offset << 34U,
               (offset >> 30U & 0x3ffffU) | stall << 41U | kNoBoard << 46U | kNoBoard << 49U);
  }
  [[nodiscard]] std::vector<SassLoop> loops() const { return read_loops(kernel_); }

 private:
  Code& put(std::uint64_t low, std::uint64_t high) {
    const std::size_t at = kernel_.code.size();
    kernel_.code.resize(at + 16);
    std::memcpy(&kernel_.code[at], &low, sizeof low);
    std::memcpy(&kernel_.code[at + sizeof low], &high, sizeof high);
    return *this;
  }

  CubinKernel kernel_;
};

TEST(SassLoops, AWarpWaitsForItsLoadAndForFixedLatencies) {
  for (const int architecture : {80, 90}) {
    SCOPED_TRACE(architecture);
    Code code(architecture);
    code.add(kFfmaCode, {}).add(kLdgCode, {1, 0, 0}).add(kFfmaCode, {4, kNoBoard, 1});
    const auto loops = code.back_to(1, 5).loops();
    ASSERT_EQ(loops.size(), 1U);
    EXPECT_EQ(loops[0].first, 1U);
    EXPECT_EQ(loops[0].last, 3U);
    EXPECT_EQ(loops[0].instructions, 3U);
    EXPECT_EQ(loops[0].ffma, 1U);
    EXPECT_EQ(loops[0].global_loads, 1U);
    EXPECT_NEAR(loops[0].waits, 1.0, 1e-9);
    EXPECT_NEAR(loops[0].clocks, 4.0 + 5.0, 1e-9);
  }
}

TEST(SassLoops, LoadsThatAreUnderWayTogetherAreOneWait) {
  Code code(90);
  code.add(kLdgCode, {1, 0, 0}).add(kLdgCode, {1, 1, 0}).add(kLdgCode, {1, 2, 0});
  code.add(kFfmaCode, {4, kNoBoard, 0b111});
  EXPECT_NEAR(code.back_to(0, 5).loops().at(0).waits, 1.0, 1e-9);
  Code chain(90);
  chain.add(kLdgCode, {1, 0, 0}).add(kLdgCode, {1, 1, 1}).add(kFfmaCode, {4, kNoBoard, 0b10});
  EXPECT_NEAR(chain.back_to(0, 5).loops().at(0).waits, 2.0, 1e-9);
}

TEST(SassLoops, SharedMemoryIsWaitedForButIsNoWaitForGlobalMemory) {
  Code code(90);
  code.add(kLdsCode, {2, 0, 0}).add(kFfmaCode, {4, kNoBoard, 1});
  const SassLoop loop = code.back_to(0, 5).loops().at(0);
  EXPECT_NEAR(loop.waits, 0.0, 1e-9);
  EXPECT_NEAR(loop.clocks, 23.0 + 4.0 + 5.0, 1e-9);
}

TEST(SassLoops, ProductsOfMatricesWaitForTheTensorCore) {
  Code code(90);
  code.add(kHmmaCode, {1}).add(kFfmaCode, {1}).add(kHmmaCode, {1});
  const SassLoop loop = code.back_to(0, 5).loops().at(0);
  EXPECT_EQ(loop.matrix_products, 2U);
  EXPECT_EQ(loop.registers.matrix_products, 2U);
  EXPECT_EQ(loop.registers.products, 1U);
  EXPECT_NEAR(loop.clocks, 2 * kClocksOfMatrixProduct, 1e-9)
      << "8 instructions' clocks fit in there";
}

TEST(SassLoops, ALoopAroundAnotherHasWhatIsItsOwn) {
  Code code(90);
  code.add(kLdgCode, {1, 0, 0}).add(kBarCode, {2, kNoBoard, 1});
  code.add(kFfmaCode, {4, kNoBoard, 0}).back_to(2, 5);
  code.add(kBarCode, {2, kNoBoard, 0}).back_to(0, 5);
  const auto loops = code.loops();
  ASSERT_EQ(loops.size(), 2U);
  EXPECT_FALSE(loops[0].is_innermost);
  EXPECT_EQ(loops[0].instructions, 4U);
  EXPECT_EQ(loops[0].barriers, 2U);
  EXPECT_EQ(loops[0].ffma, 0U);
  EXPECT_TRUE(loops[1].is_innermost);
  EXPECT_EQ(loops[1].ffma, 1U);
}

}  // namespace
}  // namespace tilestep::ptx
