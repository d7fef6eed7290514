// The contents of charts, and their CSV and SVG.
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

TEST(Chart, TensorCoresShowOnALogarithmicAxisAmongEveryKernelOnly) {
  const timing::DataSet data = test::data_set();
  ChartRequest request = test::request({&data});
  EXPECT_EQ(find(make_chart(request), "cublas_tf32", Role::Library), nullptr);
  request.view.every_kernel = true;
  EXPECT_NE(find(make_chart(request), "cublas_tf32", Role::Library), nullptr);
  request.view.log_scale = false;
  EXPECT_EQ(find(make_chart(request), "cublas_tf32", Role::Library), nullptr);
}

TEST(Chart, OtherWaysToCallCublasShowAmongEveryKernel) {
  timing::DataSet data = test::data_set();
  data.points.push_back(test::point("cublas_default", 1000, 0, 1.1));
  data.points.push_back(test::point("cublas_fast_16f", 1000, 0, 0.2));
  ChartRequest request = test::request({&data});
  EXPECT_EQ(find(make_chart(request), "cublas_default", Role::Library), nullptr);
  request.view.every_kernel = true;
  request.view.log_scale = false;
  EXPECT_NE(find(make_chart(request), "cublas_default", Role::Library), nullptr);
  EXPECT_EQ(find(make_chart(request), "cublas_fast_16f", Role::Library), nullptr);
  request.view.log_scale = true;
  const Chart chart = make_chart(request);
  ASSERT_NE(find(chart, "cublas_fast_16f", Role::Library), nullptr);
  EXPECT_EQ(find(chart, "cublas_fast_16f", Role::Library)->name, "cuBLAS, fast FP16");
}

// Two rungs and one with different arithmetic at two sizes; the second size also has cuBLAS.
timing::DataSet rungs() {
  timing::DataSet data = test::data_set();
  data.points.push_back(test::point("wide", 500, 0, 0.4));
  data.points.push_back(test::point("wide", 1000, 0, 1.0));
  data.points.push_back(test::point("sliced", 500, 0, 0.2));
  data.points.push_back(test::point("sliced", 1000, 0, 1.25));
  data.points.push_back(test::point("tensor", 1000, 0, 0.5));
  return data;
}

ChartRequest by_size_of_rungs(const timing::DataSet& data) {
  ChartRequest request = test::request({&data});
  request.view.page = TimingPage::Size;
  request.rivals = {"wide", "sliced"};
  request.names.push_back({"wide", "Wide tiles"});
  request.names.push_back({"sliced", "Sliced"});
  request.names.push_back({"best_by_size", "Best by size", "", false, true});
  return request;
}

TEST(Chart, BestBySizeIsMadeOfTheRungsPointsAndSaysSo) {
  const timing::DataSet data = rungs();
  const Chart chart = make_chart(by_size_of_rungs(data));
  const Curve* best = find(chart, "best_by_size", Role::Measured);
  ASSERT_NE(best, nullptr);
  EXPECT_EQ(best->name, "Best by size, derived");
  ASSERT_EQ(best->marks.size(), 2U);
  EXPECT_EQ(best->marks[0].x, 500.0);
  EXPECT_EQ(best->marks[0].point, data.find("sliced", {500, 500, 500}, 0));
  EXPECT_EQ(best->marks[0].won, "Sliced: 100.0% faster than Wide tiles");
  EXPECT_EQ(best->marks[1].point, data.find("wide", {1000, 1000, 1000}, 0))
      << "the faster one has another arithmetic";
  EXPECT_EQ(best->marks[1].won, "Wide tiles: 25.0% faster than Sliced, 100.0% of cuBLAS");
  EXPECT_EQ(best, &chart.curves.front()) << "below the curves whose points it has";
  EXPECT_THAT(to_csv(chart), HasSubstr("\"Best by size, derived\",measured,\"here\","
                                       "best_by_size,500,500,500,0,500,"));
  EXPECT_THAT(to_csv(chart), HasSubstr(",3,sliced\n"));
  EXPECT_THAT(to_svg(chart, 1280, 720), HasSubstr("Best by size, derived"));
}

TEST(Chart, BestBySizeIsTheMeasuredLineWhereThereIsOne) {
  timing::DataSet data = rungs();
  data.points.push_back(test::point("best_by_size", 1000, 0, 0.8));
  data.points.back().launched = "sliced";
  const Chart chart = make_chart(by_size_of_rungs(data));
  EXPECT_EQ(std::ranges::count(chart.curves, "best_by_size", &Curve::kernel), 1);
  const Curve* best = find(chart, "best_by_size", Role::Measured);
  ASSERT_NE(best, nullptr);
  EXPECT_EQ(best->name, "Best by size");
  ASSERT_EQ(best->marks.size(), 1U);
  EXPECT_EQ(best->marks[0].won, "Sliced: 25.0% faster than Wide tiles, 125.0% of cuBLAS");
  EXPECT_EQ(stage_kernel(*best->marks[0].point), "sliced");
}

TEST(Chart, BestBySizeIsNoLineOfOneKernelNorOfTheKernelAlone) {
  const timing::DataSet data = rungs();
  ChartRequest request = by_size_of_rungs(data);
  request.rivals = {"wide"};
  EXPECT_EQ(find(make_chart(request), "best_by_size", Role::Measured), nullptr);
  request.rivals = {"wide", "sliced"};
  request.kernels = {"tiled"};
  EXPECT_EQ(find(make_chart(request), "best_by_size", Role::Measured), nullptr);
  request.kernels = {"tiled", "best_by_size"};
  EXPECT_NE(find(make_chart(request), "best_by_size", Role::Measured), nullptr);
  request.view.page = TimingPage::BlockSize;
  EXPECT_EQ(find(make_chart(request), "best_by_size", Role::Measured), nullptr);
}

TEST(Chart, AloneShowsTheKernelsCurveOnAnAxisThatFitsIt) {
  const timing::DataSet data = test::data_set();
  ChartRequest request = test::request({&data});
  request.view.alone = true;
  request.kernels = {"tiled"};
  const Chart chart = make_chart(request);
  ASSERT_EQ(chart.curves.size(), 1U);
  EXPECT_EQ(chart.curves.front().kernel, "tiled");
  EXPECT_FALSE(chart.y.is_log);
  EXPECT_LT(chart.y.high, 1.2 * chart.curves.front().marks.back().y +
                              1.2 * chart.curves.front().marks.back().above);
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
  // Names that would overlap: the power of two stays.
  const Axis sizes{"", true, 256.0, 8192.0, {256.0, 512.0, 1000.0, 1001.0, 1024.0, 2048.0, 8192.0}};
  EXPECT_EQ(ticks_with_room(sizes, 12.0),
            (std::vector<double>{256.0, 512.0, 1024.0, 2048.0, 8192.0}));
  EXPECT_EQ(ticks_with_room({"", true, 3.0, 700.0, {}}, 4.0), (std::vector<double>{10.0, 100.0}));
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
  EXPECT_EQ(tick_text(chart.x, 1000.0), "1000") << "a size";
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
  ChartRequest request = test::request({&data, &other});
  request.view.every_kernel = true;
  const Chart chart = make_chart(request);
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
  std::vector<LaunchFacts> counted{test::facts("tiled", 16), test::facts("tiled", 17)};
  counted[0].architecture = request.gpu.architecture;
  request.facts = counted;
  const Chart chart = make_chart(request);
  ASSERT_EQ(chart.curves.size(), 2U);
  EXPECT_EQ(chart.curves[0].role, Role::Predicted);
  EXPECT_EQ(chart.curves[0].marks.size(), 1U) << "the other was counted for an H200";
  EXPECT_EQ(chart.curves[1].role, Role::Ceiling);
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
  request.names[0].title = "A<B";
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

TEST(Chart, FamiliesShareAColourAndTheirKernelsDifferInStyle) {
  const timing::DataSet data = test::data_set();
  ChartRequest request = test::request({&data});
  request.names = {{"naive", "Naive", "Global memory"},
                   {"tiled", "Tiled", "Tiles"},
                   {"other", "Other", "Tiles"}};
  request.families = {"Global memory", "Tiles"};
  timing::DataSet more = data;
  more.points.push_back(test::point("other", 1000, 16, 3.0));
  more.points.push_back(test::point("mine.cu", 1000, 16, 3.0));
  request.datasets = {&more};
  const Chart chart = make_chart(request);
  EXPECT_EQ(find(chart, "naive", Role::Measured)->family, 0U);
  EXPECT_EQ(find(chart, "tiled", Role::Measured)->family, 1U);
  EXPECT_EQ(find(chart, "other", Role::Measured)->family, 1U);
  EXPECT_EQ(find(chart, "tiled", Role::Measured)->style, 0U);
  EXPECT_EQ(find(chart, "other", Role::Measured)->style, 1U);
  EXPECT_EQ(find(chart, "mine.cu", Role::Measured)->family, 2U) << "of no family";
}

TEST(Chart, WrongKernelsAreMarkedAndApart) {
  timing::DataSet data = test::data_set();
  data.points.push_back(test::point("broken", 1000, 16, 1.5));
  data.points.push_back(test::point("unverified", 1000, 16, 1.5));
  data.points.back().verified = false;
  ChartRequest request = test::request({&data});
  request.names.push_back({"broken", "Broken", "Broken on purpose", true});
  request.view.page = TimingPage::Ladder;
  const Chart chart = make_chart(request);
  EXPECT_TRUE(chart.curves[0].is_wrong && chart.curves[1].is_wrong) << "below all others";
  EXPECT_FALSE(chart.curves[2].is_wrong);
  EXPECT_THAT(to_svg(chart, 800, 450), HasSubstr("Broken, wrong result"));
}

TEST(Chart, KernelsWithoutBlockSizeAreRightOfAllBlockSizes) {
  timing::DataSet data = test::data_set();
  data.points.push_back(test::point("warp_tile", 1000, 0, 1.5));
  const Chart chart = make_chart(test::request({&data}));
  EXPECT_EQ(find(chart, "warp_tile", Role::Measured)->marks.front().x, kFixedTiles);
  EXPECT_EQ(tick_text(chart.x, kFixedTiles), "fixed");
  EXPECT_EQ(tick_text(chart.x, 32.0), "32");
  EXPECT_GT(chart.x.high, kFixedTiles);
}

TEST(Chart, ThePeakIsALevelLineInEveryUnit) {
  const timing::DataSet data = test::data_set();
  ChartRequest request = test::request({&data});
  const auto peak = [&] { return find(make_chart(request), "", Role::Ceiling)->marks.front().y; };
  EXPECT_DOUBLE_EQ(peak(), 33'792.0);
  request.view.unit = SpeedUnit::OfPeak;
  EXPECT_DOUBLE_EQ(peak(), 100.0);
  request.view.unit = SpeedUnit::OfCublas;  // at 2000 GFLOP/s
  EXPECT_DOUBLE_EQ(peak(), 100.0 * 33'792.0 / 2000.0);
}

TEST(Chart, AxesAreInTeraflopsWhereNoNumberFallsBelowOne) {
  const timing::DataSet data = test::data_set();
  ChartRequest request = test::request({&data});
  EXPECT_EQ(make_chart(request).y.title, "GFLOP/s") << "from 175 on";
  request.view.log_scale = false;
  const Chart linear = make_chart(request);
  EXPECT_EQ(linear.y.title, "TFLOP/s") << "the peak is 33,792";
  EXPECT_EQ(tick_text(linear.y, 20'000.0), "20");
  EXPECT_EQ(speed_text(linear.y, 1234.0), "1.2");
  EXPECT_EQ(tick_text(make_chart(test::request({&data})).y, 50'000.0), "50,000");
}

TEST(Chart, LinesEndWithTheirShareOfCublas) {
  const timing::DataSet data = test::data_set();
  const Chart chart = make_chart(test::request({&data}));
  EXPECT_EQ(find(chart, "tiled", Role::Measured)->end, "50.0%");
  EXPECT_EQ(find(chart, "cublas", Role::Library)->end, "2,000");
}

TEST(Chart, TheRooflinesOrderIsTheCatalogsWhateverWasCountedFirst) {
  timing::DataSet data = test::data_set();
  ChartRequest request = test::request({&data});
  request.view.page = TimingPage::Roofline;
  const std::vector<LaunchFacts> counted{test::facts("tiled", 16), test::facts("naive", 16)};
  request.facts = counted;
  std::vector<std::string> order;
  for (const Curve& curve : make_chart(request).curves) {
    if (curve.role == Role::Measured) {
      order.push_back(curve.kernel);
    }
  }
  EXPECT_EQ(order, (std::vector<std::string>{"naive", "tiled"}));
}

TEST(Chart, ACurveToPredictIsHiddenUntilItIsShown) {
  const timing::DataSet data = test::data_set();
  ChartRequest request = test::request({&data});
  const std::vector<LaunchFacts> counted{test::facts("tiled", 16)};
  request.facts = counted;
  request.predicted_kernel = "tiled";
  request.view.guess = {"tiled", {{8, 250.0F}}, 8, false};
  const Chart hidden = make_chart(request);
  EXPECT_EQ(find(hidden, "tiled", Role::Measured), nullptr);
  EXPECT_EQ(find(hidden, "tiled", Role::Predicted), nullptr) << "it gives the curve away";
  ASSERT_NE(find(hidden, "tiled", Role::Drawn), nullptr);
  EXPECT_DOUBLE_EQ(find(hidden, "tiled", Role::Drawn)->marks.front().y, 250.0);
  for (const TimingPage page : {TimingPage::Size, TimingPage::Ladder, TimingPage::Roofline}) {
    request.view.page = page;
    EXPECT_EQ(find(make_chart(request), "tiled", Role::Measured), nullptr);
  }
  request.view.page = TimingPage::BlockSize;
  request.view.guess.shown = true;
  request.view.unit = SpeedUnit::OfCublas;
  const Chart shown = make_chart(request);
  EXPECT_NE(find(shown, "tiled", Role::Measured), nullptr);
  EXPECT_NE(find(shown, "tiled", Role::Predicted), nullptr);
  EXPECT_DOUBLE_EQ(find(shown, "tiled", Role::Drawn)->marks.front().y, 12.5);
}

TEST(Chart, APredictionFollowsTheGpuThatItIsFor) {
  const timing::DataSet data = test::data_set();
  ChartRequest request = test::request({&data});
  const std::vector<LaunchFacts> counted{test::facts("tiled", 16)};
  request.facts = counted;
  request.predicted_kernel = "tiled";
  const double before = find(make_chart(request), "tiled", Role::Predicted)->marks[0].gflops;
  state::WhatIf half;
  half.sms = 66;
  request.what_if = changed(request.gpu, half);
  const Chart chart = make_chart(request);
  const double after = find(chart, "tiled", Role::Predicted)->marks[0].gflops;
  EXPECT_NEAR(after / before, 0.5, 0.05);
  EXPECT_THAT(chart.note, HasSubstr("what if: 66 SMs"));
  EXPECT_DOUBLE_EQ(find(chart, "", Role::Ceiling)->marks[0].y, 33'792.0) << "the GPU's own";
}

TEST(SpreadLabels, KeepTheirPlacesWhereThereIsRoomAndNeverOverlap) {
  EXPECT_EQ(spread_labels({50.0, 10.0, 90.0}, 10.0, 0.0, 100.0),
            (std::vector<double>{50.0, 10.0, 90.0}));
  EXPECT_EQ(spread_labels({50.0, 50.0}, 10.0, 0.0, 100.0), (std::vector<double>{45.0, 55.0}));
  EXPECT_EQ(spread_labels({0.0, 1.0, 2.0}, 10.0, 0.0, 100.0),
            (std::vector<double>{5.0, 15.0, 25.0}));
  EXPECT_EQ(spread_labels({99.0, 100.0, 60.0}, 10.0, 0.0, 100.0),
            (std::vector<double>{85.0, 95.0, 60.0}));
  EXPECT_TRUE(spread_labels({}, 10.0, 0.0, 100.0).empty());
  // Blocks that touch are joined, and their order stays.
  const std::vector<double> many = spread_labels({40, 41, 42, 58, 59, 60, 49, 51}, 9, 0, 100);
  std::vector<double> sorted = many;
  std::ranges::sort(sorted);
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    EXPECT_GE(sorted[i] - sorted[i - 1], 9.0 - 1e-9);
  }
  EXPECT_LT(many[2], many[6]);
  EXPECT_LT(many[6], many[7]);
  EXPECT_LT(many[7], many[3]);
}

}  // namespace
}  // namespace tilestep::analysis
