#include "analysis/gpu_model.h"

#include "insight/occupancy/occupancy.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tilestep::analysis
