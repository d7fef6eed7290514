// What a thread adds up, found from what it stores.
#include "insight/trace/accumulators.h"

#include "simulated.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>
#include <string>

namespace tilestep::insight {
namespace {

class Accumulators : public testing::Test {
 protected:
  std::shared_ptr<const record::Recording> record_program(
      std::shared_ptr<const simt::Program> program, simt::Schedule schedule = {}) {
    auto recording = record::Recording::make(std::move(program), schedule);
    if (!recording) {
      throw std::runtime_error(recording.error().message);
    }
    return *recording;
  }
  std::shared_ptr<const record::Recording> run(const std::string& kernel, problem::Problem size,
                                               int block_size, simt::Schedule schedule = {}) {
    return record_program(simulated_.program(kernel, size, block_size), schedule);
  }
  // A kernel with buffers A, B, C of floats, each with a value of its own.
  std::shared_ptr<const record::Recording> run_own(const std::string& source, std::uint32_t threads,
                                                   int length, int outputs = 1) {
    test::OwnKernel kernel;
    kernel.source = source;
    kernel.block = {threads, 1, 1};
    kernel.buffers = {{"A", length}, {"B", length}, {"C", outputs}};
    problem::Launch launch = test::launch_of(kernel);
    for (std::size_t b = 0; b < 2; ++b) {
      for (int i = 0; i < length; ++i) {
        const float value = static_cast<float>(i % 7) - 2.0F + static_cast<float>(b);
        std::memcpy(launch.buffers[b].contents.data() + static_cast<std::size_t>(i) * 4, &value, 4);
      }
    }
    return record_program(simulated_.program(launch));
  }
  static std::set<std::string> homes(const BlockSums& sums, std::uint32_t thread) {
    std::set<std::string> names;
    const BlockSums::Range range = sums.of_thread(thread);
    for (std::size_t i = range.first; i < range.last; ++i) {
      names.insert(sums.sums()[i].home.name);
    }
    return names;
  }
  static double total(const Accumulation& sum) {
    double total = static_cast<double>(sum.initial);
    for (const Term& term : sum.terms) {
      total += term.times * static_cast<double>(term.a.value) * static_cast<double>(term.b.value);
    }
    return total;
  }
  // A float of a variable of a thread.
  static std::optional<float> held(const record::State& state, std::uint32_t block,
                                   std::uint32_t thread, const SumHome& home) {
    const auto value = state.variable(block, thread, home.variable);
    if (!value || value->bytes.size() < home.offset + 4) {
      return std::nullopt;
    }
    float number = 0.0F;
    std::memcpy(&number, value->bytes.data() + home.offset, sizeof number);
    const bool is_there = value->status == record::Value::Status::Ok ||
                          value->status == record::Value::Status::ThreadExited;
    return is_there ? std::optional(number) : std::nullopt;
  }
  // Each sum has the value that its home holds, at the end of every statement, and the terms that
  // make it.
  static std::size_t compare_with_homes(const record::Recording& recording, std::uint32_t block) {
    const BlockSums sums(recording, block);
    record::State state = recording.state_at(0);
    std::size_t compared = 0;
    for (const std::uint64_t k : recording.statement_starts()) {
      state = recording.state_at(k, std::move(state));
      for (std::size_t i = 0; i < sums.sums().size(); ++i) {
        const OwnedSum& sum = sums.sums()[i];
        const SumNow now = sums.now(i, k);
        const auto value = held(state, block, sum.thread, sum.home);
        if (now.assigned && value) {
          EXPECT_EQ(now.value, *value) << sum.home.name << " at step " << k;
          ++compared;
        }
        const auto terms = sums.accumulation(i, k);
        EXPECT_EQ(terms.has_value(), now.values > 0);
        if (terms) {
          EXPECT_EQ(terms->value, now.value);
          EXPECT_EQ(total(*terms), static_cast<double>(now.value));
        }
      }
    }
    return compared;
  }

  test::Simulated simulated_;
};

TEST_F(Accumulators, AreOneAThreadInTheTiledKernel) {
  const auto recording = run("tiled", {8, 8, 8}, 4);
  const BlockSums sums(*recording, 1);
  ASSERT_EQ(sums.sums().size(), 16U);
  const BlockSums::Range range = sums.of_thread(6);
  ASSERT_EQ(range.size(), 1U);
  const OwnedSum& sum = sums.sums()[range.first];
  EXPECT_EQ(sum.kind, SumKind::Products);
  EXPECT_EQ(sum.home.name, "acc");
  EXPECT_EQ(sum.compensation.kind, SumHome::Kind::None);
  EXPECT_EQ(name_of(recording->program(), sum.at), "C[1][6]");
  EXPECT_FALSE(sum.atomic);
  EXPECT_FALSE(sum.overwritten);
  EXPECT_EQ(sums.find(6, sum.at), range.first);
  EXPECT_FALSE(sums.find(5, sum.at));
  EXPECT_GT(compare_with_homes(*recording, 1), 500U);
}

TEST_F(Accumulators, AreNoneBeforeTheyAreAssigned) {
  const auto recording = run("tiled", {8, 8, 8}, 4);
  const BlockSums sums(*recording, 0);
  EXPECT_FALSE(sums.now(0, 0).assigned);
  EXPECT_FALSE(sums.accumulation(0, 0));
  EXPECT_FALSE(sums.latest(0, 0));
  // First comes a stretch in which it is the 0 that the kernel assigned, and no products.
  bool started = false;
  for (const std::uint64_t k : recording->statement_starts()) {
    const SumNow now = sums.now(0, k);
    started = started || (now.assigned && now.values == 0);
    if (now.assigned && now.values == 0) {
      EXPECT_EQ(now.value, 0.0F);
    }
  }
  EXPECT_TRUE(started);
  const SumNow end = sums.now(0, recording->step_count());
  EXPECT_EQ(end.values, 8U);
  EXPECT_TRUE(end.grown);
  EXPECT_TRUE(end.stored);
  EXPECT_FALSE(sums.now(0, sums.sums()[0].stored).stored);
}

TEST_F(Accumulators, NameTheProductThatCameLast) {
  const auto recording = run("tiled", {8, 8, 8}, 4);
  const BlockSums sums(*recording, 1);
  const std::size_t sum = sums.of_thread(6).first;
  std::size_t seen = 0;
  for (const std::uint64_t k : recording->statement_starts()) {
    const auto terms = sums.accumulation(sum, k);
    const auto latest = sums.latest(sum, k);
    ASSERT_EQ(terms.has_value(), latest.has_value());
    if (!latest) {
      continue;
    }
    EXPECT_EQ(latest->a.col, terms->terms.back().a.col);
    EXPECT_EQ(latest->b.row, terms->terms.back().b.row);
    EXPECT_EQ(latest->times, 1.0);
    EXPECT_LT(latest->step, k);
    const SumOperation operation = sums.operation(sum, k);
    EXPECT_EQ(operation.sign, '+');
    EXPECT_EQ(operation.left + operation.right, operation.value);
    ++seen;
  }
  EXPECT_GT(seen, 8U);
}

TEST_F(Accumulators, AreElementsOfAnArrayInRegisterTiles) {
  const auto column = run("register_tile_1d", {16, 4, 8}, 4);
  const BlockSums of_column(*column, 0);
  EXPECT_EQ(homes(of_column, 5), (std::set<std::string>{"acc[0]", "acc[1]", "acc[2]", "acc[3]"}));
  EXPECT_GT(compare_with_homes(*column, 0), 1000U);

  const auto square = run("register_tile_2d", {16, 16, 8}, 4);
  const BlockSums of_square(*square, 0);
  ASSERT_EQ(of_square.of_thread(6).size(), 16U);
  EXPECT_EQ(homes(of_square, 6).size(), 16U);
  const ElementRef at{2, 5, 6};  // rows 1, 5, 9 and 13, columns 2, 6, 10 and 14 of thread (2,1)
  const auto sum = of_square.find(6, at);
  ASSERT_TRUE(sum);
  EXPECT_EQ(of_square.sums()[*sum].home.name, "acc[1][1]");
  EXPECT_EQ(of_square.sums()[*sum].home.variable, "acc");
  EXPECT_EQ(of_square.sums()[*sum].home.offset, 20U);
  EXPECT_GT(compare_with_homes(*square, 0), 4000U);

  const auto vectorised = run("register_tile_vectorised", {16, 16, 8}, 4);
  EXPECT_EQ(homes(BlockSums(*vectorised, 0), 6).size(), 16U);
  EXPECT_GT(compare_with_homes(*vectorised, 0), 4000U);
}

TEST_F(Accumulators, AreComponentsOfAVector) {
  const auto recording = run("float4_loads", {8, 8, 8}, 4);
  EXPECT_EQ(homes(BlockSums(*recording, 0), 2),
            (std::set<std::string>{"acc.w", "acc.x", "acc.y", "acc.z"}));
  EXPECT_GT(compare_with_homes(*recording, 0), 500U);
}

// The sum is what is stored; beside it is what rounding lost.
TEST_F(Accumulators, OfCompensatedSumsHaveACompensation) {
  for (const auto& [kernel, size, home, compensation] :
       {std::tuple{"pitched", problem::Problem{3, 33, 4}, "t", "y"},
        std::tuple{"naive_1d_kahan", problem::Problem{5, 3, 4}, "t", "y"},
        std::tuple{"row_in_shared_kahan", problem::Problem{3, 5, 20}, "t", "y"},
        std::tuple{"tiled_kahan_bounds", problem::Problem{5, 6, 7}, "results", "comp"}}) {
    problem::InputSpec input;
    input.pattern = problem::Pattern::Random;
    const problem::LaunchSpec& spec = *test::repository_catalog().find(kernel);
    const auto launch = problem::evaluate(spec, {size, spec.default_block_size}, input);
    ASSERT_TRUE(launch) << launch.error().message;
    const auto recording = record_program(simulated_.program(*launch));
    const BlockSums sums(*recording, 0);
    ASSERT_FALSE(sums.sums().empty()) << kernel;
    bool lost = false;
    for (std::size_t i = 0; i < sums.sums().size(); ++i) {
      const OwnedSum& sum = sums.sums()[i];
      EXPECT_EQ(sum.home.name, home) << kernel;
      EXPECT_EQ(sum.compensation.name, compensation) << kernel;
      const SumNow end = sums.now(i, recording->step_count());
      ASSERT_TRUE(end.compensation) << kernel;
      lost = lost || *end.compensation != 0.0F;
      const auto terms = sums.accumulation(i, recording->step_count());
      ASSERT_TRUE(terms);
      EXPECT_TRUE(terms->complete);
      EXPECT_GE(terms->terms.size(), static_cast<std::size_t>(size.K)) << kernel;
      EXPECT_NEAR(total(*terms), end.value, 1e-5);
    }
    EXPECT_TRUE(lost) << kernel << " loses nothing: the compensation is not it";
  }
}

// One variable serves for one element after another: each has its own stretch of time.
TEST_F(Accumulators, OfOneVariableFollowEachOther) {
  const auto recording = run("pitched", {3, 100, 4}, 6);
  const BlockSums sums(*recording, 0);
  const BlockSums::Range range = sums.of_thread(0);
  ASSERT_EQ(range.size(), 3U);
  for (std::size_t i = range.first + 1; i < range.last; ++i) {
    const std::uint64_t before = sums.sums()[i - 1].stored;
    EXPECT_FALSE(sums.now(i, before).assigned);
    EXPECT_TRUE(sums.now(i - 1, before).grown);
    EXPECT_LT(before, sums.sums()[i].stored);
  }
}

TEST_F(Accumulators, AreStoredUnfinishedToo) {
  const auto recording = run("tiled_store_inside_loop", {8, 8, 8}, 4);
  const BlockSums sums(*recording, 3);
  ASSERT_EQ(sums.of_thread(9).size(), 1U);
  const std::size_t sum = sums.of_thread(9).first;
  EXPECT_EQ(sums.accumulation(sum, recording->step_count())->terms.size(), 8U);
  EXPECT_GT(compare_with_homes(*recording, 3), 500U);
}

TEST_F(Accumulators, OfThreadsOutsideTheMatrixAreNone) {
  const auto recording = run("tiled", {3, 5, 4}, 4);
  const BlockSums sums(*recording, 1);
  EXPECT_EQ(sums.sums().size(), 3U);  // column 4, rows 0 to 2
  EXPECT_EQ(sums.of_thread(4).size(), 1U);
  EXPECT_EQ(sums.of_thread(5).size(), 0U);
  EXPECT_EQ(sums.of_thread(12).size(), 0U);
  const auto single = run("tiled", {3, 2, 4}, 1);
  EXPECT_EQ(BlockSums(*single, 5).sums().size(), 1U);
  EXPECT_GT(compare_with_homes(*single, 5), 10U);
}

TEST_F(Accumulators, OfOneDimensionalBlocksLandWhereTheirThreadsStore) {
  const auto recording = run("naive_1d", {3, 5, 4}, 4);
  const BlockSums sums(*recording, 0);
  ASSERT_EQ(sums.sums().size(), 15U);
  EXPECT_EQ(name_of(recording->program(), sums.sums()[sums.of_thread(7).first].at), "C[1][2]");
}

// A race changes what is added up, not that the equation holds.
TEST_F(Accumulators, OfARaceAreWhatWasAddedUp) {
  const auto recording = record_program(
      simulated_.program("tiled_missing_barrier", {8, 8, 8}, 4, compile::Build::Step, 4),
      {simt::ScheduleKind::RunAhead, 0});
  EXPECT_GT(compare_with_homes(*recording, 0), 100U);
}

TEST_F(Accumulators, OfAFastBuildAreInRegisters) {
  const auto recording =
      record_program(simulated_.program("register_tile_2d", {16, 16, 8}, 4, compile::Build::Fast));
  const BlockSums sums(*recording, 0);
  ASSERT_EQ(sums.of_thread(6).size(), 16U);
  std::set<std::string> names = homes(sums, 6);
  EXPECT_EQ(names.size(), 16U);
  EXPECT_TRUE(names.begin()->starts_with("%f")) << *names.begin();
  for (std::size_t i = 0; i < sums.sums().size(); ++i) {
    EXPECT_EQ(sums.sums()[i].home.kind, SumHome::Kind::Register);
    EXPECT_EQ(sums.accumulation(i, recording->step_count())->terms.size(), 8U);
  }
}

TEST_F(Accumulators, MayGrowInTheOutputItself) {
  const auto recording = run_own(R"(
extern "C" __global__ void kernel(const float* A, const float* B, float* C) {
  int i = threadIdx.x;
  C[i] = 0.0f;
  for (int k = 0; k < 4; ++k) {
    C[i] += A[4 * i + k] * B[k];
  }
})",
                                 2, 8, 2);
  const BlockSums sums(*recording, 0);
  ASSERT_EQ(sums.sums().size(), 2U);
  EXPECT_EQ(sums.sums()[1].home.kind, SumHome::Kind::Buffer);
  EXPECT_EQ(sums.sums()[1].home.name, "C[1]");
  const auto terms = sums.accumulation(1, recording->step_count());
  ASSERT_TRUE(terms);
  EXPECT_EQ(terms->terms.size(), 4U);
  EXPECT_TRUE(terms->complete);
  EXPECT_EQ(total(*terms), static_cast<double>(terms->value));
}

TEST_F(Accumulators, InSeveralVariablesAreAddedUpInTheEnd) {
  const auto recording = run_own(R"(
extern "C" __global__ void kernel(const float* A, const float* B, float* C) {
  float even = 0.0f;
  float odd = 0.0f;
  for (int k = 0; k < 8; k += 2) {
    even += A[k] * B[k];
    odd += A[k + 1] * B[k + 1];
  }
  C[0] = even + odd;
})",
                                 1, 8);
  const BlockSums sums(*recording, 0);
  ASSERT_EQ(sums.sums().size(), 1U);
  EXPECT_EQ(sums.sums()[0].home.name, "even");
  const std::uint64_t end = recording->step_count();
  EXPECT_EQ(sums.accumulation(0, end)->terms.size(), 8U);
  EXPECT_EQ(total(*sums.accumulation(0, end)), static_cast<double>(sums.now(0, end).value));
  EXPECT_TRUE(sums.parts(0, end).empty());
  EXPECT_FALSE(sums.latest(0, end)) << "what came last is a sum, no product";
  // Half-way there are two of them, and neither is called the whole.
  const std::uint64_t half = sums.sums()[0].stored / 2;
  const auto parts = sums.parts(0, half);
  ASSERT_EQ(parts.size(), 1U);
  const auto terms = sums.accumulation(0, half);
  ASSERT_TRUE(terms);
  EXPECT_LT(terms->terms.size(), 5U);
  EXPECT_EQ(total(*terms), static_cast<double>(terms->value));
}

TEST_F(Accumulators, GoThroughShufflesAndSharedMemory) {
  const auto recording = run_own(R"(
extern "C" __global__ void kernel(const float* A, const float* B, float* C) {
  __shared__ float s[2];
  int t = threadIdx.x;
  float sum = A[t] * B[t];
  for (int d = 16; d > 0; d /= 2) {
    sum += __shfl_down_sync(0xffffffffu, sum, d);
  }
  if (t % 32 == 0) { s[t / 32] = sum; }
  __syncthreads();
  if (t == 0) { C[0] = s[0] + s[1]; }
})",
                                 64, 64);
  const BlockSums sums(*recording, 0);
  ASSERT_EQ(sums.sums().size(), 1U);
  EXPECT_EQ(sums.sums()[0].kind, SumKind::Products);
  const std::uint64_t end = recording->step_count();
  const auto terms = sums.accumulation(0, end);
  ASSERT_TRUE(terms);
  EXPECT_EQ(terms->terms.size(), 64U);
  EXPECT_TRUE(terms->complete);
  EXPECT_EQ(total(*terms), static_cast<double>(terms->value));
  std::set<int> columns;
  for (const Term& term : terms->terms) {
    columns.insert(term.a.col);
  }
  EXPECT_EQ(columns.size(), 64U);
}

TEST_F(Accumulators, OfAtomicAdditionsAreAPart) {
  const auto recording = run_own(R"(
extern "C" __global__ void kernel(const float* A, const float* B, float* C) {
  float part = 0.0f;
  for (int k = 0; k < 4; ++k) { part += A[4 * threadIdx.x + k] * B[k]; }
  atomicAdd(&C[0], part);
})",
                                 2, 8);
  const BlockSums sums(*recording, 0);
  ASSERT_EQ(sums.sums().size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(sums.sums()[i].atomic);
    EXPECT_EQ(sums.sums()[i].home.name, "part");
    EXPECT_EQ(sums.accumulation(i, recording->step_count())->terms.size(), 4U);
  }
}

TEST_F(Accumulators, AreFollowedBehindWhatTheyAreScaledBy) {
  const auto recording = run_own(R"(
extern "C" __global__ void kernel(const float* A, const float* B, float* C) {
  float acc = 0.0f;
  for (int k = 0; k < 8; ++k) { acc += A[k] * B[k]; }
  C[0] = 2.0f * acc + 3.0f * C[0];
})",
                                 1, 8);
  const BlockSums sums(*recording, 0);
  ASSERT_EQ(sums.sums().size(), 1U);
  EXPECT_EQ(sums.sums()[0].home.name, "acc");
  EXPECT_EQ(sums.now(0, recording->step_count()).values, 10U);
  const auto half = sums.accumulation(0, sums.sums()[0].stored / 2);
  ASSERT_TRUE(half);
  EXPECT_TRUE(half->complete);
  EXPECT_EQ(total(*half), static_cast<double>(half->value));
  EXPECT_FALSE(sums.accumulation(0, recording->step_count())->complete);
}

TEST_F(Accumulators, OfOtherKernelsSayWhatWasComputedLast) {
  const auto recording = run_own(R"(
extern "C" __global__ void kernel(const float* A, const float* B, float* C) {
  float sum = 0.0f;
  for (int k = 0; k < 8; ++k) { sum += A[k]; }
  C[0] = sum;
  C[1] = A[3] - B[1];
  C[2] = 5.0f;
})",
                                 1, 8, 3);
  const BlockSums sums(*recording, 0);
  ASSERT_EQ(sums.sums().size(), 3U);
  const std::uint64_t end = recording->step_count();
  EXPECT_EQ(sums.sums()[0].kind, SumKind::Other);
  EXPECT_EQ(sums.sums()[0].home.name, "sum");
  EXPECT_EQ(sums.now(0, end).values, 8U);
  EXPECT_EQ(sums.operation(0, end).sign, '+');
  EXPECT_EQ(sums.operation(1, end).sign, '-');
  EXPECT_EQ(sums.operation(1, end).left, 1.0F);
  EXPECT_EQ(sums.operation(1, end).right, 0.0F);
  EXPECT_EQ(sums.operation(2, end).sign, ' ');
  EXPECT_EQ(sums.now(2, end).value, 5.0F);
  EXPECT_FALSE(sums.factors());
}

TEST_F(Accumulators, RolesComeFromValuesNotFromNames) {
  const auto tiled = run("register_tile_2d", {8, 8, 8}, 4);
  const BlockSums sums(*tiled, 0);
  for (const char* name : {"A", "As", "As[1][2]", "a_reg", "a_reg[1]"}) {
    EXPECT_EQ(sums.role_of(name), ValueRole::A) << name;
  }
  for (const char* name : {"B", "Bs", "b_reg"}) {
    EXPECT_EQ(sums.role_of(name), ValueRole::B) << name;
  }
  for (const char* name : {"C", "acc", "acc[0][1]"}) {
    EXPECT_EQ(sums.role_of(name), ValueRole::Sum) << name;
  }
  for (const char* name : {"row", "tx", "M", "nobody"}) {
    EXPECT_EQ(sums.role_of(name), ValueRole::None) << name;
  }
  ASSERT_TRUE(sums.factors());
  EXPECT_EQ(sums.factors()->a, 0U);
  EXPECT_EQ(sums.factors()->b, 1U);

  // Names that mislead: Bs holds A, A_sum is from B, total is the sum.
  const auto misleading = run_own(R"(
extern "C" __global__ void kernel(const float* A, const float* B, float* C) {
  __shared__ float Bs[8];
  int t = threadIdx.x;
  Bs[t] = A[t];
  __syncthreads();
  float total = 0.0f;
  float both = A[0];
  for (int k = 0; k < 8; ++k) {
    float A_sum = B[k];
    total += Bs[k] * A_sum;
    both = B[k];
  }
  C[t] = total + 0.0f * both;
})",
                                  8, 8, 8);
  const BlockSums own(*misleading, 0);
  EXPECT_EQ(own.role_of("Bs"), ValueRole::A);
  EXPECT_EQ(own.role_of_shared(3), ValueRole::A);
  EXPECT_EQ(own.role_of("A_sum"), ValueRole::B);
  EXPECT_EQ(own.role_of("total"), ValueRole::Sum);
  EXPECT_EQ(own.role_of("both"), ValueRole::None) << "it holds numbers of A and of B";
}

}  // namespace
}  // namespace tilestep::insight
