// Timings as CSV: written data reads back unchanged, and a wrong line is named.
#include "timing/dataset.h"

#include <gtest/gtest.h>

#include <utility>

namespace tilestep::timing {
namespace {

Provenance laptop() {
  Provenance p;
  p.gpu = "NVIDIA L4";
  return p;
}

TEST(DatasetCsv, RowsOfAPointBecomeItsSamples) {
  const auto data = parse_csv(
      "# by "
      "hand\nms,kernel,size,block_size,note\n0.5,tiled,64,8,x\n1,naive,64,8,\n\n0.25,tiled,64,8,"
      "y\r\n",
      laptop(), "mine.csv");
  ASSERT_TRUE(data) << data.error().message;
  EXPECT_EQ(data->provenance.gpu, "NVIDIA L4");
  ASSERT_EQ(data->points.size(), 2U);
  EXPECT_EQ(data->points[0].kernel, "tiled");
  EXPECT_EQ(data->points[0].problem, (problem::Problem{64, 64, 64}));
  EXPECT_EQ(data->points[0].block_size, 8);
  EXPECT_EQ(data->points[0].samples_ms, (std::vector<double>{0.5, 0.25}));
  EXPECT_FALSE(data->points[0].verified);
}

TEST(DatasetCsv, GoesThereAndBack) {
  const auto data =
      parse_csv("kernel,M,N,K,ms\ncublas,2,3,4,0.125\ncublas,2,3,4,0.1\n", laptop(), "a");
  ASSERT_TRUE(data);
  const auto again = parse_csv(to_csv(*data), laptop(), "a");
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, *data);
}

TEST(DatasetCsv, ANameThatHasCommasAndQuotes_GoesThereAndBack) {
  const auto data = parse_csv(
      "kernel,size,ms\n\"tiled<4, \"\"x\"\">\" , 64 ,0.5\ntiled,64,\"0.25\"\n", laptop(), "a");
  ASSERT_TRUE(data) << data.error().message;
  ASSERT_EQ(data->points.size(), 2U);
  EXPECT_EQ(data->points[0].kernel, "tiled<4, \"x\">");
  EXPECT_EQ(data->points[1].samples_ms, std::vector<double>{0.25});
  EXPECT_EQ(to_csv(*data),
            "kernel,M,N,K,block_size,ms\n\"tiled<4, \"\"x\"\">\",64,64,64,0,0.5\n"
            "tiled,64,64,64,0,0.25\n");
  EXPECT_EQ(parse_csv(to_csv(*data), laptop(), "a"), *data);
}

TEST(DatasetCsv, ANameThatReadersWouldDrop_StandsInQuotes) {
  DataSet data;
  for (const char* const name : {"#1", " a ", "\tb"}) {
    Point point;
    point.kernel = name;
    point.problem = {2, 2, 2};
    point.samples_ms = {0.5};
    data.points.push_back(std::move(point));
  }
  const auto again = parse_csv(to_csv(data), {}, "");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->points, data.points);
}

TEST(DatasetCsv, AWrongLineIsNamed) {
  const auto error = [](const std::string& text) {
    const auto data = parse_csv(text, laptop(), "x.csv");
    return data ? "" : data.error().message;
  };
  EXPECT_EQ(error(""), "x.csv is empty.");
  EXPECT_EQ(error("kernel,ms\n"),
            "x.csv: line 1: the header has no column M, N and K (or size). It needs kernel, M, N, "
            "K (or size) and ms; block_size is optional.");
  EXPECT_EQ(error("kernel,size,ms\ntiled,64,1\ntiled,64,-1\n"),
            "x.csv: line 3, column ms: expected a number of milliseconds above 0.");
  EXPECT_EQ(error("kernel,size,ms\ntiled,64.5,1\n"),
            "x.csv: line 2, column size: expected an integer, at least 1.");
  EXPECT_EQ(error("kernel,size,ms\ntiled,64\n"),
            "x.csv: line 2, column ms: expected a number of milliseconds above 0.");
  EXPECT_EQ(error("kernel,size,block_size,ms\ntiled,64,-2,1\n"),
            "x.csv: line 2, column block_size: expected an integer, at least 0.");
  EXPECT_EQ(error("kernel,size,ms\n,64,1\n"), "x.csv: line 2, column kernel: expected a name.");
}

}  // namespace
}  // namespace tilestep::timing
