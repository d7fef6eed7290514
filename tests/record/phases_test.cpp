#include "record/recording.h"
#include "simulated.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace tilestep::record {
namespace {

using testing::ElementsAre;

std::shared_ptr<const Recording> record_launch(std::shared_ptr<const simt::Program> program,
                                               const simt::Schedule& schedule = {}) {
  auto recording = Recording::make(std::move(program), schedule);
  if (!recording) {
    throw std::runtime_error(recording.error().message);
  }
  return *recording;
}

std::vector<std::string> names(const Recording& recording, std::uint32_t block) {
  std::vector<std::string> result;
  for (const Phase& phase : recording.phases_of(block)) {
    result.push_back(*phase.name);
  }
  return result;
}

class Phases : public testing::Test {
 protected:
  test::Simulated simulated_;
};

TEST_F(Phases, OfTheTiledKernelLoadAndMultiplyTileByTile) {
  for (const auto kind : {simt::ScheduleKind::Lockstep, simt::ScheduleKind::Sequential,
                          simt::ScheduleKind::RunAhead, simt::ScheduleKind::Random}) {
    const auto recording =
        record_launch(simulated_.program("tiled", {8, 8, 8}, 4, compile::Build::Step, 8), {kind});
    for (std::uint32_t block = 0; block < 4; ++block) {
      EXPECT_THAT(names(*recording, block),
                  ElementsAre("load tile 0", "multiply tile 0", "load tile 1", "multiply tile 1",
                              "write back"));
    }
  }
}

// By the mbarriers of a stage: its bytes have arrived, small parts are computed, it is multiplied.
TEST_F(Phases, OfWarpsWithRolesLastUntilATileIsHandedOn) {
  const auto recording =
      record_launch(simulated_.program("warpgroup_tf32x3_teaching", {8, 64, 64}, 4));
  EXPECT_THAT(names(*recording, 0),
              ElementsAre("set up", "load tile 0", "prepare tile 0", "load tile 1",
                          "prepare tile 1", "multiply tile 0", "multiply tile 1", "write back"));
  const auto phases = recording->phases_of(0);
  EXPECT_EQ(phases[1].kind, PhaseKind::Load);
  EXPECT_EQ(phases[5].kind, PhaseKind::Multiply);
  EXPECT_EQ(phases[6].tile, 1);
  for (std::size_t i = 0; i < phases.size(); ++i) {
    EXPECT_EQ(phases[i].ends_at_barrier, i == 0);
  }
  for (const auto kind :
       {simt::ScheduleKind::Sequential, simt::ScheduleKind::RunAhead, simt::ScheduleKind::Random}) {
    const auto other =
        record_launch(simulated_.program("warpgroup_tf32x3_teaching", {8, 64, 128}, 4), {kind});
    const std::vector<std::string> all = names(*other, 0);
    for (const char* const part : {"load tile ", "prepare tile ", "multiply tile "}) {
      EXPECT_EQ(
          std::ranges::count_if(all, [&](const auto& name) { return name.starts_with(part); }), 4)
          << part;
    }
  }
}

// Scores, weights and sums of one tile of keys and values.
TEST_F(Phases, ThatComputeAnArrayHaveItsName) {
  const auto recording = record_launch(simulated_.program("attention_tiled", {4, 8, 4}, 4));
  EXPECT_THAT(names(*recording, 0),
              ElementsAre("load tile 0", "compute Ss of tile 0", "compute Ps of tile 0",
                          "multiply tile 0", "load tile 1", "compute Ss of tile 1",
                          "compute Ps of tile 1", "multiply tile 1", "compute and write back"));
  EXPECT_EQ(recording->phases_of(0)[7].tile, 1);
  ASSERT_NE(recording->phases_of(0)[5].results, nullptr);
  EXPECT_EQ(*recording->phases_of(0)[5].results, "Ss");
  EXPECT_EQ(recording->phases_of(0)[7].results, nullptr);
}

TEST_F(Phases, OfTheNaiveKernelAreOne) {
  const auto recording = record_launch(simulated_.program("naive", {8, 8, 8}, 4));
  EXPECT_THAT(names(*recording, 2), ElementsAre("compute and write back"));
}

TEST_F(Phases, WithoutTheSecondBarrierTellWhatRunsTogether) {
  const auto recording = record_launch(simulated_.program("tiled_missing_barrier", {8, 8, 8}, 4));
  EXPECT_THAT(names(*recording, 0), ElementsAre("load tile 0", "multiply tile 0, load tile 1",
                                                "multiply tile 1, write back"));
  EXPECT_EQ(recording->phases_of(0)[1].kind, PhaseKind::LoadAndMultiply);
}

TEST_F(Phases, OfTheSubMatrixKernelAreNamedThroughItsHelpers) {
  const auto recording = record_launch(simulated_.program("submatrix", {8, 8, 8}, 4));
  EXPECT_THAT(names(*recording, 1), ElementsAre("load tile 0", "multiply tile 0", "load tile 1",
                                                "multiply tile 1", "write back"));
}

TEST_F(Phases, OfRaggedSizesCountEveryTile) {
  const auto recording = record_launch(simulated_.program("tiled", {5, 7, 9}, 4));
  EXPECT_EQ(recording->phases_of(3).size(), 7U);
  EXPECT_EQ(*recording->phases_of(3)[4].name, "load tile 2");
}

// Other blocks move between two phases of a block: F10 stops there.
TEST_F(Phases, BeginWithTheBlocksFirstStepAndEndWithItsLast) {
  const auto recording = record_launch(simulated_.program("tiled", {8, 8, 8}, 4));
  for (std::uint32_t block = 0; block < 4; ++block) {
    const auto phases = recording->phases_of(block);
    for (std::size_t i = 0; i < phases.size(); ++i) {
      EXPECT_EQ(phases[i].block, block);
      EXPECT_LT(phases[i].first_step, phases[i].last_step);
      EXPECT_EQ(phases[i].ends_at_barrier, i + 1 < phases.size());
      EXPECT_EQ(recording->phase_at(block, phases[i].first_step), &phases[i]);
      EXPECT_EQ(recording->phase_at(block, phases[i].last_step - 1), &phases[i]);
      if (i > 0) {
        EXPECT_GE(phases[i].first_step, phases[i - 1].last_step);
        const auto starts = recording->statement_starts();
        const auto end = std::ranges::lower_bound(starts, phases[i - 1].last_step);
        EXPECT_GE(phases[i].first_step, *end) << "it begins in a later round";
        recording->visit_steps_of(block, [&](const Recording::BlockStep& step) {
          EXPECT_FALSE(step.step >= phases[i - 1].last_step && step.step < phases[i].first_step);
          return true;
        });
      }
    }
    EXPECT_EQ(recording->phase_at(block, phases.back().last_step), nullptr);
  }
}

TEST_F(Phases, OfSeparateLoadsAreOneTile) {
  test::OwnKernel kernel;
  kernel.source = R"(
extern "C" __global__ void kernel(const float* A, const float* B, float* C) {
  __shared__ float As[32];
  __shared__ float Bs[32];
  float acc = 0.0f;
  for (int t = 0; t < 2; ++t) {
    As[threadIdx.x] = A[t * 32 + threadIdx.x];
    __syncthreads();
    Bs[threadIdx.x] = B[t * 32 + threadIdx.x];
    __syncthreads();
    for (int e = 0; e < 32; ++e) {
      acc += As[e] * Bs[e];
    }
    __syncthreads();
  }
  C[threadIdx.x] = acc;
}
)";
  kernel.buffers = {{"A", 64}, {"B", 64}, {"C", 32}};
  const auto recording = record_launch(simulated_.program(test::launch_of(kernel)));
  EXPECT_THAT(names(*recording, 0),
              ElementsAre("load tile 0", "load tile 0", "multiply tile 0", "load tile 1",
                          "load tile 1", "multiply tile 1", "write back"));
}

TEST_F(Phases, OfAReductionSayThatItCombines) {
  test::OwnKernel kernel;
  kernel.source = R"(
extern "C" __global__ void kernel(const float* in, float* out) {
  __shared__ float s[32];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int w = 16; w > 0; w /= 2) {
    if (threadIdx.x < w) {
      s[threadIdx.x] += s[threadIdx.x + w];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    out[0] = s[0];
  }
}
)";
  kernel.buffers = {{"in", 32}, {"out", 1}};
  const auto recording = record_launch(simulated_.program(test::launch_of(kernel)));
  const auto all = names(*recording, 0);
  EXPECT_EQ(all.front(), "fill shared memory") << "there are no tiles";
  EXPECT_EQ(all[1], "combine in shared memory");
  EXPECT_EQ(all.back(), "write back");
}

}  // namespace
}  // namespace tilestep::record
