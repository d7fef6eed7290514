// The host's products with a BLAS of the test itself.
#include "timing/host_reference.h"

#include "folders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace tilestep::timing {
namespace {

using ::testing::HasSubstr;

class HostReference : public ::testing::Test {
 protected:
  void SetUp() override { setenv("TILESTEP_BLAS", test::fake_blas().c_str(), 1); }
  void TearDown() override { unsetenv("TILESTEP_BLAS"); }

  static HostPlan plan(problem::Problem size, problem::Pattern pattern) {
    HostPlan plan;
    plan.problem = size;
    plan.input.pattern = pattern;
    plan.samples = 3;
    return plan;
  }
};

TEST_F(HostReference, AllAgreeOnIntegers) {
  const auto points = measure_host(plan({5, 7, 9}, problem::Pattern::DistinctIntegers), nullptr);
  ASSERT_TRUE(points);
  std::vector<std::string> ids;
  for (const HostPoint& point : *points) {
    ids.push_back(point.id);
    EXPECT_EQ(point.samples_ms.size(), 3U) << point.id;
    EXPECT_THAT(point.samples_ms, ::testing::Each(::testing::Gt(0.0)));
    EXPECT_EQ(point.error.compared, 35U);
    EXPECT_EQ(point.error.wrong, 0U) << point.id;
  }
  EXPECT_THAT(ids, ::testing::ElementsAre("cpu_plain", "cpu_kahan", "cpu_double", "cpu_blas"));
  EXPECT_EQ(points->back().note, test::fake_blas());
}

TEST_F(HostReference, RelativeErrorsRankThem) {
  const auto points = measure_host(plan({4, 6, 2000}, problem::Pattern::Unit), nullptr);
  ASSERT_TRUE(points);
  const auto& [plain, kahan, exact, blas] =
      std::tie((*points)[0].error, (*points)[1].error, (*points)[2].error, (*points)[3].error);
  EXPECT_EQ(exact.max_rel_error, 0.0);
  EXPECT_LT(kahan.max_rel_error, 1.2e-7);
  EXPECT_GT(plain.max_rel_error, 3 * kahan.max_rel_error);
  EXPECT_GT(plain.max_rel_error, plain.average_rel_error);
  EXPECT_EQ(blas.max_rel_error, plain.max_rel_error);  // the same sums in the same order
}

TEST_F(HostReference, WithoutABlasTheOthersAreMeasuredAndTheCureIsSaid) {
  setenv("TILESTEP_BLAS", "/nowhere/libblas.so", 1);
  const auto points = measure_host(plan({3, 3, 3}, problem::Pattern::Unit), nullptr);
  ASSERT_TRUE(points);
  EXPECT_TRUE(points->back().samples_ms.empty());
  EXPECT_THAT(points->back().note, HasSubstr("No CPU BLAS found (/nowhere/libblas.so"));
  EXPECT_THAT(points->back().note, HasSubstr("TILESTEP_BLAS"));
  EXPECT_EQ((*points)[0].samples_ms.size(), 3U);
}

TEST_F(HostReference, ALibraryWithoutSgemmIsNone) {
  setenv("TILESTEP_BLAS", "libm.so.6", 1);
  EXPECT_THAT(HostBlas::open().error().message, HasSubstr("libm.so.6 has no cblas_sgemm"));
}

TEST_F(HostReference, CancelledEndsWithWhatThereIs) {
  const std::atomic<bool> cancel = true;
  const auto points = measure_host(plan({3, 3, 3}, problem::Pattern::Unit), &cancel);
  ASSERT_TRUE(points);
  EXPECT_TRUE((*points)[0].samples_ms.empty());
}

TEST_F(HostReference, AnInputThatDoesNotFitIsRefused) {
  HostPlan wrong = plan({3, 3, 3}, problem::Pattern::Csv);
  wrong.input.csv = "1, 2\n";
  EXPECT_FALSE(measure_host(wrong, nullptr));
}

}  // namespace
}  // namespace tilestep::timing
