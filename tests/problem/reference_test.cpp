#include "problem/launch/reference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

namespace tilestep::problem {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

constexpr Reference kAll[] = {Reference::Plain, Reference::Kahan, Reference::Double};

TEST(Multiply, Textbook2By3By2) {
  const Matrix A{2, 3, {1, 2, 3, 4, 5, 6}};
  const Matrix B{3, 2, {7, 8, 9, 10, 11, 12}};
  for (const Reference how : kAll) {
    EXPECT_EQ(multiply(A, B, how), (Matrix{2, 2, {58, 64, 139, 154}}));
  }
}

TEST(ExpectedElements, AreThoseOfTheWholeProduct) {
  Launch launch;
  launch.reference = "matmul";
  launch.parameters.problem = {5, 4, 7};
  const auto add = [&](const char* name, int rows, int cols, int pitch, BufferRole role) {
    Buffer buffer;
    buffer.name = name;
    buffer.rows = rows;
    buffer.cols = cols;
    buffer.pitch = pitch;
    buffer.role = role;
    buffer.contents.resize(byte_count(buffer));
    for (std::size_t i = 0; i < buffer.contents.size() / sizeof(float); ++i) {
      const float value = 0.37F * static_cast<float>(i % 11) - 1.5F;
      std::memcpy(buffer.contents.data() + i * sizeof value, &value, sizeof value);
    }
    launch.buffers.push_back(std::move(buffer));
  };
  add("A", 5, 7, 8, BufferRole::Input);
  add("B", 7, 4, 6, BufferRole::Input);
  add("C", 5, 4, 4, BufferRole::Output);
  const std::vector<std::size_t> elements{0, 3, 7, 19};
  for (const Reference how : kAll) {
    const auto whole = expected_result(launch, how);
    const auto some = expected_elements(launch, how, elements);
    ASSERT_TRUE(whole && some);
    for (std::size_t i = 0; i < elements.size(); ++i) {
      EXPECT_EQ((*some)[i], whole->values[elements[i]]) << elements[i];
    }
  }
}

TEST(Multiply, AwkwardSizes_AgreeOnIntegers) {
  for (int m = 1; m <= 5; ++m) {
    for (int n = 1; n <= 7; n += 2) {
      for (int k = 1; k <= 33; k += 8) {
        const Matrix A = to_float32(*make_input({}, m, k, 0));
        const Matrix B = to_float32(*make_input({}, k, n, 1));
        const Matrix C = multiply(A, B, Reference::Plain);
        ASSERT_EQ(C.rows, m);
        ASSERT_EQ(C.cols, n);
        float corner = 0.0F;
        for (int i = 0; i < k; ++i) {
          corner += A.at(m - 1, i) * B.at(i, n - 1);
        }
        EXPECT_EQ(C.at(m - 1, n - 1), corner);
        EXPECT_EQ(multiply(A, B, Reference::Kahan), C);
        EXPECT_EQ(multiply(A, B, Reference::Double), C);
      }
    }
  }
}

TEST(Multiply, NoTerms_GiveZeros) {
  EXPECT_EQ(multiply({2, 0, {}}, {0, 2, {}}, Reference::Plain), (Matrix{2, 2, {0, 0, 0, 0}}));
  EXPECT_EQ(multiply({0, 3, {}}, {3, 2, {0, 0, 0, 0, 0, 0}}, Reference::Double),
            (Matrix{0, 2, {}}));
}

TEST(Multiply, KahanAndDouble_KeepWhatPlainLoses) {
  // 2^24 + 1 + 1: each 1 alone is lost in float32.
  const Matrix A{1, 3, {16777216.0F, 1.0F, 1.0F}};
  const Matrix B{3, 1, {1.0F, 1.0F, 1.0F}};
  EXPECT_EQ(multiply(A, B, Reference::Plain).values[0], 16777216.0F);
  EXPECT_EQ(multiply(A, B, Reference::Kahan).values[0], 16777218.0F);
  EXPECT_EQ(multiply(A, B, Reference::Double).values[0], 16777218.0F);
}

TEST(Multiply, Plain_RoundsEveryProduct) {
  // A fused multiply-add would keep the 2^-46 of the product: the step build does not fuse.
  const float a = 1.0F + 0x1p-23F;
  const Matrix A{1, 2, {-(a * a), a}};
  const Matrix B{2, 1, {1.0F, a}};
  EXPECT_EQ(multiply(A, B, Reference::Plain).values[0], 0.0F);
}

TEST(Multiply, NanAndInfinity_GoOnAsInIeee) {
  const Matrix A{1, 2, {kNan, 1.0F}};
  const Matrix B{2, 1, {0.0F, 1.0F}};
  EXPECT_TRUE(std::isnan(multiply(A, B, Reference::Plain).values[0]));
  const Matrix inf{1, 1, {HUGE_VALF}};
  EXPECT_TRUE(std::isnan(multiply(inf, {1, 1, {0.0F}}, Reference::Plain).values[0]));
}

TEST(Compare, Exact_CountsAndPlacesTheFirstWrongElement) {
  const Matrix expected{2, 2, {1, 2, 3, 4}};
  const Comparison same = compare(expected, expected, 0.0);
  EXPECT_EQ(same.wrong, 0U);
  EXPECT_EQ(same.first_wrong_row, -1);
  const Comparison off = compare(Matrix{2, 2, {1, 2, 5, 3}}, expected, 0.0);
  EXPECT_EQ(off.compared, 4U);
  EXPECT_EQ(off.wrong, 2U);
  EXPECT_EQ(off.first_wrong_row, 1);
  EXPECT_EQ(off.first_wrong_col, 0);
  EXPECT_EQ(off.got, 5.0F);
  EXPECT_EQ(off.expected, 3.0F);
  EXPECT_EQ(off.max_abs_error, 2.0);
  EXPECT_DOUBLE_EQ(off.max_rel_error, 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(off.average_rel_error, (2.0 / 3.0 + 1.0 / 4.0) / 4.0);
}

TEST(Compare, NanIsRightWhereItIsExpectedAndNowhereElse) {
  for (const double tolerance : {0.0, 1.0, HUGE_VAL}) {
    EXPECT_EQ(compare(Matrix{1, 1, {kNan}}, {1, 1, {1.0F}}, tolerance).wrong, 1U);
    EXPECT_EQ(compare(Matrix{1, 1, {1.0F}}, {1, 1, {kNan}}, tolerance).wrong, 1U);
    EXPECT_EQ(compare(Matrix{1, 1, {kNan}}, {1, 1, {kNan}}, tolerance).wrong, 0U);
  }
}

TEST(Compare, EqualInfinities_AreRight) {
  EXPECT_EQ(compare(Matrix{1, 1, {HUGE_VALF}}, {1, 1, {HUGE_VALF}}, 1e-6).wrong, 0U);
  EXPECT_EQ(compare(Matrix{1, 1, {-HUGE_VALF}}, {1, 1, {HUGE_VALF}}, 1e-6).wrong, 1U);
}

TEST(Compare, ToleranceIsRelativeAboveOneAndAbsoluteBelow) {
  EXPECT_EQ(compare(Matrix{1, 1, {1000.5F}}, {1, 1, {1000.0F}}, 1e-3).wrong, 0U);
  EXPECT_EQ(compare(Matrix{1, 1, {1002.0F}}, {1, 1, {1000.0F}}, 1e-3).wrong, 1U);
  EXPECT_EQ(compare(Matrix{1, 1, {0.0005F}}, {1, 1, {0.0F}}, 1e-3).wrong, 0U);
}

LaunchSpec matmul_spec(ElementType type) {
  LaunchSpec spec;
  spec.id = "test";
  spec.entry = "k";
  spec.buffers = {{"A", type, "M", "K", "", BufferRole::Input, std::nullopt, std::nullopt},
                  {"B", type, "K", "N", "", BufferRole::Input, std::nullopt, std::nullopt},
                  {"C", type, "M", "N", "", BufferRole::Output, std::nullopt, std::nullopt}};
  return spec;
}

Launch matmul_launch(const Problem& problem, const InputSpec& input,
                     ElementType type = ElementType::F32) {
  return *evaluate(matmul_spec(type), {problem, 4}, input);
}

TEST(ExpectedResult, IsTheProductOfTheInputBuffers) {
  for (const ElementType type : {ElementType::F32, ElementType::F64, ElementType::S32}) {
    const Launch launch = matmul_launch({3, 4, 5}, {}, type);
    const std::optional<Numbers> expected = expected_result(launch, Reference::Plain);
    ASSERT_TRUE(expected);
    EXPECT_EQ(*expected, multiply(*make_input({}, 3, 5, 0), *make_input({}, 5, 4, 1)));
  }
}

TEST(ExpectedResult, IsOfFloat64WhereTheBuffersAre) {
  InputSpec tenths;
  tenths.pattern = Pattern::Constant;
  tenths.constant = 0.1;
  const Launch doubles = matmul_launch({1, 1, 1}, tenths, ElementType::F64);
  EXPECT_EQ(expected_result(doubles, Reference::Plain)->at(0, 0), 0.1 * 0.1);
  EXPECT_EQ(default_tolerance(doubles), 2.0 * 0x1p-53);
  EXPECT_EQ(expected_result(matmul_launch({1, 1, 1}, tenths), Reference::Plain)->at(0, 0),
            0.1F * 0.1F);

  InputSpec large;
  large.pattern = Pattern::Constant;
  large.constant = 10001.0;
  const Launch integers = matmul_launch({1, 1, 1}, large, ElementType::S32);
  EXPECT_EQ(expected_result(integers, Reference::Plain)->at(0, 0), 100020001.0);
  EXPECT_EQ(default_tolerance(integers), 0.0);
}

TEST(ExpectedResult, OtherNames_AreFoundByRole) {
  LaunchSpec spec = matmul_spec(ElementType::F32);
  spec.buffers[0].name = "left";
  spec.buffers[1].name = "right";
  spec.buffers[2].name = "out";
  const Launch launch = *evaluate(spec, {{3, 4, 5}, 4}, {});
  EXPECT_EQ(expected_result(launch, Reference::Plain),
            expected_result(matmul_launch({3, 4, 5}, {}), Reference::Plain));
}

TEST(ExpectedResult, NothingToCompareWith_IsNothing) {
  LaunchSpec spec = matmul_spec(ElementType::F32);
  spec.reference = "";
  EXPECT_FALSE(expected_result(*evaluate(spec, {{3, 4, 5}, 4}, {}), Reference::Plain));
  spec = matmul_spec(ElementType::F32);
  spec.buffers[1].rows = "K + 1";
  EXPECT_FALSE(expected_result(*evaluate(spec, {{3, 4, 5}, 4}, {}), Reference::Plain));
  EXPECT_FALSE(expected_result(*evaluate_shape(matmul_spec(ElementType::F32), {{3, 4, 5}, 4}),
                               Reference::Plain));
}

TEST(DefaultTolerance, IsZeroWhereFloat32IsExact) {
  EXPECT_EQ(default_tolerance(matmul_launch({8, 8, 8}, {})), 0.0);
  EXPECT_EQ(default_tolerance(matmul_launch({64, 64, 300}, {})), 0.0);
  InputSpec ramp;
  ramp.pattern = Pattern::Ramp;
  EXPECT_EQ(default_tolerance(matmul_launch({4, 4, 4}, ramp)), 0.0);
  EXPECT_GT(default_tolerance(matmul_launch({100, 100, 100}, ramp)), 0.0);  // 100·10000² > 2^24
}

TEST(DefaultTolerance, OtherwiseIsHighamsBound) {
  InputSpec random;
  random.pattern = Pattern::Random;
  EXPECT_EQ(default_tolerance(matmul_launch({8, 8, 16}, random)), 2.0 * 16.0 * 0x1p-24);
  EXPECT_EQ(default_tolerance(matmul_launch({8, 8, 16}, random, ElementType::F16)),
            2.0 * 16.0 * 0x1p-24 + 0x1p-11);
}

TEST(DefaultTolerance, NarrowResults_AreExactOnlyWhileSmall) {
  EXPECT_EQ(default_tolerance(matmul_launch({1, 1, 2}, {}, ElementType::F16)), 0.0);
  EXPECT_GT(default_tolerance(matmul_launch({8, 8, 8}, {}, ElementType::F16)), 0.0);
}

TEST(ToMatrix, LeavesOutThePadding) {
  LaunchSpec spec = matmul_spec(ElementType::F32);
  spec.buffers[0].pitch = "K + 3";
  const Launch launch = *evaluate(spec, {{2, 2, 5}, 4}, {});
  const Buffer& A = launch.buffers[0];
  EXPECT_EQ(A.contents.size(), 2U * 8U * 4U);
  EXPECT_EQ(to_matrix(A, A.contents), to_float32(*make_input({}, 2, 5, 0)));
}

}  // namespace
}  // namespace tilestep::problem
