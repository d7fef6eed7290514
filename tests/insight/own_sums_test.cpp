// Sums of threads in kernels of other forms, and the values of arrays and variables.
#include "accumulators_fixture.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace tilestep::insight {
namespace {

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
  const auto whole = sums.accumulation(0, recording->step_count());
  EXPECT_TRUE(whole->complete);
  EXPECT_EQ(whole->terms.size(), 2U);  // 2·acc and 3·C[0]
  EXPECT_EQ(total(*whole), static_cast<double>(whole->value));
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

TEST_F(Accumulators, OfDoublesAreFollowedToo) {
  test::OwnKernel kernel;
  kernel.source = R"(
extern "C" __global__ void kernel(const double* A, const double* B, double* C) {
  double acc[2] = {};
  for (int k = 0; k < 4; ++k) {
    for (int i = 0; i < 2; ++i) { acc[i] += A[4 * i + k] * B[k]; }
  }
  C[0] = acc[0];
  C[1] = acc[1];
})";
  kernel.block = {1, 1, 1};
  kernel.buffers = {{"A", 8}, {"B", 4}, {"C", 2}};
  problem::Launch launch = test::launch_of(kernel);
  for (problem::Buffer& buffer : launch.buffers) {
    buffer.type = problem::ElementType::F64;
    buffer.contents.resize(static_cast<std::size_t>(buffer.cols) * 8);
    for (int i = 0; i < buffer.cols; ++i) {
      const double value = i + 1.5;
      std::memcpy(buffer.contents.data() + static_cast<std::size_t>(i) * 8, &value, 8);
    }
  }
  const auto recording = record_program(simulated_.program(launch));
  const BlockSums sums(*recording, 0);
  ASSERT_EQ(sums.sums().size(), 2U);
  EXPECT_EQ(sums.sums()[1].home.name, "acc[1]");
  EXPECT_EQ(sums.sums()[1].home.offset, 8U);
  const auto terms = sums.accumulation(1, recording->step_count());
  ASSERT_TRUE(terms);
  EXPECT_EQ(terms->terms.size(), 4U);
  EXPECT_EQ(total(*terms), static_cast<double>(terms->value));
}

// A value that is not followed is not omitted: the thread stores something, and that is reported.
TEST_F(Accumulators, OfIntegersAndHalvesAreNotFollowed) {
  for (const auto& [type, name, bytes] :
       {std::tuple{problem::ElementType::S32, "int", 4},
        std::tuple{problem::ElementType::U16, "unsigned short", 2}}) {
    test::OwnKernel kernel;
    kernel.source = fmt::format(
        "extern \"C\" __global__ void kernel({0}* A, {0}* C) {{ int i = threadIdx.x; "
        "C[i] = ({0})(A[i] * A[i] + A[0]); }}",
        name);
    kernel.block = {4, 1, 1};
    kernel.buffers = {{"A", 4}, {"C", 4}};
    problem::Launch launch = test::launch_of(kernel);
    for (problem::Buffer& buffer : launch.buffers) {
      buffer.type = type;
      buffer.contents.resize(static_cast<std::size_t>(4 * bytes));
    }
    const auto recording = record_program(simulated_.program(launch));
    const BlockSums sums(*recording, 0);
    ASSERT_EQ(sums.sums().size(), 4U) << name;
    EXPECT_EQ(sums.sums()[2].kind, SumKind::Untraced) << name;
    EXPECT_FALSE(sums.now(2, recording->step_count()).assigned);
    EXPECT_FALSE(sums.accumulation(2, recording->step_count()));
    EXPECT_EQ(sums.operation(2, recording->step_count()).sign, ' ');
  }
}

TEST_F(Accumulators, OfTooLargeABlockAreNoneAndTheirVariableIsKnown) {
  for (const auto& [kernel, name] :
       {std::pair{"tiled", "acc"}, std::pair{"register_tile_2d", "acc"}}) {
    const auto recording = run(kernel, {16, 16, 32}, 4);
    const BlockSums sums(*recording, 0, 1500);
    EXPECT_TRUE(sums.is_too_large());
    EXPECT_TRUE(sums.sums().empty());
    EXPECT_EQ(sums.of_thread(0).size(), 0U);
    EXPECT_EQ(sums.common_name(), name);
    EXPECT_FALSE(BlockSums(*recording, 0).is_too_large());
  }
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
  EXPECT_EQ(own.role_of_shared(3, misleading->step_count()), ValueRole::A);
  EXPECT_EQ(own.role_of_shared(3, 0), ValueRole::None);
  EXPECT_EQ(own.role_of("A_sum"), ValueRole::B);
  EXPECT_EQ(own.role_of("total"), ValueRole::Sum);
  EXPECT_EQ(own.role_of("both"), ValueRole::None) << "it holds numbers of A and of B";
}

}  // namespace
}  // namespace tilestep::insight
