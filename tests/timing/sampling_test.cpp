#include "timing/sampling.h"

#include "timing/fake_gpu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilestep::timing {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::StartsWith;

problem::LaunchSpec matmul_spec() {
  problem::LaunchSpec spec;
  spec.id = "any";
  spec.buffers = {
      {"A", problem::ElementType::F32, "M", "K", "", problem::BufferRole::Input, {}, {}},
      {"B", problem::ElementType::F32, "K", "N", "", problem::BufferRole::Input, {}, {}},
      {"C", problem::ElementType::F32, "M", "N", "", problem::BufferRole::Output, {}, {}}};
  return spec;
}

// Samples a launch of 8×8×8 that the fake's cublasSgemm computes, taking `milliseconds`.
class Sampling : public ::testing::Test {
 protected:
  void SetUp() override {
    fake::reset();
    device = open_fake_device();
    auto made = Operands::make(*device, matmul_spec(), {{8, 8, 8}, 1});
    ASSERT_TRUE(made.has_value()) << made.error().message;
    operands = std::make_unique<Operands>(std::move(*made));
  }

  void compute() {
    device->sgemm(
        {{8, 8, 8}, operands->address("A"), operands->address("B"), operands->address("C")});
  }

  std::optional<Point> run(const TimedLaunch& launch) {
    return sample(plan, *operands, launch, &cancel, {}, memory_clocks);
  }

  std::optional<Point> run_right(float milliseconds) {
    return run([&, milliseconds](const gpu::TimeOptions& options) {
      ++launches;
      exact += options.care == gpu::Care::Exact;
      compute();
      if (options.during != nullptr) {
        *options.during = {1980 - static_cast<int>(launches), 3201, 40};
      }
      return milliseconds;
    });
  }

  float* C() { return reinterpret_cast<float*>(operands->address("C")); }

  SweepPlan plan;
  std::atomic<bool> cancel = false;
  std::vector<int> memory_clocks;
  std::unique_ptr<gpu::Device> device;
  std::unique_ptr<Operands> operands;
  std::size_t launches = 0;
  std::size_t exact = 0;  // exact samples
};

TEST_F(Sampling, TakesTheSamplesAskedForAfterWarmingUp) {
  const auto point = run_right(1.0F);
  ASSERT_TRUE(point.has_value());
  EXPECT_EQ(point->samples_ms.size(), 30U);
  EXPECT_THAT(point->samples_ms, Each(1.0));
  EXPECT_TRUE(point->verified);
  EXPECT_EQ(point->note, "");
  // Verified launch, 50 ms of warm-up, the one that reads clocks, 30 samples.
  EXPECT_EQ(launches, 1U + 50U + 1U + 30U);
  EXPECT_EQ(exact, 30U) << "the samples, and no first launch";
}

TEST_F(Sampling, ReadsTheClocksWhenTheGpuIsWarmAndOutsideTheSamples) {
  const auto point = run_right(1.0F);
  EXPECT_EQ(point->sm_clock_mhz, 1980 - 52);
  EXPECT_THAT(memory_clocks, ::testing::ElementsAre(3201));
}

TEST_F(Sampling, AWrongResultIsNotTimed) {
  const auto point = run([&](const gpu::TimeOptions&) {
    ++launches;
    compute();
    C()[9] += 1.0F;
    return 1.0F;
  });
  EXPECT_EQ(launches, 1U);
  EXPECT_TRUE(point->samples_ms.empty());
  EXPECT_FALSE(point->verified);
  EXPECT_THAT(point->note, StartsWith("result wrong: C[1][1] is "));
}

TEST_F(Sampling, AnElementThatNobodyWroteIsWrong) {
  compute();  // the buffer holds the correct values, which are poisoned before the launch
  const auto point = run([](const gpu::TimeOptions&) { return 1.0F; });
  EXPECT_THAT(point->note, HasSubstr("64 of 64 elements wrong"));
}

TEST_F(Sampling, AWrongResultIsTimedAndMarkedWhenThePlanWantsIt) {
  plan.time_wrong_results = true;
  const auto point = run([](const gpu::TimeOptions&) { return 1.0F; });
  EXPECT_EQ(point->samples_ms.size(), 30U);
  EXPECT_FALSE(point->verified);
  EXPECT_THAT(point->note, StartsWith("result wrong: "));
}

TEST_F(Sampling, ARaceThatShowsLaterTakesTheMarkAway) {
  const auto point = run([&](const gpu::TimeOptions&) {
    compute();
    if (++launches > 60) {
      C()[0] += 1.0F;
    }
    return 1.0F;
  });
  EXPECT_EQ(point->samples_ms.size(), 30U);
  EXPECT_FALSE(point->verified);
  EXPECT_THAT(point->note,
              StartsWith("result right at first, wrong in the last timed launch: C[0]"));
}

TEST_F(Sampling, SlowLaunchesGetFewerSamplesAndTheNoteSaysSo) {
  plan.slow_samples = 4;
  const auto point = run_right(6100.0F);
  EXPECT_EQ(point->samples_ms.size(), 4U);
  EXPECT_EQ(point->note, "one launch takes 6.1 s: 4 samples");
  EXPECT_TRUE(point->verified);
  EXPECT_EQ(launches, 4U) << "no warm-up; the verified launch is the first sample";
  EXPECT_GT(point->sm_clock_mhz, 0);
}

TEST_F(Sampling, CancellingGivesNoPoint) {
  const auto point = run([&](const gpu::TimeOptions&) {
    compute();
    cancel = ++launches > 60;
    return 1.0F;
  });
  EXPECT_FALSE(point.has_value());
  EXPECT_EQ(launches, 61U);
}

TEST(SampleCount, FollowsTheCostOfALaunch) {
  SweepPlan plan;
  plan.samples = 30;
  plan.max_seconds_per_point = 5.0;
  EXPECT_EQ(sample_count(plan, 0.05), 30);
  EXPECT_EQ(sample_count(plan, 166.0), 30);
  EXPECT_EQ(sample_count(plan, 200.0), 25);
  EXPECT_EQ(sample_count(plan, 1000.0), 5);
  EXPECT_EQ(sample_count(plan, 1900.0), 3);
  EXPECT_EQ(sample_count(plan, 2001.0), 3);
}

TEST(RoundSample, KeepsFiveSignificantDigits) {
  EXPECT_DOUBLE_EQ(round_sample(0.0620481234), 0.062048);
  EXPECT_DOUBLE_EQ(round_sample(22.130175), 22.13);
  EXPECT_DOUBLE_EQ(round_sample(123456.7), 123460.0);
  EXPECT_EQ(round_sample(0.0), 0.0);
}

TEST(Median, OfNothingIsZero) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({5}), 5);
  EXPECT_EQ(median({3, 1, 2}), 2);
}

}  // namespace
}  // namespace tilestep::timing
