// `tilestep run` on a driver in host memory, whose kernels the test computes.
#include "cli/run_command.h"

#include "folders.h"
#include "gpu/fake_driver.h"
#include "loading/prepare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace tilestep::cli {
namespace {

std::vector<std::byte> bytes_of(const std::vector<float>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

problem::Buffer floats(const char* name) {
  problem::Buffer buffer;
  buffer.name = name;
  return buffer;
}

TEST(CompareBits, SameBitsAreSame) {
  const auto bytes = bytes_of({1.0F, std::nanf(""), -0.0F});
  const BitComparison c = compare_bits(floats("C"), bytes, bytes);
  EXPECT_EQ(c.buffer, "C");
  EXPECT_EQ(c.elements, 3U);
  EXPECT_EQ(c.different, 0U);
}

TEST(CompareBits, EqualNumbersWithOtherBitsDiffer) {
  const BitComparison c =
      compare_bits(floats("C"), bytes_of({1.0F, -0.0F, 2.0F}), bytes_of({1.0F, 0.0F, 3.0F}));
  EXPECT_EQ(c.different, 2U);
  EXPECT_EQ(c.first, 1U);
  EXPECT_EQ(c.gpu_bits, 0x80000000U);
  EXPECT_EQ(c.machine_bits, 0U);
}

struct MatmulArguments {
  const float* A;
  const float* B;
  float* C;
  int M;
  int N;
  int K;
};

// As in the fast build: one fused multiply-add per term, in the order of k.
int multiply(const fake::Launch& launch) {
  MatmulArguments a{};
  std::memcpy(static_cast<void*>(&a), launch.arguments.data(),
              std::min(launch.arguments.size(), sizeof a));
  for (int row = 0; row < a.M; ++row) {
    for (int col = 0; col < a.N; ++col) {
      float sum = 0.0F;
      for (int k = 0; k < a.K; ++k) {
        sum = std::fma(a.A[row * a.K + k], a.B[k * a.N + col], sum);
      }
      a.C[row * a.N + col] = sum;
    }
  }
  return 0;
}

const BitRun kRun{compile::Build::Fast, "random:3"};

class RunOnFakeGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    fake::reset();
    fake::driver().on_launch = multiply;
    device = std::move(
        gpu::Device::open({{test::fake_driver()}, {test::fake_driver()}, {test::fake_driver()}})
            .value());
  }

  Result<RunReport> run(const std::string& kernel, const std::string& input) {
    return run(spec(kernel), {9, 7, 5}, *parse_input(input));
  }

  Result<RunReport> run(const problem::LaunchSpec& kernel, problem::Problem size,
                        const problem::InputSpec& input = {}) {
    const auto prepared = loading::prepare(compiler, kernel, {size, 4}, input).value();
    return compare_with_gpu(prepared, {}, *device);
  }

  KernelBits compare(const std::string& kernel) {
    return compare_kernel(spec(kernel), kRun, compiler, *device);
  }

  static problem::LaunchSpec spec(const std::string& kernel) {
    return *problem::load_catalog(tilestep::test::source_folder() / "kernels")->find(kernel);
  }

  compile::Compiler compiler{compile::CacheOptions{}};
  std::unique_ptr<gpu::Device> device;
};

TEST_F(RunOnFakeGpu, TheMachineAgreesInEveryBitOfARandomProduct) {
  const auto report = run("tiled", "random:3");
  ASSERT_TRUE(report.has_value()) << report.error().message;
  ASSERT_EQ(report->buffers.size(), 1U);
  EXPECT_EQ(report->buffers[0].buffer, "C");
  EXPECT_EQ(report->buffers[0].elements, 63U);
  EXPECT_EQ(report->buffers[0].different, 0U);
  EXPECT_TRUE(report->reference);
  EXPECT_TRUE(report->fine());
}

TEST_F(RunOnFakeGpu, OneBitOfDifferenceIsFound) {
  fake::driver().on_launch = [](const fake::Launch& launch) {
    multiply(launch);
    MatmulArguments a{};
    std::memcpy(static_cast<void*>(&a), launch.arguments.data(), launch.arguments.size());
    a.C[40] = std::nextafter(a.C[40], 100.0F);
    return 0;
  };
  const auto report = run("tiled", "random:3");
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(report->buffers[0].different, 1U);
  EXPECT_EQ(report->buffers[0].first, 40U);
  EXPECT_EQ(report->reference->comparison.wrong, 0U);  // within rounding of the host's product
  EXPECT_FALSE(report->fine());
}

TEST_F(RunOnFakeGpu, AWildKernelIsNotLaunched) {
  problem::LaunchSpec wild = spec("naive");
  wild.source = R"(
__global__ void matmul_naive(const float* A, const float* B, float* C, int M, int N, int K) {
  C[1000000 + threadIdx.x] = A[0];
})";
  const auto report = run(wild, {4, 4, 4});
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_NE(report->fault, "");
  EXPECT_FALSE(report->fine());
  EXPECT_THAT(fake::driver().calls,
              ::testing::Not(::testing::Contains(::testing::StartsWith("launch"))));
}

TEST_F(RunOnFakeGpu, WhatARequirementKeepsOffGpusIsNotLaunched) {
  problem::LaunchSpec picky = spec("tiled");
  picky.requirements = {{"M % 4 == 0", "Choose multiples of 4.", true}};
  const auto report = run(picky, {9, 7, 5});
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().message, "Choose multiples of 4.");
  EXPECT_THAT(fake::driver().calls,
              ::testing::Not(::testing::Contains(::testing::StartsWith("launch"))));
}

TEST_F(RunOnFakeGpu, OfEveryKernelADozenSizesAreCompared) {
  const KernelBits tiled = compare("tiled");
  EXPECT_EQ(tiled.why_not_compared, "");
  EXPECT_EQ(tiled.same, kSizesEach);
  EXPECT_EQ(tiled.different, 0U);
  // Sizes that are not multiples of BLOCK_SIZE lead to accesses outside its matrices.
  const KernelBits whole = compare("tiled_no_guard");
  EXPECT_GT(whole.not_taken, 0U);
}

TEST_F(RunOnFakeGpu, SizesThatAKernelRacesAtAreNotCompared) {
  const KernelBits racing = compare("tiled_missing_first_barrier");
  EXPECT_EQ(racing.not_taken, sizes_to_try().size() - 1);
  EXPECT_EQ(racing.same, 1U);  // a single thread cannot race
}

TEST_F(RunOnFakeGpu, ADifferenceIsNamedByItsLaunch) {
  fake::driver().on_launch = [](const fake::Launch& launch) {
    multiply(launch);
    MatmulArguments a{};
    std::memcpy(static_cast<void*>(&a), launch.arguments.data(), launch.arguments.size());
    a.C[0] = -a.C[0];
    return 0;
  };
  const KernelBits tiled = compare("tiled");
  EXPECT_EQ(tiled.different, kSizesEach);
  ASSERT_FALSE(tiled.differences.empty());
  EXPECT_THAT(tiled.differences[0], testing::HasSubstr("37×53×29, BLOCK_SIZE 8: 1 of 1961"));
}

}  // namespace
}  // namespace tilestep::cli
