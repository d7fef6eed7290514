// Expressions about one SM in time.
#include "asking.h"
#include "course/asked.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilestep::course {
namespace {

using testing::HasSubstr;

constexpr const char* kBigTiled = "#kernel=tiled&M=1024&N=1024&K=1024&block_size=16";
constexpr const char* kBigNaive = "#kernel=naive&M=1024&N=1024&K=1024&block_size=16";
constexpr const char* kSmallTiles = "#kernel=tiled&M=512&N=512&K=512&block_size=8";
constexpr const char* kLoneBlock = "#kernel=tiled&M=8&N=8&K=64&block_size=8";

class AskedClock : public testing::Test {
 protected:
  static std::string ask(const char* launch, const std::string& text) {
    static Asking one;
    return one.ask(launch, text);
  }
};

// 4,096 blocks of 8 warps for 132 SMs: 32 blocks on the busiest, 8 of them at once.
TEST_F(AskedClock, AnSmHasItsShareOfTheBlocks) {
  EXPECT_EQ(ask(kBigTiled, "sm(warps)"), "64");
  EXPECT_EQ(ask(kBigTiled, "sm(all_warps)"), "256");
  EXPECT_EQ(ask(kBigTiled, "sm(instructions) % 256"), "0");
  EXPECT_EQ(ask(kLoneBlock, "sm(all_warps)"), "2");
}

TEST_F(AskedClock, AMultiplyAddTakesAsLongAsTheCompilerWaitsForIt) {
  EXPECT_EQ(ask(kBigTiled, "latency(ffma)"), "4");
}

// A wrong answer is explained by what the question asks for.
TEST(ClockWords, NameWhatEveryExpressionGives) {
  EXPECT_EQ(clock_words("sm", "clocks"), "the number of clocks that one SM takes");
  EXPECT_EQ(clock_words("measured_sm", "barrier"),
            "the share of its time in which a warp waits at a barrier, in percent");
  EXPECT_EQ(clock_words("latency", "l2"),
            "the number of clocks from a load to its result if L2 has the data");
  EXPECT_NE(clock_words("latency", "ffma"), "");
  EXPECT_EQ(clock_words("measured_wave_clocks", "4"),
            "the number of clocks that 4 blocks at once take on one SM");
  EXPECT_EQ(clock_words("sm", "speed"), "");
  EXPECT_EQ(clock_words("loads", "A"), "");
}

TEST_F(AskedClock, TheEstimateIsNearTheMeasurement) {
  EXPECT_EQ(ask(kBigTiled, "abs(sm(clocks) / measured_sm(clocks) - 1) < 0.15"), "yes");
  EXPECT_EQ(ask(kBigNaive, "abs(sm(clocks) / measured_sm(clocks) - 1) < 0.15"), "yes");
  EXPECT_EQ(ask(kBigNaive, "abs(sm(issue_slots) - measured_sm(issue_slots)) < 5"), "yes");
  EXPECT_EQ(ask(kBigTiled, "abs(sm(instructions) / measured_sm(instructions) - 1) < 0.05"), "yes");
  EXPECT_EQ(ask(kSmallTiles, "abs(wave_clocks(4) / measured_wave_clocks(4) - 1) < 0.15"), "yes");
}

TEST_F(AskedClock, SharesArePercentagesOfTheSameWhole) {
  EXPECT_EQ(
      ask(kBigTiled, "abs(sm(issue_slots) - 100 * sm(instructions) / (4 * sm(clocks))) < 0.000001"),
      "yes");
  EXPECT_EQ(ask(kBigTiled, "abs(sm(data_stage) - 100 * sm(passes) / sm(clocks)) < 0.000001"),
            "yes");
  for (const char* const of : {"sm", "measured_sm"}) {
    std::string sum = "0";
    for (const auto& word : kWords<clock::WarpState>) {
      sum += " + " + std::string(of) + "(" + std::string(word.file) + ")";
    }
    EXPECT_EQ(ask(kBigNaive, "round(" + sum + ", 6)"), "100") << of;
  }
  EXPECT_EQ(ask(kBigTiled, "sm(l1_hits) < 5"), "yes");
  EXPECT_EQ(ask(kBigNaive, "sm(l1_hits) > 80"), "yes");
  EXPECT_EQ(ask(kBigTiled, "sm(barrier) > 5"), "yes");
  EXPECT_EQ(ask(kBigNaive, "sm(barrier)"), "0");
}

// A launch begins with an empty L2, a wave with a full one.
TEST_F(AskedClock, AWaveFindsTheMatricesInL2) {
  EXPECT_EQ(ask(kLoneBlock, "sm(clocks) > wave_clocks(1) + latency(dram) - latency(l2)"), "yes");
}

TEST_F(AskedClock, MeasuredNumbersAreThoseOfTheFile) {
  EXPECT_EQ(ask(kBigTiled, "measured_sm(clocks)"), "538,585");
  EXPECT_EQ(ask(kBigNaive, "measured_sm(clocks)"), "782,089");
  EXPECT_EQ(ask(kBigNaive, "round(measured_sm(issue_slots))"), "37");
  EXPECT_EQ(ask(kSmallTiles, "measured_wave_clocks(2)"), "31,179");
}

TEST_F(AskedClock, LatenciesIncludeTheQueue) {
  EXPECT_EQ(ask(kBigTiled, "latency(shared)"), "23");
  EXPECT_EQ(ask(kBigTiled, "latency(l1)"), "39");
  EXPECT_EQ(ask(kBigTiled, "latency(l2)"), "291");
  EXPECT_EQ(ask(kBigTiled, "latency(dram)"), "691");
}

TEST_F(AskedClock, WhatHasNoValueIsSaid) {
  EXPECT_THAT(ask(kBigTiled, "sm(speed)"), HasSubstr("Unknown name 'speed': write clocks,"));
  EXPECT_THAT(ask(kBigTiled, "measured_sm(passes)"), HasSubstr("Unknown name 'passes'"));
  EXPECT_THAT(ask(kBigTiled, "latency(l3)"), HasSubstr("write shared, l1, l2, dram or ffma"));
  EXPECT_EQ(ask(kBigTiled, "wave_clocks(9)"),
            "An SM holds 1 to 8 blocks of this launch at once, not 9.");
  EXPECT_THAT(ask(kBigTiled, "measured_wave_clocks(5)"), HasSubstr("was not measured"));
  EXPECT_THAT(ask(kLoneBlock, "measured_sm(clocks)"), HasSubstr("were not measured"));
  EXPECT_THAT(ask("#kernel=tiled&M=4096&N=4096&K=4096&block_size=16", "sm(clocks)"),
              HasSubstr("use a smaller size"));
}

}  // namespace
}  // namespace tilestep::course
