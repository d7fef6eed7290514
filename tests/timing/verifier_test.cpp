#include "timing/operands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace tilestep::timing {
namespace {

using problem::Matrix;
using ::testing::HasSubstr;

problem::LaunchSpec product_spec() {
  problem::LaunchSpec spec;
  spec.id = "any";
  spec.buffers = {
      {"A", problem::ElementType::F32, "M", "K", "", problem::BufferRole::Input, {}, {}},
      {"B", problem::ElementType::F32, "K", "N", "", problem::BufferRole::Input, {}, {}},
      {"C", problem::ElementType::F32, "M", "N", "", problem::BufferRole::Output, {}, {}}};
  return spec;
}

problem::Launch launch_of(problem::Problem p, problem::Pattern pattern,
                          const problem::LaunchSpec& spec = product_spec()) {
  problem::InputSpec input;
  input.pattern = pattern;
  const auto launch = problem::evaluate(spec, {p, 1}, input);
  EXPECT_TRUE(launch.has_value()) << launch.error().message;
  return *launch;
}

std::vector<std::byte> bytes_of(const Matrix& matrix) {
  std::vector<std::byte> bytes(matrix.values.size() * sizeof(float));
  std::memcpy(bytes.data(), matrix.values.data(), bytes.size());
  return bytes;
}

Matrix right_result(const problem::Launch& launch) {
  return problem::to_float32(*problem::expected_result(launch, problem::Reference::Double));
}

TEST(Freivalds, AcceptsTheProduct) {
  const problem::Launch launch = launch_of({37, 50, 61}, problem::Pattern::DistinctIntegers);
  const Matrix A = problem::to_matrix(launch.buffers[0], launch.buffers[0].contents);
  const Matrix B = problem::to_matrix(launch.buffers[1], launch.buffers[1].contents);
  EXPECT_EQ(freivalds(A, B, right_result(launch), 1), std::nullopt);
}

TEST(Freivalds, FindsTheRowOfEverySingleWrongElement) {
  const problem::Launch launch = launch_of({5, 7, 9}, problem::Pattern::DistinctIntegers);
  const Matrix A = problem::to_matrix(launch.buffers[0], launch.buffers[0].contents);
  const Matrix B = problem::to_matrix(launch.buffers[1], launch.buffers[1].contents);
  const Matrix C = right_result(launch);
  for (std::size_t i = 0; i < C.values.size(); ++i) {
    Matrix wrong = C;
    wrong.values[i] += 1.0F;
    EXPECT_EQ(freivalds(A, B, wrong, 1), static_cast<int>(i) / 7) << "element " << i;
  }
}

TEST(Freivalds, SeesTwoErrorsThatCancelInARowSum) {
  const problem::Launch launch = launch_of({4, 4, 4}, problem::Pattern::DistinctIntegers);
  const Matrix A = problem::to_matrix(launch.buffers[0], launch.buffers[0].contents);
  const Matrix B = problem::to_matrix(launch.buffers[1], launch.buffers[1].contents);
  Matrix wrong = right_result(launch);
  wrong.values[8] += 1.0F;
  wrong.values[9] -= 1.0F;
  EXPECT_EQ(freivalds(A, B, wrong, 1), 2);
}

TEST(Freivalds, WhatIsNoIntegerIsWrong) {
  const problem::Launch launch = launch_of({3, 3, 3}, problem::Pattern::DistinctIntegers);
  const Matrix A = problem::to_matrix(launch.buffers[0], launch.buffers[0].contents);
  const Matrix B = problem::to_matrix(launch.buffers[1], launch.buffers[1].contents);
  for (const float value : {std::nanf(""), std::numeric_limits<float>::infinity(), 0.5F}) {
    Matrix wrong = right_result(launch);
    wrong.values[4] = value;
    EXPECT_EQ(freivalds(A, B, wrong, 1), 1) << value;
  }
}

TEST(Verifier, ASmallResultIsComparedElementByElement) {
  const problem::Launch launch = launch_of({6, 5, 4}, problem::Pattern::DistinctIntegers);
  Verifier verifier(launch);
  ASSERT_TRUE(verifier.possible());
  Matrix C = right_result(launch);
  EXPECT_EQ(verifier.check(bytes_of(C)), "");
  C.values[13] += 2.0F;
  EXPECT_THAT(verifier.check(bytes_of(C)), HasSubstr("C[2][3] is "));
  EXPECT_THAT(verifier.check(bytes_of(C)), HasSubstr("1 of 30 elements wrong"));
}

TEST(Verifier, APoisonedResultIsWrong) {
  const problem::Launch launch = launch_of({6, 5, 4}, problem::Pattern::DistinctIntegers);
  Verifier verifier(launch);
  const std::vector<std::byte> poison(6 * 5 * sizeof(float), std::byte{0xff});
  EXPECT_THAT(verifier.check(poison), HasSubstr("C[0][0] is NaN, expected "));
  EXPECT_THAT(verifier.check(poison), HasSubstr("30 of 30 elements wrong"));
}

TEST(Verifier, RandomInputsAllowRoundingAndNoMore) {
  const problem::Launch launch = launch_of({8, 8, 8}, problem::Pattern::Random);
  Verifier verifier(launch);
  Matrix C = right_result(launch);
  C.values[0] = std::nextafter(C.values[0], 10.0F);
  EXPECT_EQ(verifier.check(bytes_of(C)), "");
  C.values[0] += 0.01F;
  EXPECT_NE(verifier.check(bytes_of(C)), "");
}

TEST(Verifier, ALargeResultThatPassesFreivaldsBecomesTheReference) {
  // Wide and flat: beyond the host's limit, and still quick to multiply.
  const problem::Launch launch = launch_of({2048, 4, 16500}, problem::Pattern::DistinctIntegers);
  ASSERT_EQ(problem::default_tolerance(launch), 0.0);
  Verifier verifier(launch);
  ASSERT_TRUE(verifier.possible());
  const Matrix C = right_result(launch);
  Matrix wrong = C;
  wrong.values[4 * 1000 + 2] += 1.0F;
  EXPECT_EQ(verifier.check(bytes_of(wrong)), "row 1000 of C is not that of A·B");
  EXPECT_EQ(verifier.check(bytes_of(C)), "");
  EXPECT_THAT(verifier.check(bytes_of(wrong)), HasSubstr("C[1000][2] is "));
}

TEST(Verifier, TheInputsOfTheLargestSweepAreExact) {
  // Otherwise nothing would be verified at 4096.
  const problem::Launch launch = launch_of({64, 64, 4096}, problem::Pattern::DistinctIntegers);
  EXPECT_EQ(problem::default_tolerance(launch), 0.0);
}

TEST(Verifier, ABufferIsComparedWithWhatItsDescriptionExpects) {
  problem::LaunchSpec spec = product_spec();
  spec.reference = "";
  spec.buffers[2] = {
      "sum", problem::ElementType::F32,   "M", "K",
      "",    problem::BufferRole::Output, {},  problem::ExpectedSpec{"add", {"A", "A"}, {}, {}}};
  const problem::Launch launch = launch_of({2, 4, 3}, problem::Pattern::DistinctIntegers, spec);
  Verifier verifier(launch);
  ASSERT_TRUE(verifier.possible()) << verifier.why_not();
  EXPECT_EQ(verifier.buffer(), "sum");
  Matrix twice = problem::to_matrix(launch.buffers[0], launch.buffers[0].contents);
  for (float& value : twice.values) {
    value *= 2.0F;
  }
  EXPECT_EQ(verifier.check(bytes_of(twice)), "");
  twice.values[4] += 1.0F;
  EXPECT_THAT(verifier.check(bytes_of(twice)), HasSubstr("sum[1][1] is "));
}

TEST(Verifier, WithoutAReferenceItSaysSo) {
  problem::LaunchSpec spec = product_spec();
  spec.reference = "";
  const Verifier verifier(launch_of({4, 4, 4}, problem::Pattern::DistinctIntegers, spec));
  EXPECT_FALSE(verifier.possible());
  EXPECT_THAT(verifier.why_not(), HasSubstr("names no reference"));
}

}  // namespace
}  // namespace tilestep::timing
