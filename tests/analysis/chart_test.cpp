// What charts show, and what leaves them as CSV and SVG.
#include "analysis/chart.h"

#include "data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace tilestep::analysis {
namespace {

using state::SpeedUnit;
using state::TimingPage;
using ::testing::HasSubstr;

const Curve* find(const Chart& chart, const std::string& kernel, Role role) {
  const auto found = std::find_if(chart.curves.begin(), chart.curves.end(), [&](const Curve& c) {
    return c.kernel == kernel && c.role == role;
  });
  return found == chart.curves.end() ? nullptr : &*found;
}

TEST(Chart, ByBlockSizeHasEveryMeasuredPointOfTheSize) {
  const timing::DataSet data = test::data_set();
  const Chart chart = make_chart(test::request({&data}));
  const Curve* tiled = find(chart, "tiled", Role::Measured);
  ASSERT_NE(tiled, nullptr);
  ASSERT_EQ(tiled->marks.size(), 2U) << "the point of another size is not among them";
  EXPECT_EQ(tiled->marks[0].x, 8.0);
  EXPECT_DOUBLE_EQ(tiled->marks[0].y, 500.0);
  EXPECT_EQ(tiled->marks[1].x, 16.0);
  EXPECT_DOUBLE_EQ(tiled->marks[1].y, 1000.0);
  EXPECT_GT(tiled->marks[1].below, 0.0);
  EXPECT_GT(tiled->marks[1].above, 0.0);
  ASSERT_NE(find(chart, "cublas", Role::Library), nullptr);
  EXPECT_EQ(find(chart, "naive", Role::Measured)->marks.size(), 1U)
      << "a point without samples is not drawn";
}

TEST(Chart, UnitsAreSharesOfCublasAndOfThePeak) {
  const timing::DataSet data = test::data_set();
  ChartRequest request = test::request({&data});
  request.view.unit = SpeedUnit::OfCublas;
  EXPECT_DOUBLE_EQ(find(make_chart(request), "tiled", Role::Measured)->marks[1].y, 50.0);
  request.view.unit = SpeedUnit::OfPeak;
  // 132 SMs × 128 lanes × 2 operations × 1 GHz.
  EXPECT_DOUBLE_EQ(find(make_chart(request), "tiled", Role::Measured)->marks[1].y,
                   100.0 * 1000.0 / 33'792.0);
}

TEST(Chart, TensorCoresShowOnALogarithmicAxisOnly) {
  const timing::DataSet data = test::data_set();
  ChartRequest request = test::request({&data});
  EXPECT_NE(find(make_chart(request), "cublas_tf32", Role::Library), nullptr);
  request.view.log_scale = false;
  EXPECT_EQ(find(make_chart(request), "cublas_tf32", Role::Library), nullptr);
}

TEST(Chart, AxesAreLabelledHoweverLittleTheyShow) {
  EXPECT_EQ(ticks_of({"", true, 3.0, 700.0, {}}),
            (std::vector<double>{5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0}));
  EXPECT_EQ(ticks_of({"", true, 1100.0, 1900.0, {}}),
            (std::vector<double>{1200.0, 1400.0, 1600.0, 1800.0}))
      << "no 1, 2 or 5 in it";
  EXPECT_EQ(ticks_of({"", false, 0.0, 100.0, {}}),
            (std::vector<double>{0.0, 20.0, 40.0, 60.0, 80.0, 100.0}));
  EXPECT_EQ(ticks_of({"", true, 1.0, 1000.0, {16.0, 32.0}}), (std::vector<double>{16.0, 32.0}));
}

TEST(Chart, BySizeTakesOneBlockSizeAndSquareProblems) {
  timing::DataSet data = test::data_set();
  data.points.push_back(test::point("tiled", 2000, 16, 20.0));
  data.points.back().problem.K = 10;
  ChartRequest request = test::request({&data});
  request.view.page = TimingPage::Size;
  const Chart chart = make_chart(request);
  const Curve* tiled = find(chart, "tiled", Role::Measured);
  ASSERT_NE(tiled, nullptr);
  ASSERT_EQ(tiled->marks.size(), 2U);
  EXPECT_EQ(tiled->marks[0].x, 500.0);
  EXPECT_EQ(tiled->marks[1].x, 1000.0);
  EXPECT_EQ(chart.x.ticks, (std::vector<double>{500.0, 1000.0}));
}

TEST(Chart, TheLadderEndsWithTheFastestAndKnowsTheBestBlockSize) {
  timing::DataSet data = test::data_set();
  data.points.push_back(test::point("naive", 1000, 8, 4.0));
  ChartRequest request = test::request({&data});
  request.view.page = TimingPage::Ladder;
  const Chart chart = make_chart(request);
  ASSERT_TRUE(chart.is_bars);
  ASSERT_EQ(chart.curves.size(), 3U);
  EXPECT_EQ(chart.curves[0].kernel, "naive");
  EXPECT_EQ(chart.curves[0].marks.front().block_size, 16);
  EXPECT_EQ(chart.curves[0].marks.back().block_size, 8) << "its best";
  EXPECT_EQ(chart.curves[1].kernel, "tiled");
  EXPECT_EQ(chart.curves[2].kernel, "cublas");
  EXPECT_EQ(chart.y.low, 0.0);
}

TEST(Chart, AnOverlayIsNamedAfterItsDataSet) {
  const timing::DataSet data = test::data_set();
  timing::DataSet other = test::data_set();
  other.name = "colleague";
  const Chart chart = make_chart(test::request({&data, &other}));
  const auto overlays = std::count_if(chart.curves.begin(), chart.curves.end(), [](const Curve& c) {
    return c.is_overlay && c.name.find("colleague") != std::string::npos;
  });
  EXPECT_EQ(overlays, 4);
  EXPECT_EQ(find(chart, "tiled", Role::Measured)->style,
            std::find_if(chart.curves.begin(), chart.curves.end(),
                         [](const Curve& c) { return c.kernel == "tiled" && c.is_overlay; })
                ->style)
      << "one kernel keeps its colour and marker";
}

TEST(Chart, OnlyTheKernelsAskedForAreCurves) {
  const timing::DataSet data = test::data_set();
  ChartRequest request = test::request({&data});
  request.kernels = {"tiled"};
  const Chart chart = make_chart(request);
  EXPECT_NE(find(chart, "tiled", Role::Measured), nullptr);
  EXPECT_EQ(find(chart, "naive", Role::Measured), nullptr);
  EXPECT_NE(find(chart, "cublas", Role::Library), nullptr);
}

TEST(Chart, APredictionSaysHowFarItIsOff) {
  const timing::DataSet data = test::data_set();
  ChartRequest request = test::request({&data});
  const std::vector<LaunchFacts> counted{test::facts("tiled", 16), test::facts("tiled", 12)};
  request.facts = counted;
  request.predicted_kernel = "tiled";
  const Chart chart = make_chart(request);
  const Curve* predicted = find(chart, "tiled", Role::Predicted);
  ASSERT_NE(predicted, nullptr);
  ASSERT_EQ(predicted->marks.size(), 2U);
  EXPECT_EQ(predicted->marks[0].x, 12.0);
  EXPECT_THAT(chart.note, HasSubstr("median error"));
}

TEST(Chart, WithoutADataSetThePredictionStandsAlone) {
  ChartRequest request;
  request.view.problem = {1000, 1000, 1000};
  request.gpu = known_gpus().back();
  request.predicted_kernel = "tiled";
  const std::vector<LaunchFacts> counted{test::facts("tiled", 16)};
  request.facts = counted;
  const Chart chart = make_chart(request);
  ASSERT_EQ(chart.curves.size(), 1U);
  EXPECT_EQ(chart.curves[0].role, Role::Predicted);
  EXPECT_THAT(chart.note, HasSubstr(request.gpu.name));
  EXPECT_THAT(chart.note, HasSubstr("no measurement"));
  const double gflops = chart.curves[0].marks[0].y;
  request.view.unit = SpeedUnit::OfPeak;
  EXPECT_DOUBLE_EQ(make_chart(request).curves[0].marks[0].y,
                   100.0 * gflops / request.gpu.peak_gflops);
  request.view.unit = SpeedUnit::OfCublas;
  EXPECT_TRUE(make_chart(request).is_empty()) << "there is no cuBLAS to compare with";
}

TEST(Chart, TheRooflineHasCeilingsAndBothTrafficsOfAKernel) {
  const timing::DataSet data = test::data_set();
  ChartRequest request = test::request({&data});
  request.view.page = TimingPage::Roofline;
  const std::vector<LaunchFacts> counted{test::facts("tiled", 16)};
  request.facts = counted;
  const Chart chart = make_chart(request);
  const auto ceilings = std::count_if(chart.curves.begin(), chart.curves.end(),
                                      [](const Curve& c) { return c.role == Role::Ceiling; });
  EXPECT_EQ(ceilings, 4) << "shared memory, L2, DRAM, peak";
  const Curve* tiled = find(chart, "tiled", Role::Measured);
  ASSERT_NE(tiled, nullptr);
  ASSERT_EQ(tiled->marks.size(), 2U);
  const double global_bytes = 32.0 * 4e6;
  EXPECT_DOUBLE_EQ(tiled->marks[1].x, 2e9 / global_bytes);
  EXPECT_DOUBLE_EQ(tiled->marks[0].x, 2e9 / (global_bytes + 128.0 * 1320 * 30'000));
  EXPECT_DOUBLE_EQ(tiled->marks[0].y, 1000.0);
}

TEST(Chart, TheNearestProblemIsTheSameOrTheNearestSquare) {
  timing::DataSet data = test::data_set();
  data.points.push_back(test::point("tiled", 600, 16, 1.0));
  data.points.back().problem.K = 6000;
  EXPECT_EQ(nearest_problem(data, {600, 600, 6000})->K, 6000);
  EXPECT_EQ(nearest_problem(data, {600, 600, 600}), (problem::Problem{500, 500, 500}));
  EXPECT_EQ(nearest_problem(timing::DataSet{}, {1, 1, 1}), std::nullopt);
  EXPECT_EQ(to_text({600, 600, 6000}), "600×600×6000");
}

TEST(Chart, CsvHasARowForEveryMark) {
  const timing::DataSet data = test::data_set();
  const Chart chart = make_chart(test::request({&data}));
  const std::string csv = to_csv(chart);
  std::size_t marks = 0;
  for (const Curve& curve : chart.curves) {
    marks += curve.marks.size();
  }
  EXPECT_EQ(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')), marks + 1);
  EXPECT_THAT(csv,
              HasSubstr("\"Tiled\",measured,\"here\",tiled,1000,1000,1000,16,16,1000,1000,2,"));
}

TEST(Chart, SvgNamesEveryCurveAndStaysInItsFrame) {
  timing::DataSet data = test::data_set();
  ChartRequest request = test::request({&data});
  request.titles[0].second = "A<B";
  for (const TimingPage page : {TimingPage::BlockSize, TimingPage::Size, TimingPage::Ladder}) {
    request.view.page = page;
    const std::string svg = to_svg(make_chart(request), 800, 450);
    EXPECT_THAT(svg, HasSubstr("width=\"800\" height=\"450\""));
    EXPECT_THAT(svg, HasSubstr("A&lt;B"));
    EXPECT_THAT(svg, HasSubstr("cuBLAS SGEMM"));
    EXPECT_THAT(svg, ::testing::Not(HasSubstr("nan")));
    EXPECT_THAT(svg, ::testing::EndsWith("</svg>\n"));
  }
}

}  // namespace
}  // namespace tilestep::analysis
