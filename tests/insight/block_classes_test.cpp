// When a few blocks are enough to check a launch, and the reasons when they are not.
#include "insight/check/check.h"
#include "insight/count/representatives.h"
#include "simulated.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace tilestep::insight {
namespace {

using testing::HasSubstr;

class BlockClassesTest : public testing::Test {
 protected:
  // y, or the reason against it.
  std::string classes_of(std::string body, int elements = 640) {
    test::OwnKernel own;
    own.source =
        "__global__ void kernel(const float* x, float* y) {\n"
        "int i = blockIdx.x * blockDim.x + threadIdx.x;\n" +
        std::move(body) + "\n}\n";
    own.grid = {20, 1, 1};
    own.block = {32, 1, 1};
    own.buffers = {{"x", 640}, {"y", elements}};
    problem::Launch launch = test::launch_of(own);
    launch.buffers[1].role = problem::BufferRole::Output;
    const auto classes =
        block_classes(simulated_.program(launch, compile::Build::Fast), 100'000, nullptr);
    return classes ? "" : classes.error().message;
  }
  test::Simulated simulated_;
};

TEST_F(BlockClassesTest, AreEnoughWhereBlocksKeepToThemselves) {
  EXPECT_EQ(classes_of("y[i] = 2.0f * x[i];"), "");
  EXPECT_EQ(classes_of("y[i] = 2.0f * x[639 - i];"), "");
  EXPECT_EQ(classes_of("y[i] += x[i];"), "") << "each reads what it stores itself";
  EXPECT_EQ(classes_of("y[i] = 1.0f; y[i] = x[i];"), "") << "twice by one block";
}

// Anything that blockIdx decides makes a separate class.
TEST_F(BlockClassesTest, ShowWhatOneBlockAloneDoesWrong) {
  test::OwnKernel own;
  own.source =
      "__global__ void kernel(const float* x, float* y) {\n"
      "  __shared__ float s[64];\n"
      "  int t = threadIdx.x, i = blockIdx.x * 64 + t;\n"
      "  s[t] = x[i];\n"
      "  if (blockIdx.x != 13) __syncthreads();\n"
      "  y[i] = s[63 - t];\n"
      "}\n";
  own.grid = {20, 1, 1};
  own.block = {64, 1, 1};
  own.buffers = {{"x", 1280}, {"y", 1280}};
  const auto program = simulated_.program(test::launch_of(own), compile::Build::Fast);
  const auto classes = block_classes(program, 100'000, nullptr);
  ASSERT_TRUE(classes) << classes.error().message;
  EXPECT_LE(classes->representatives.size(), 3U);
  EXPECT_THAT(classes->representatives, testing::Contains(13U));
  const CheckResult result = check_classes(program, *classes);
  ASSERT_EQ(result.findings.size(), 1U);
  EXPECT_EQ(result.findings.front().kind, FindingKind::SharedRace);
  EXPECT_EQ(result.findings.front().parties.front().block.x, 13U);
}

TEST_F(BlockClassesTest, AreNotEnoughWhereBlocksMeet) {
  EXPECT_THAT(classes_of("y[threadIdx.x] = x[i]; y[i] = 1.0f;"), HasSubstr("may store"));
  EXPECT_THAT(classes_of("if (i < 608) y[i] = y[i + 32]; else y[i] = 0.0f;"),
              HasSubstr("may read what other blocks store in y"));
  EXPECT_THAT(classes_of("atomicAdd(&y[i], x[i]);"), HasSubstr("atomics"));
}

TEST_F(BlockClassesTest, AreNotEnoughWhereElementsAreLeftOut) {
  EXPECT_THAT(classes_of("if (i < 600) y[i] = x[i];"),
              HasSubstr("has elements that no block stores"));
}

TEST_F(BlockClassesTest, AreNotEnoughWhereMemoryDecides) {
  EXPECT_THAT(classes_of("y[i] = x[i] > 0.0f ? x[(int)x[i]] : 0.0f;"), HasSubstr("memory"));
}

}  // namespace
}  // namespace tilestep::insight
