#include "analysis/gpu_model.h"

#include "analysis/chart.h"
#include "data.h"
#include "insight/occupancy/occupancy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace tilestep::analysis {
namespace {

TEST(GpuModel, EveryKnownGpuHasAnArchitectureWithOccupancy) {
  for (const GpuModel& gpu : known_gpus()) {
    SCOPED_TRACE(gpu.name);
    EXPECT_TRUE(gpu.is_known());
    EXPECT_NE(insight::find_architecture(gpu.architecture), nullptr);
    EXPECT_GT(gpu.peak_gflops, 1000.0);
    EXPECT_GT(gpu.shared_gb_s, gpu.dram_gb_s);
  }
}

TEST(GpuModel, TheClockOfTheMeasurementSetsThePeak) {
  timing::Provenance provenance;
  provenance.gpu = "NVIDIA H200";
  provenance.sm_clock_mhz = 1500;
  const GpuModel gpu = gpu_model(provenance);
  EXPECT_DOUBLE_EQ(gpu.peak_gflops, 132 * 128 * 2 * 1.5);
  EXPECT_DOUBLE_EQ(gpu.shared_gb_s, 132 * 128 * 1.5);
  EXPECT_FALSE(gpu.is_measured);
}

TEST(GpuModel, MeasuredCeilingsGoBeforeTheDataSheet) {
  timing::Provenance provenance;
  provenance.gpu = "A GPU nobody knows";
  provenance.sm_clock_mhz = 1500;
  EXPECT_FALSE(gpu_model(provenance).is_known());
  provenance.ceilings = timing::Ceilings{90,     100,      1 << 20,  3000.0,
                                         5000.0, 20'000.0, 40'000.0, "2026-11-22T10:00:00Z"};
  const GpuModel gpu = gpu_model(provenance);
  EXPECT_TRUE(gpu.is_known());
  EXPECT_TRUE(gpu.is_measured);
  EXPECT_EQ(gpu.sms, 100);
  EXPECT_DOUBLE_EQ(gpu.dram_gb_s, 3000.0);
  EXPECT_DOUBLE_EQ(gpu.peak_gflops, 40'000.0);
  EXPECT_EQ(gpu.source, "measured 2026-11-22");
}

const GpuModel& built_h200() {
  return *std::ranges::find(known_gpus(), "NVIDIA H200", &GpuModel::name);
}

TEST(GpuModel, WithoutAWishNothingChanges) {
  const GpuModel same = changed(built_h200(), {});
  EXPECT_EQ(same.source, built_h200().source);
  EXPECT_EQ(same.peak_gflops, built_h200().peak_gflops);
  EXPECT_EQ(changed({}, {10, 0, 0, 0, 0, 0}).sms, 0) << "of an unknown GPU nothing is known";
}

TEST(GpuModel, WhatAllSmsDoGrowsWithThemAndTheirClock) {
  const GpuModel half = changed(built_h200(), {66, 3960, 2400, 0, 100, 32});
  EXPECT_EQ(half.sms, 66);
  EXPECT_DOUBLE_EQ(half.peak_gflops, built_h200().peak_gflops) << "half of them, twice as fast";
  EXPECT_DOUBLE_EQ(half.shared_gb_s, built_h200().shared_gb_s);
  EXPECT_DOUBLE_EQ(half.dram_gb_s, 2400.0);
  EXPECT_DOUBLE_EQ(half.l2_gb_s, built_h200().l2_gb_s);
  EXPECT_EQ(half.source,
            "what if: 66 SMs, 3960 MHz, 2400 GB/s DRAM, 100 KiB shared memory, 32 warps per SM");
  EXPECT_EQ(sm_of(half)->warps, 32);
  EXPECT_EQ(sm_of(half)->shared_bytes, 100 * 1024);
  EXPECT_EQ(sm_of(built_h200())->warps, 64);
  EXPECT_FALSE(sm_of({}));
}

TEST(Roofline, TheRooflineGrowsInThreePartsOnOneAxis) {
  const timing::DataSet data = test::data_set();
  ChartRequest request = test::request({&data});
  request.view.page = state::TimingPage::Roofline;
  const std::vector<LaunchFacts> counted{test::facts("tiled", 16)};
  request.facts = counted;
  const auto part = [&request](state::RooflinePart last) {
    request.view.roofline = last;
    return make_chart(request);
  };
  const Chart whole = part(state::RooflinePart::Kernels);
  const Chart memory = part(state::RooflinePart::Memory);
  const Chart roofs = part(state::RooflinePart::Arithmetic);
  ASSERT_EQ(whole.curves.size(), 5U);
  ASSERT_EQ(memory.curves.size(), 3U) << "L1 and shared memory, L2, DRAM";
  ASSERT_EQ(roofs.curves.size(), 4U) << "and the peak";
  for (const Chart& chart : {memory, roofs}) {
    EXPECT_EQ(chart.y.low, whole.y.low);
    EXPECT_EQ(chart.y.high, whole.y.high);
    EXPECT_THAT(chart.note, testing::Not(testing::HasSubstr("filled"))) << "there are no marks";
  }
  const Mark& end = memory.curves[2].marks.back();
  EXPECT_DOUBLE_EQ(end.y, memory.y.high) << "nothing cuts a memory's roof yet";
  EXPECT_NEAR(end.y / end.x, roofs.curves[2].marks.back().y / roofs.curves[2].marks.back().x, 1e-6)
      << "the same bandwidth";
  EXPECT_DOUBLE_EQ(roofs.curves[2].marks.back().y, request.gpu.peak_gflops);
}

}  // namespace
}  // namespace tilestep::analysis
