// The sum behind an accumulator, read from the executed instructions.
#include "insight/trace/accumulators.h"
#include "insight/trace/flow_tracker.h"
#include "insight/trace/origin.h"
#include "insight/trace/sums.h"
#include "simulated.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tilestep::insight {
namespace {

std::optional<Accumulation> held_sum(const BlockFlow& flow, std::uint64_t step,
                                     std::uint32_t thread, const std::string& variable) {
  std::optional<Accumulation> sum =
      read_sum(flow.program(), flow.graph(), flow.held(step, thread, variable));
  if (sum) {
    sum->variable = variable;
  }
  return sum;
}

std::optional<Accumulation> accumulation(const record::Recording& recording, std::uint64_t step,
                                         std::uint32_t block, std::uint32_t thread,
                                         const std::string& variable) {
  return held_sum(BlockFlow(recording, block, step, Settle::OneMore), step, thread, variable);
}

std::string accumulator_name(const record::Recording& recording) {
  return BlockSums(recording, recording.part().first).common_name();
}

const simt::Schedule kTracedSchedules[] = {{simt::ScheduleKind::Lockstep},
                                           {simt::ScheduleKind::Sequential},
                                           {simt::ScheduleKind::RunAhead, 0},
                                           {simt::ScheduleKind::Random, 0, 11}};

class Provenance : public testing::Test {
 protected:
  std::shared_ptr<const record::Recording> record_program(
      std::shared_ptr<const simt::Program> program, simt::Schedule schedule = {}) {
    auto recording = record::Recording::make(std::move(program), schedule);
    if (!recording) {
      throw std::runtime_error(recording.error().message);
    }
    return *recording;
  }
  std::string factor(const record::Recording& recording, const Term::Factor& f) {
    if (f.launch_buffer == 0xffffffffU) {
      return fmt::format("{}", f.value);
    }
    return fmt::format("{}[{}][{}]", recording.program().launch().buffers[f.launch_buffer].name,
                       f.row, f.col);
  }
  std::string written_out(const record::Recording& recording, const Accumulation& sum) {
    std::string text = fmt::format("{} =", sum.variable);
    for (const Term& term : sum.terms) {
      text += fmt::format("{} {}·{}", &term == &sum.terms.front() ? "" : " +",
                          factor(recording, term.a), factor(recording, term.b));
    }
    return text;
  }

  test::Simulated simulated_;
};

TEST_F(Provenance, OfTheTiledKernelIsTheDotProduct) {
  for (const simt::Schedule& schedule : kTracedSchedules) {
    const auto recording = record_program(simulated_.program("tiled", {8, 8, 8}, 4), schedule);
    const auto sum = accumulation(*recording, recording->step_count(), 1, 6, "acc");
    ASSERT_TRUE(sum);
    EXPECT_EQ(written_out(*recording, *sum),
              "acc = A[1][0]·B[0][6] + A[1][1]·B[1][6] + A[1][2]·B[2][6] + A[1][3]·B[3][6] + "
              "A[1][4]·B[4][6] + A[1][5]·B[5][6] + A[1][6]·B[6][6] + A[1][7]·B[7][6]");
    EXPECT_TRUE(sum->complete);
    EXPECT_EQ(sum->initial, 0.0F);
    // Block 1 computes columns 4 to 7: thread (2,1) reads As[1][0], which thread (0,1) loaded.
    EXPECT_EQ(sum->terms[0].a.via, "As[1][0]");
    EXPECT_EQ(sum->terms[0].a.loaded_by, 4U);
    EXPECT_EQ(sum->terms[0].b.via, "Bs[0][2]");
    EXPECT_EQ(sum->terms[0].b.loaded_by, 2U);
  }
}

TEST_F(Provenance, ValuesAndStepsAreThoseOfTheRun) {
  for (const simt::Schedule& schedule : kTracedSchedules) {
    const auto recording = record_program(simulated_.program("tiled", {8, 8, 8}, 4), schedule);
    const BlockFlow block(*recording, 2, recording->step_count(), Settle::Exactly);
    record::State state = recording->state_at(0);
    std::size_t compared = 0;
    for (const std::uint64_t k : recording->statement_starts()) {
      state = recording->state_at(k, std::move(state));
      for (std::uint32_t thread = 0; thread < 16; thread += 5) {
        const auto sum = held_sum(block, k, thread, "acc");
        const auto held = state.variable(2, thread, "acc");
        if (!sum) {
          continue;
        }
        ASSERT_TRUE(held);
        float value = 0.0F;
        ASSERT_EQ(held->bytes.size(), sizeof value);
        std::memcpy(&value, held->bytes.data(), sizeof value);
        ASSERT_EQ(sum->value, value) << "step " << k;
        float total = sum->initial;
        for (const Term& term : sum->terms) {
          total += term.a.value * term.b.value;
          ASSERT_LT(term.step, k);
        }
        ASSERT_EQ(total, value);
        const auto alone = accumulation(*recording, k, 2, thread, "acc");
        ASSERT_TRUE(alone);
        ASSERT_EQ(alone->terms.size(), sum->terms.size());
        ++compared;
      }
    }
    EXPECT_GT(compared, 50U);
  }
}

TEST_F(Provenance, PaddingIsATermWithAConstant) {
  const auto recording = record_program(simulated_.program("tiled", {4, 4, 5}, 4));
  const auto sum = accumulation(*recording, recording->step_count(), 0, 0, "acc");
  ASSERT_TRUE(sum);
  ASSERT_EQ(sum->terms.size(), 8U);
  EXPECT_EQ(written_out(*recording, *sum).substr(0, 6), "acc = ");
  EXPECT_EQ(sum->terms[4].a.launch_buffer, 0U);
  EXPECT_EQ(sum->terms[5].a.launch_buffer, 0xffffffffU);
  EXPECT_EQ(sum->terms[5].a.value, 0.0F);
  EXPECT_EQ(sum->terms[5].a.via, "As[0][1]");
  EXPECT_EQ(sum->terms[5].b.launch_buffer, 0xffffffffU);
  EXPECT_TRUE(sum->complete);
}

TEST_F(Provenance, GoesThroughDeviceFunctionsAndStructs) {
  const auto recording = record_program(simulated_.program("submatrix", {8, 8, 8}, 4));
  const auto sum = accumulation(*recording, recording->step_count(), 3, 9, "Cvalue");
  ASSERT_TRUE(sum);
  ASSERT_EQ(sum->terms.size(), 8U);
  EXPECT_EQ(factor(*recording, sum->terms[5].a), "A[6][5]");
  EXPECT_EQ(factor(*recording, sum->terms[5].b), "B[5][5]");
  EXPECT_EQ(sum->terms[5].a.via, "As[2][1]");
}

TEST_F(Provenance, OfTheNaiveKernelHasNoSharedCells) {
  const auto recording = record_program(simulated_.program("naive", {8, 8, 8}, 4));
  const auto sum = accumulation(*recording, recording->step_count(), 0, 5, "acc");
  ASSERT_TRUE(sum);
  ASSERT_EQ(sum->terms.size(), 8U);
  EXPECT_EQ(sum->terms[3].a.via, "");
  EXPECT_EQ(sum->terms[3].a.loaded_by, 5U);
}

TEST_F(Provenance, TellsTheTruthAboutARace) {
  // Warp 0 runs ahead and loads tile 1 over tile 0: the sum of the others is not the dot product.
  const auto recording = record_program(
      simulated_.program("tiled_missing_barrier", {8, 8, 8}, 4, compile::Build::Step, 4),
      {simt::ScheduleKind::RunAhead, 0});
  bool wrong = false;
  for (std::uint32_t thread = 4; thread < 16; ++thread) {
    const auto sum = accumulation(*recording, recording->step_count(), 0, thread, "acc");
    ASSERT_TRUE(sum);
    for (std::size_t k = 0; k < sum->terms.size(); ++k) {
      const Term& term = sum->terms[k];
      wrong = wrong || term.a.col != static_cast<int>(k) || term.b.row != static_cast<int>(k);
    }
  }
  EXPECT_TRUE(wrong);
}

TEST_F(Provenance, IsNothingBeforeTheFirstProduct) {
  const auto recording = record_program(simulated_.program("tiled", {8, 8, 8}, 4));
  EXPECT_FALSE(accumulation(*recording, 0, 0, 0, "acc"));
  EXPECT_FALSE(accumulation(*recording, recording->step_count(), 0, 0, "row"));
  EXPECT_FALSE(accumulation(*recording, recording->step_count(), 0, 0, "nobody"));
}

TEST_F(Provenance, FindsTheAccumulatorByName) {
  EXPECT_EQ(accumulator_name(*record_program(simulated_.program("tiled", {8, 8, 8}, 4))), "acc");
  EXPECT_EQ(accumulator_name(*record_program(simulated_.program("naive", {8, 8, 8}, 4))), "acc");
  EXPECT_EQ(accumulator_name(*record_program(simulated_.program("submatrix", {8, 8, 8}, 4))),
            "Cvalue");
}

TEST_F(Provenance, OfACompensatedSumHasEveryProductOnce) {
  test::OwnKernel kernel;
  kernel.source = R"(
extern "C" __global__ void kernel(const float* A, const float* B, float* C) {
  float sum = 0.0f;
  float c = 0.0f;
  for (int k = 0; k < 8; ++k) {
    float y = A[k] * B[k] - c;
    float t = sum + y;
    c = (t - sum) - y;
    sum = t;
  }
  C[0] = sum;
}
)";
  kernel.buffers = {{"A", 8}, {"B", 8}, {"C", 1}};
  kernel.block = {1, 1, 1};
  const auto recording = record_program(simulated_.program(test::launch_of(kernel)));
  EXPECT_EQ(accumulator_name(*recording), "sum");
  const auto sum = accumulation(*recording, recording->step_count(), 0, 0, "sum");
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->terms.size(), 8U);
  EXPECT_TRUE(sum->complete);
  EXPECT_FALSE(accumulation(*recording, recording->step_count(), 0, 0, "c"))
      << "the compensation is what rounding lost: no product is left in it";
}

TEST_F(Provenance, OfAKernelWithoutProductsHasNoName) {
  test::OwnKernel kernel;
  kernel.source = "extern \"C\" __global__ void kernel(float* x) { x[threadIdx.x] += 1.0f; }";
  kernel.buffers = {{"x", 32}};
  EXPECT_EQ(accumulator_name(*record_program(simulated_.program(test::launch_of(kernel)))), "");
}

// Values loaded by cp.async are followed like those that threads copy; its filling is zero.
TEST_F(Provenance, FollowsAsynchronousCopies) {
  test::OwnKernel kernel;
  kernel.source = R"(
extern "C" __global__ void kernel(const float* A, const float* B, float* C) {
  __shared__ __align__(16) float s[8];
  int t = threadIdx.x;
  unsigned to = (unsigned)__cvta_generic_to_shared(s + 4 * t);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
               :: "r"(to), "l"(A + 4 * t), "r"(t == 0 ? 16 : 8) : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  float acc = 0.0f;
  for (int k = 0; k < 4; ++k) { acc += s[4 * (1 - t) + k] * B[k]; }
  C[t] = acc;
})";
  kernel.block.x = 2;
  kernel.buffers = {{"A", 8}, {"B", 4}, {"C", 2}};
  const auto recording = record_program(simulated_.program(test::launch_of(kernel)));
  const auto full = accumulation(*recording, recording->step_count(), 0, 1, "acc");
  ASSERT_TRUE(full);
  EXPECT_EQ(written_out(*recording, *full),
            "acc = A[0][0]·B[0][0] + A[0][1]·B[0][1] + A[0][2]·B[0][2] + A[0][3]·B[0][3]");
  EXPECT_EQ(full->terms[1].a.via, "s[1]");
  EXPECT_EQ(full->terms[1].a.loaded_by, 0U);
  const auto filled = accumulation(*recording, recording->step_count(), 0, 0, "acc");
  ASSERT_TRUE(filled);
  EXPECT_EQ(written_out(*recording, *filled),
            "acc = A[0][4]·B[0][0] + A[0][5]·B[0][1] + 0·B[0][2] + 0·B[0][3]");
}

}  // namespace
}  // namespace tilestep::insight
