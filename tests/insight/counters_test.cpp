#include "insight/count/counters.h"

#include "insight/count/access_layout.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace tilestep::insight {
namespace {

constexpr std::uint64_t kA = simt::kGlobalWindow;
constexpr std::uint64_t kS = simt::kSharedWindow;

template <class Address>
simt::MemoryEvent access(std::uint32_t mask, std::uint32_t bytes, Address address) {
  simt::MemoryEvent event;
  event.mask = mask;
  event.bytes = bytes;
  for (std::uint32_t lane = 0; lane < simt::kWarpSize; ++lane) {
    event.addresses.set(lane, address(lane));
  }
  return event;
}

constexpr std::uint32_t kAll = ~0U;

TEST(Sectors, ContiguousFloatsTouchFour) {
  EXPECT_EQ(count_sectors(access(kAll, 4, [](auto lane) { return kA + 4 * lane; })), 4U);
}

TEST(Sectors, ContiguousFloatsOffASectorTouchFive) {
  EXPECT_EQ(count_sectors(access(kAll, 4, [](auto lane) { return kA + 4 + 4 * lane; })), 5U);
}

TEST(Sectors, OneAddressForAllIsOne) {
  EXPECT_EQ(count_sectors(access(kAll, 4, [](auto) { return kA + 100; })), 1U);
}

TEST(Sectors, AColumnTouchesOnePerLane) {
  EXPECT_EQ(count_sectors(access(kAll, 4, [](auto lane) { return kA + 256 * lane; })), 32U);
}

TEST(Sectors, MaskedLanesTouchNothing) {
  EXPECT_EQ(count_sectors(access(0x3, 4, [](auto lane) { return kA + 256 * lane; })), 2U);
}

TEST(Sectors, Float4LoadsTouchSixteen) {
  EXPECT_EQ(count_sectors(access(kAll, 16, [](auto lane) { return kA + 16 * lane; })), 16U);
}

// The counts of an H200, by Nsight Compute (docs/reports/counters.md).
TEST(Sectors, OfACopyThatPassesTheL1CacheByArePiecesOfSharedMemory) {
  const auto sectors = [](auto address) { return count_copy_sectors(access(kAll, 16, address)); };
  EXPECT_EQ(sectors([](auto lane) { return kS + 16 * lane; }), 16U);
  EXPECT_EQ(sectors([](auto lane) { return kS + 16 + 16 * lane; }), 20U) << "5 for 8 lanes";
  EXPECT_EQ(sectors([](auto lane) { return kS + 32 + 16 * lane; }), 16U);
  EXPECT_EQ(sectors([](auto lane) { return kS + 16 * (lane ^ 1U); }), 16U);
  EXPECT_EQ(sectors([](auto lane) { return kS + 32 * lane; }), 32U);
  EXPECT_EQ(count_copy_sectors(access(0x101, 16, [](auto lane) { return kS + lane; })), 2U);
}

TEST(Wavefronts, ARowIsOne) {
  EXPECT_EQ(count_wavefronts(access(kAll, 4, [](auto lane) { return kS + 4 * lane; })), 1U);
}

TEST(Wavefronts, ABroadcastIsOne) {
  EXPECT_EQ(count_wavefronts(access(kAll, 4, [](auto) { return kS + 64; })), 1U);
}

// A column of a BLOCK_SIZE×BLOCK_SIZE tile: the transposed kernel's conflict.
TEST(Wavefronts, AColumnConflictsByItsPitch) {
  const auto column = [](std::uint32_t block_size) {
    return count_wavefronts(access(kAll, 4, [block_size](std::uint32_t lane) {
      return kS + 4ULL * ((lane % block_size) * block_size + lane / block_size);
    }));
  };
  EXPECT_EQ(column(4), 1U);
  EXPECT_EQ(column(8), 2U);
  EXPECT_EQ(column(16), 8U);
  EXPECT_EQ(column(32), 32U);
}

TEST(Wavefronts, OneColumnOfPaddingRemovesThem) {
  EXPECT_EQ(count_wavefronts(access(kAll, 4, [](auto lane) { return kS + 4 * 33 * lane; })), 1U);
}

TEST(Wavefronts, SixtyFourBitRowsTakeTwoAnd128BitRowsFour) {
  EXPECT_EQ(count_wavefronts(access(kAll, 8, [](auto lane) { return kS + 8 * lane; })), 2U);
  EXPECT_EQ(count_wavefronts(access(kAll, 16, [](auto lane) { return kS + 16 * lane; })), 4U);
}

TEST(Wavefronts, BytesOfOneWordShareAPass) {
  EXPECT_EQ(count_wavefronts(access(kAll, 1, [](auto lane) { return kS + lane; })), 1U);
}

// The rule was found on an H200 (docs/reports/counters.md): quarters of a half warp are served
// together if neighbors, or lanes at distance two, have one address.
TEST(Wavefronts, WideAccessesOfSharedAddressesGoTogether) {
  const auto count = [](std::uint32_t bytes, auto address) {
    return count_wavefronts(access(kAll, bytes, address));
  };
  EXPECT_EQ(count(16, [](auto) { return kS; }), 2U);                       // one for each half
  EXPECT_EQ(count(16, [](auto lane) { return kS + lane % 2 * 16; }), 2U);  // lane xor 2
  EXPECT_EQ(count(16, [](auto lane) { return kS + lane / 2 * 16; }), 2U);  // xor 1, 8 in a half
  EXPECT_EQ(count(16, [](auto lane) { return kS + lane / 4 * 16; }), 2U);  // xor 1, 4 in a half
  EXPECT_EQ(count(16, [](auto lane) { return kS + lane % 4 * 16; }), 4U);  // neither
  EXPECT_EQ(count(8, [](auto) { return kS; }), 1U);
  EXPECT_EQ(count(8, [](auto lane) { return kS + lane % 4 * 8; }), 2U);
}

// The cache returns the same as counting from scratch, whatever it returned before.
TEST(ShapeCache, AnswersAsCountingDoes) {
  ptx::Module module;
  module.functions.resize(1);
  module.functions[0].instructions.resize(3);
  ShapeCache cache(module);
  std::mt19937 random(7);
  const auto pick = [&](std::uint32_t below) {
    return static_cast<std::uint32_t>(random() % below);
  };
  for (int round = 0; round < 20000; ++round) {
    simt::StepInfo info;
    info.pc = pick(3);
    const std::uint32_t bytes = 1U << pick(5);
    const std::uint64_t base = kA + 4096 + std::uint64_t{pick(64)} * bytes;
    const std::uint32_t pitch = pick(4) * 16;
    const std::uint32_t mask = pick(2) == 0 ? kAll : 1U | static_cast<std::uint32_t>(random());
    const bool scattered = pick(4) == 0;
    const auto event = access(mask, bytes, [&](std::uint32_t lane) {
      return base +
             (scattered ? std::uint64_t{pick(100)} : std::uint64_t{lane / 8 * pitch + lane % 8}) *
                 bytes;
    });
    Shape& shape = cache.find(info, event);
    ASSERT_EQ(ShapeCache::sectors(shape, event), count_sectors(event));
    ASSERT_EQ(shape.wavefronts, count_wavefronts(event));
    std::set<std::uint64_t> words;
    std::set<std::uint64_t> in_runs;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      for (std::uint64_t byte = 0; ((mask >> lane) & 1U) != 0 && byte < bytes; ++byte) {
        words.insert((event.addresses[lane] + byte) / 4);
      }
    }
    for (const WordRun& run : shape.runs) {
      for (std::uint32_t i = 0; i < run.count; ++i) {
        const std::uint64_t word =
            first_address(event) / 4 + static_cast<std::uint64_t>(run.first) + i;
        ASSERT_TRUE(in_runs.insert(word).second);
        if (!run.many) {
          const std::uint32_t lane = run.first_lane + i / shape.words_per_lane;
          ASSERT_LE(event.addresses[lane] / 4, word);
          ASSERT_GE((event.addresses[lane] + bytes - 1) / 4, word);
        }
      }
    }
    ASSERT_EQ(words, in_runs);
  }
}

}  // namespace
}  // namespace tilestep::insight
