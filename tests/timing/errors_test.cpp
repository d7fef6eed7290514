// Errors against the float64 product, on the fake driver.
#include "timing/errors.h"

#include "timing/fake_gpu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tilestep::timing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ErrorFigures, AreOfTheDifferences) {
  const std::array<float, 4> C{1.0F, 2.0F, 3.0F, 4.5F};
  const std::array<double, 4> reference{1.0, 2.0, 2.0, 4.0};
  const ErrorFigures f = error_figures(C, reference);
  EXPECT_DOUBLE_EQ(f.max_abs, 1.0);
  EXPECT_DOUBLE_EQ(f.mean_abs, 1.5 / 4);
  EXPECT_DOUBLE_EQ(f.frobenius, std::sqrt(1.25 / 25.0));
  EXPECT_DOUBLE_EQ(f.max_over_rms, 1.0 / 2.5);
  EXPECT_EQ(f.elements, 4U);
  EXPECT_EQ(f.not_finite, 0U);
}

TEST(ErrorFigures, WhatIsNotFiniteIsCountedAndLeftOut) {
  const std::array<float, 3> C{std::numeric_limits<float>::quiet_NaN(),
                               std::numeric_limits<float>::infinity(), 3.0F};
  const std::array<double, 3> reference{1.0, 2.0, 2.0};
  const ErrorFigures f = error_figures(C, reference);
  EXPECT_EQ(f.not_finite, 2U);
  EXPECT_DOUBLE_EQ(f.max_abs, 1.0);
  EXPECT_DOUBLE_EQ(f.mean_abs, 1.0);
}

class ErrorsOnFakeGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    fake::reset();
    fake::driver().on_launch = multiply;
    device = open_fake_device();
    auto loaded = problem::load_catalog(tilestep::test::source_folder() / "kernels");
    ASSERT_TRUE(loaded) << loaded.error().message;
    catalog = std::move(*loaded);
    plan.kernels = {catalog.find("naive")};
    plan.cublas = {"cublas", "cublas_fast_16f"};
    plan.parameters = {{24, 16, 40}, 8};
    plan.inputs = {problem::input_of(problem::Pattern::Random),
                   problem::input_of(problem::Pattern::Decades)};
  }
  Result<ErrorReport> errors() { return measure_errors(*device, compiler, plan, nullptr); }

  ErrorPlan plan;
  problem::Catalog catalog;
  compile::Compiler compiler{compile::CacheOptions{}};
  std::unique_ptr<gpu::Device> device;
};

TEST_F(ErrorsOnFakeGpu, EverySeriesStandsBesideTheFloat64ProductForEveryInput) {
  const auto report = errors();
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_EQ(report->tables.size(), 2U);
  for (const ErrorTable& table : report->tables) {
    EXPECT_TRUE(table.reference.is_of_gpu);
    EXPECT_THAT(table.reference.host_rows, ElementsAre(0, 7, 15, 23));
    ASSERT_EQ(table.rows.size(), 3U);
    EXPECT_EQ(table.rows[0].series, "naive");
    EXPECT_EQ(table.rows[2].series, "cublas_fast_16f");
    for (const ErrorRow& row : table.rows) {
      EXPECT_EQ(row.note, "");
      EXPECT_GT(row.figures.frobenius, 0.0) << "float rounds";
      EXPECT_LT(row.figures.frobenius, 1e-6);
      EXPECT_EQ(row.figures.elements, 24U * 16U);
    }
  }
  EXPECT_GT(report->tables[1].rows[0].figures.max_abs, report->tables[0].rows[0].figures.max_abs);
}

TEST_F(ErrorsOnFakeGpu, AWrongReferenceIsNoReference) {
  fake::driver().dgemm_slip = 1e-9;
  EXPECT_THAT(errors().error().message, HasSubstr("C[0][0] of cublasDgemm is "));
}

TEST_F(ErrorsOnFakeGpu, WithoutCublasTheHostComputesSomeRows) {
  plan.cublas.clear();
  plan.parameters.problem = {200, 16, 8};
  fake::driver().blas_create_status = 1;
  const auto report = errors();
  ASSERT_TRUE(report) << report.error().message;
  const ErrorTable& table = report->tables[0];
  EXPECT_FALSE(table.reference.is_of_gpu);
  EXPECT_EQ(table.reference.host_rows.size(), 64U);
  EXPECT_EQ(table.reference.host_rows.back(), 199);
  EXPECT_EQ(table.rows[0].figures.elements, 64U * 16U);
  EXPECT_LT(table.rows[0].figures.frobenius, 1e-6);
}

TEST_F(ErrorsOnFakeGpu, WhatCublasDoesNotHaveIsASentence) {
  fake::driver().refused_compute = 74;  // CUBLAS_COMPUTE_32F_FAST_16F
  const auto report = errors();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->tables[0].rows[2].note, HasSubstr("CUBLAS_COMPUTE_32F_FAST_16F"));
  EXPECT_THAT(report->specials[2].note, HasSubstr("CUBLAS_COMPUTE_32F_FAST_16F"));
}

TEST_F(ErrorsOnFakeGpu, SpecialValuesAreToldAsCHasThem) {
  // A kernel that multiplies by big and small parts turns an infinity into NaN.
  fake::driver().on_launch = [](const fake::Launch& launch) {
    const int result = multiply(launch);
    const MatmulArguments a = matmul_arguments(launch);
    if (std::isinf(a.A[0])) {
      std::fill(a.C, a.C + a.N, std::numeric_limits<float>::quiet_NaN());
    }
    return result;
  };
  const auto report = errors();
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_EQ(report->specials.size(), 3U);
  const SpecialRow& kernel = report->specials[0];
  const SpecialRow& cublas = report->specials[1];
  ASSERT_EQ(kernel.got.size(), special_values().size());
  EXPECT_TRUE(std::isnan(kernel.got[0].first));
  EXPECT_TRUE(std::isinf(cublas.got[0].first));
  EXPECT_TRUE(std::isnan(cublas.got[1].first));
  EXPECT_EQ(cublas.got[2].first, 1e-40F);
  EXPECT_EQ(cublas.got[4].first, std::numeric_limits<float>::max());
  for (const SpecialRow::Got& got : cublas.got) {
    EXPECT_EQ(got.below, 0.0F);
  }
}

}  // namespace
}  // namespace tilestep::timing
