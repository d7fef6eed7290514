// The model against measurements of an H200, and alone.
#include "analysis/prediction.h"

#include "data.h"
#include "folders.h"
#include "workspace/survey.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

namespace tilestep::analysis {
namespace {

const GpuModel& h200() {
  for (const GpuModel& gpu : known_gpus()) {
    if (gpu.name == "NVIDIA H200") {
      return gpu;
    }
  }
  ADD_FAILURE();
  return known_gpus().front();
}

double bound(const Prediction& p, Resource resource) {
  for (const Bound& b : p.bounds) {
    if (b.resource == resource) {
      return b.ms;
    }
  }
  return 0.0;
}

TEST(Prediction, EveryResourceIsBusyForItsWork) {
  const LaunchFacts facts = test::facts("tiled", 16);
  const Prediction p = predict(facts, h200());
  EXPECT_EQ(p.blocks_of_sm, 8) << "64 warps of 8";
  EXPECT_EQ(p.blocks_of_busiest_sm, 10U);
  EXPECT_DOUBLE_EQ(p.balance, 1.0);
  EXPECT_DOUBLE_EQ(p.waves, 1320.0 / (132 * 8));
  const double clocks_to_ms = 1e-3 / 1980.0;
  EXPECT_DOUBLE_EQ(bound(p, Resource::Issue), clocks_to_ms * 10 * 50'000 / kSlotsInAClock);
  EXPECT_DOUBLE_EQ(bound(p, Resource::SharedMemory), clocks_to_ms * 10 * (31'000 + 20 * 8));
  EXPECT_EQ(p.binding(), Resource::SharedMemory);
  EXPECT_GT(p.ms, p.bounds.front().ms);
  EXPECT_LT(p.ms, p.bounds.front().ms + p.bounds[1].ms);
}

TEST(Prediction, OneBlockMoreThanFitsEvenlyIsATail) {
  LaunchFacts facts = test::facts("tiled", 16);
  facts.blocks += 1;
  const Prediction p = predict(facts, h200());
  EXPECT_EQ(p.blocks_of_busiest_sm, 11U);
  EXPECT_NEAR(p.balance, 1321.0 / (11 * 132), 1e-12);
}

TEST(Prediction, FewBlocksWaitForLatency) {
  LaunchFacts facts = test::facts("tiled", 16);
  facts.needs->shared_bytes = 100'000;  // two at once
  const double alone = bound(predict(facts, h200()), Resource::Latency);
  facts.needs->shared_bytes = 0;
  EXPECT_GT(alone, bound(predict(facts, h200()), Resource::Latency));
}

// A block alone: it waits for its tiles, then its warps have the SM for themselves.
TEST(Prediction, ABlockOfBarriersWaitsAsAWhole) {
  LaunchFacts facts = test::facts("tiled", 16);
  const double in_step = bound(predict(facts, h200()), Resource::Latency);
  facts.barriers = 1;
  const double apart = bound(predict(facts, h200()), Resource::Latency);
  EXPECT_GT(in_step, apart);
  const double clocks_to_ms = 1e-3 / 1980.0;
  // Two rounds; in the first wave, four fifths of the launch, every wait is for DRAM.
  const double wave = 132.0 * 8 / 1320;
  EXPECT_NEAR(apart, clocks_to_ms * 2 * (15'000 + 10 * (285 + wave * 495)), 1e-6);
  facts.heaviest_warp = 1.5;
  EXPECT_NEAR(bound(predict(facts, h200()), Resource::Latency) / apart, 1.5, 1e-9);
  facts.loads_of_new = 0.0;
  const auto waiting_for = [&](double clocks) { return clocks_to_ms * 3 * (15'000 + 10 * clocks); };
  EXPECT_NEAR(bound(predict(facts, h200()), Resource::Latency), waiting_for(40), 1e-6);
  facts.parameters.problem.K = 4000;  // 500 KiB are a line for each row of B
  EXPECT_NEAR(bound(predict(facts, h200()), Resource::Latency), waiting_for(285), 1e-6);
}

// One block on each SM at a time: its latency is its whole time.
TEST(Prediction, ABlockThatIsAloneOnItsSmIsNotChargedForItsIssueSlotsTwice) {
  LaunchFacts facts = test::facts("tiled", 16);
  facts.needs->shared_bytes = 200'000;
  facts.cost.shared_loads.wavefronts = 0;
  facts.global_passes = facts.l2_sectors = 0.0;
  facts.schedule.waits = 0.0;
  facts.schedule.clocks = 6'250.0;
  facts.barriers = 3;
  const Prediction p = predict(facts, h200());
  EXPECT_EQ(p.blocks_of_sm, 1);
  const double alone = bound(p, Resource::Latency);
  EXPECT_GT(alone, bound(p, Resource::Issue));
  EXPECT_EQ(p.binding(), Resource::Issue) << "its latency is its issue slots for the most";
  const double launch = 0.007;
  EXPECT_NEAR(p.ms - launch, alone, 0.001 * alone);
  facts.needs->shared_bytes = 100'000;  // two at once: each hides the waits of the other
  const Prediction two = predict(facts, h200());
  EXPECT_LT(two.ms, p.ms);
  EXPECT_GE(two.ms - launch, bound(two, Resource::Issue));
}

TEST(Prediction, ProductsThatWaitForRegistersTakeIssueSlots) {
  LaunchFacts facts = test::facts("tiled", 16);
  facts.schedule.port_waits = 625.0;
  EXPECT_NEAR(bound(predict(facts, h200()), Resource::Issue),
              1e-3 / 1980.0 * 10 * 8 * (6'250 + 625) / kSlotsInAClock, 1e-9);
}

// 1,000 products of a warp, 8 warps, 10 blocks of an SM, 8 clocks each on one of 4 tensor cores.
TEST(Prediction, TensorCoresAreBusyForTheirProducts) {
  LaunchFacts facts = test::facts("tensor", 16);
  EXPECT_EQ(bound(predict(facts, h200()), Resource::TensorCores), 0.0);
  facts.schedule.matrix_products = 1'000.0;
  EXPECT_NEAR(bound(predict(facts, h200()), Resource::TensorCores),
              1e-3 / 1980.0 * 10 * 8 * 1'000 * 8 / 4, 1e-9);
}

TEST(Prediction, WhatL2CannotKeepComesFromDramAgain) {
  LaunchFacts facts = test::facts("tiled", 16);
  facts.parameters.problem = {8192, 8192, 8192};
  facts.blocks = 512 * 512;
  const GpuModel& small = h200();
  GpuModel large = h200();
  large.l2_mib = 2000.0;
  EXPECT_DOUBLE_EQ(terms_of(facts, large).bytes_again, 0.0);
  EXPECT_GT(terms_of(facts, small).bytes_again, 0.0);
  EXPECT_GT(bound(predict(facts, small), Resource::Dram),
            10.0 * bound(predict(facts, large), Resource::Dram));
}

// Measured medians are those of assets/timings/h200.json (docs/insight/model.md).
TEST(Prediction, IsNearWhatAnH200Measured) {
  const std::filesystem::path share = tilestep::test::share_folder();
  const auto catalog = problem::load_catalog(share / "kernels");
  const auto data = timing::load_dataset(share / "timings" / "h200.json");
  ASSERT_TRUE(catalog);
  ASSERT_TRUE(data);
  const GpuModel gpu = gpu_model(data->provenance);
  compile::Compiler compiler({{}, {share / "ptx-cache"}});
  const std::atomic<bool> cancel{false};
  if (!compiler.nvrtc().found) {
    GTEST_SKIP() << "without NVRTC there is no machine code to count";
  }
  int within_a_tenth = 0;
  for (const auto& [kernel, block_size] :
       {std::pair{"tiled", 5}, std::pair{"tiled", 16}, std::pair{"tiled", 17},
        std::pair{"tiled_padded", 14}, std::pair{"tiled_transposed", 24}, std::pair{"naive", 16},
        std::pair{"naive_uncoalesced", 24}, std::pair{"register_tile_2d", 17}}) {
    SCOPED_TRACE(std::string(kernel) + " " + std::to_string(block_size));
    const problem::Parameters parameters{{1024, 1024, 1024}, block_size};
    const auto facts = workspace::count_launch({kernel, parameters, gpu.architecture}, *catalog,
                                               {compiler, cancel});
    ASSERT_TRUE(facts);
    ASSERT_EQ(facts->why_not, "");
    ASSERT_TRUE(facts->is_machine_code);
    const timing::Point* point = data->find(kernel, parameters.problem, block_size);
    ASSERT_NE(point, nullptr);
    const double measured = point->samples_ms.statistics().median_ms;
    const double error = std::fabs(predict(*facts, gpu).ms / measured - 1.0);
    EXPECT_LT(error, 0.12);
    within_a_tenth += error < 0.1 ? 1 : 0;
  }
  EXPECT_GE(within_a_tenth, 6) << "of 8; tiled 5 is 10% too fast, register_tile_2d 17 11% too slow";
}

}  // namespace
}  // namespace tilestep::analysis
