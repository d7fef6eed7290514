// Launches of the catalog on the model of an SM, against what Nsight Compute measured on an H200.
#include "catalog_launch.h"
#include "clock/estimate.h"
#include "clock/measured.h"
#include "folders.h"
#include "insight/count/cost.h"
#include "insight/count/profile.h"
#include "kept_outputs.h"
#include "loading/prepare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

namespace tilestep::clock {
namespace {

using nlohmann::json;

class TimedLaunches : public testing::Test {
 protected:
  TimedLaunches()
      : compiler_(test::kept_outputs()),
        table_(load_sm_table(test::source_folder() / "assets" / "clock", "H200").value()) {}

  loading::Prepared prepare(const std::string& kernel, problem::Problem size, int block_size) {
    loading::PrepareOptions options;
    options.build = compile::Build::Machine;
    auto prepared = loading::prepare(compiler_, test::launch_of(kernel, size, block_size), options);
    if (!prepared) {
      throw std::runtime_error(prepared.error().error.message);
    }
    return std::move(*prepared);
  }
  TimedLaunch timed(const loading::Prepared& prepared) {
    auto launch = TimedLaunch::make(prepared, table_);
    if (!launch) {
      throw std::runtime_error(launch.error().message);
    }
    return std::move(*launch);
  }
  SmRun run(const std::string& kernel, int size, int block_size, Extent extent) {
    EstimateOptions options;
    options.extent = extent;
    const loading::Prepared prepared = prepare(kernel, {size, size, size}, block_size);
    return timed(prepared).run(table_, options).value();
  }

  compile::Compiler compiler_;
  SmTable table_;
};

TEST_F(TimedLaunches, EachInstructionOfTheTraceIsOneThatTheHardwareCounts) {
  const loading::Prepared prepared = prepare("tiled", {16, 16, 16}, 4);
  const insight::Profile counted = insight::profile(prepared.program);
  auto tracer = Tracer::make(prepared.kernel, prepared.program).value();
  std::uint64_t steps = 0;
  for (std::uint32_t block = 0; block < prepared.program->block_count(); ++block) {
    const auto trace = tracer.trace(block);
    ASSERT_TRUE(trace) << trace.error().message;
    for (const WarpTrace& warp : trace->warps) {
      steps += warp.steps.size();
    }
  }
  EXPECT_EQ(steps, insight::total_cost(*prepared.program, counted).instructions);
}

TEST_F(TimedLaunches, ASummaryHasTheSharesOfTheBusiestSm) {
  const loading::Prepared prepared = prepare("tiled", {512, 512, 512}, 16);
  TimedLaunch launch = timed(prepared);
  const SmSummary summary = launch.summarize(table_).value();
  EXPECT_TRUE(summary.is_launch);
  EXPECT_EQ(summary.warps, 64);
  EstimateOptions options;
  options.extent = Extent::Sm;
  const SmRun whole = launch.run(table_, options).value();
  EXPECT_EQ(summary.clocks, whole.clocks);
  EXPECT_DOUBLE_EQ(summary.data_stage,
                   static_cast<double>(whole.passes) / static_cast<double>(whole.clocks));
  EXPECT_EQ(summary.states[static_cast<std::size_t>(WarpState::Selected)], 1.0);
  // All clocks of all warps.
  EXPECT_NEAR(std::accumulate(summary.states.begin(), summary.states.end(), 0.0),
              static_cast<double>(whole.warp_clocks) / static_cast<double>(whole.instructions),
              1e-9);
}

TEST_F(TimedLaunches, ALongLaunchIsSummarizedByOneWave) {
  const loading::Prepared prepared = prepare("tiled", {4096, 4096, 512}, 16);
  const SmSummary summary = timed(prepared).summarize(table_).value();
  EXPECT_FALSE(summary.is_launch);
  EXPECT_EQ(summary.clocks, timed(prepared).run(table_, {}).value().clocks);
}

TEST_F(TimedLaunches, TheSentenceNamesTheBusyUnitAndTheLongestWaits) {
  SmSummary summary{true, 64, 1000, 0.44, 0.91, {}};
  const auto state = [](WarpState which) { return static_cast<std::size_t>(which); };
  summary.states[state(WarpState::Selected)] = 1.0;
  summary.states[state(WarpState::MioThrottle)] = 6.0;
  summary.states[state(WarpState::Barrier)] = 2.8;
  summary.states[state(WarpState::Wait)] = 0.2;  // too short to be named
  EXPECT_THAT(waits_sentence(summary, nullptr, table_),
              testing::StartsWith(
                  "The data stage of shared memory and L1 is busy in 91% of the cycles: 64 warps "
                  "wait for it. The schedulers use 44% of their issue slots. How a warp spends its "
                  "time: waits "
                  "for the queue to shared memory 60%; waits at a barrier 28%. Estimated from the "
                  "machine code; for nine of ten launches, the estimate is within "));
  MeasuredLaunch measured;
  measured.states = summary.states;
  measured.states[state(WarpState::Barrier)] = 12.8;  // of 20
  EXPECT_THAT(waits_sentence(summary, &measured, table_),
              testing::HasSubstr("waits at a barrier 28% (measured: 64%)"));
  // No unit is busy: nothing is waited for by all.
  summary.data_stage = 0.5;
  summary.is_launch = false;
  EXPECT_THAT(waits_sentence(summary, nullptr, table_),
              testing::AllOf(testing::StartsWith("64 warps use 44% of the schedulers' issue slots; "
                                                 "the data stage of shared memory and L1 is busy "
                                                 "in 50% of the cycles."),
                             testing::HasSubstr("of one wave;")));
}

TEST_F(TimedLaunches, AStepBuildHasNoMachineCode) {
  const auto launch = test::launch_of("tiled", {16, 16, 16}, 4);
  const auto prepared = loading::prepare(compiler_, launch, {compile::Build::Step});
  ASSERT_TRUE(prepared);
  EXPECT_FALSE(TimedLaunch::make(*prepared, table_));
}

// One block of tiled<4>: two tiles, each with two loads from DRAM and two barriers.
TEST_F(TimedLaunches, ABlockOfTwoTilesWaitsTwiceForDram) {
  const loading::Prepared prepared = prepare("tiled", {8, 8, 8}, 4);
  EstimateOptions options;
  options.extent = Extent::Block;
  const SmRun cold = timed(prepared).run(table_, options).value();
  options.is_cold = false;
  const SmRun warm = timed(prepared).run(table_, options).value();
  ASSERT_EQ(cold.lives.size(), 1U);
  std::size_t barriers = 0;
  for (const StateSpan& span : cold.lives[0].spans) {
    barriers += span.state == WarpState::Barrier ? 1 : 0;
  }
  EXPECT_EQ(barriers, 4U);
  const auto dram = static_cast<std::int64_t>(table_.numbers.dram);
  // The second tile of A is in the 64 bytes that DRAM has given; that of B is not.
  EXPECT_NEAR(static_cast<double>(cold.clocks - warm.clocks), 2.0 * static_cast<double>(dram),
              0.1 * static_cast<double>(dram));
}

TEST_F(TimedLaunches, MoreBlocksAtOnceHideTheLatency) {
  const loading::Prepared prepared = prepare("tiled", {512, 512, 64}, 8);
  TimedLaunch launch = timed(prepared);
  EstimateOptions options;
  options.blocks_at_once = 1;
  const SmRun one = launch.run(table_, options).value();
  options.blocks_at_once = 4;
  const SmRun four = launch.run(table_, options).value();
  EXPECT_EQ(four.instructions, 4 * one.instructions);
  EXPECT_LT(four.clocks, one.clocks * 3 / 2);
}

// The whole time of launches whose kernels were not used to fit the model, and of one that was.
TEST_F(TimedLaunches, TimesAreThoseOfTheHardwareWithinAnEighth) {
  std::ifstream file(test::source_folder() / "assets" / "clock" / "h200_launches.json");
  const json recorded = json::parse(file);
  std::size_t compared = 0;
  for (const json& point : recorded.at("points")) {
    const std::string kernel = point.at("kernel");
    const int block_size = point.at("block_size");
    const bool is_tried = kernel == "sliding_window" || kernel == "submatrix_bounded" ||
                          kernel == "tiled_no_guard" || kernel == "tiled";
    if (!is_tried || point.at("M") != 512 || (block_size != 8 && block_size != 16)) {
      continue;
    }
    const SmRun run = this->run(kernel, 512, block_size, Extent::Sm);
    const double measured = point.at("clocks_busiest");
    EXPECT_NEAR(static_cast<double>(run.clocks) / measured, 1.0, 0.125)
        << kernel << " " << block_size;
    ++compared;
  }
  EXPECT_EQ(compared, 8U);
}

// Claims of teaching texts about time (docs/reports/claims.md, G).
class Claim : public TimedLaunches {
 protected:
  MeasuredLaunches measured_ =
      load_measured_launches(test::source_folder() / "assets" / "clock" / "h200_launches.json")
          .value();
};

TEST_F(Claim, G1_SharedMemoryTakes23Clocks) {
  EXPECT_EQ(table_.numbers.queue_delay + table_.numbers.shared_load, 23.0);
}

TEST_F(Claim, G2_GlobalMemoryTakes40To691Clocks) {
  const SmNumbers& n = table_.numbers;
  EXPECT_NEAR(n.queue_delay + n.l1_hit, 40.0, 1.0);
  EXPECT_NEAR(n.queue_delay + n.l2_hit, 289.0, 3.0);
  EXPECT_NEAR(n.queue_delay + n.l2_hit + n.dram, 691.0, 3.0);
}

TEST_F(Claim, G3_TilesTakeTwoThirdsOfTheTimeAndNotATwentieth) {
  const auto* const naive = measured_.find("naive", {1024, 1024, 1024}, 16);
  const auto* const tiled = measured_.find("tiled", {1024, 1024, 1024}, 16);
  ASSERT_TRUE(naive != nullptr && tiled != nullptr);
  EXPECT_EQ(naive->clocks_mean, 782'089);
  EXPECT_EQ(tiled->clocks_mean, 538'585);
  const double estimated = static_cast<double>(run("naive", 1024, 16, Extent::Sm).clocks) /
                           static_cast<double>(run("tiled", 1024, 16, Extent::Sm).clocks);
  EXPECT_NEAR(estimated, 1.48, 0.01);
}

TEST_F(Claim, G4_WarpsOfNaiveWaitForGlobalMemoryThreeQuartersOfTheirTime) {
  const auto* const naive = measured_.find("naive", {1024, 1024, 1024}, 16);
  ASSERT_NE(naive, nullptr);
  const auto of = [&](WarpState state) { return naive->states[static_cast<std::size_t>(state)]; };
  EXPECT_NEAR(of(WarpState::LongScoreboard) + of(WarpState::LgThrottle), 31.0, 0.5);
  const double slots = 4.0 * 132.0 * static_cast<double>(naive->clocks_mean);
  EXPECT_NEAR(static_cast<double>(naive->instructions) / slots, 0.37, 0.01);
}

TEST_F(Claim, G5_FourBlocksTakeHardlyLongerThanOne) {
  const auto* const wave = measured_.find_wave("tiled", 8, 512);
  ASSERT_NE(wave, nullptr);
  TimedLaunch launch = timed(prepare("tiled", {1024, 1024, 512}, 8));
  EstimateOptions options;
  options.is_cold = false;
  for (const auto& [blocks, clocks] : wave->clocks) {
    options.blocks_at_once = blocks;
    const auto estimated = static_cast<double>(launch.run(table_, options).value().clocks);
    EXPECT_NEAR(estimated / static_cast<double>(clocks), 1.0, 0.16) << blocks;
  }
}

}  // namespace
}  // namespace tilestep::clock
