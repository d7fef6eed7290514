// A live sweep without a GPU: how its points reach the plot and the disk.
#include "workspace/bench.h"

#include "temporary_folder.h"
#include "timing/dataset_points.h"
#include "workspace/chart_request.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

namespace tilestep::workspace {
namespace {

constexpr const char* kName = "live-2026-11-21T10-24-44Z";

timing::Provenance provenance() {
  timing::Provenance p;
  p.gpu = "a GPU";
  p.date = "2026-11-21T10:24:44Z";
  return p;
}

timing::Point point(const std::string& kernel, int size, int block_size) {
  timing::Point p;
  p.kernel = kernel;
  p.problem = {size, size, size};
  p.block_size = block_size;
  p.samples_ms = {1.0, 3.0, 2.0};
  p.verified = true;
  return p;
}

problem::Catalog two_kernels() {
  problem::Catalog catalog;
  catalog.kernels.resize(2);
  catalog.kernels[0].id = "naive";
  catalog.kernels[1].id = "tiled";
  return catalog;
}

// By size; cuBLAS first, then in the catalog's order, by BLOCK_SIZE.
std::vector<timing::Point> in_order() {
  return {point(timing::kCublas, 256, 0), point("naive", 256, 4), point("naive", 256, 8),
          point("tiled", 256, 4),         point("naive", 512, 4), point("tiled", 512, 4)};
}

TEST(LiveSweepPoints, TakeTheirPlaceInWhateverOrderTheyCome) {
  const problem::Catalog catalog = two_kernels();
  const std::vector<timing::Point> all = in_order();
  std::vector<timing::DataSet> datasets(1);
  datasets[0].name = "h200";
  for (const std::size_t i : {4, 1, 5, 0, 3, 2}) {
    add_live({kName, provenance(), all[i], ""}, datasets, catalog);
  }
  add_live({kName, provenance(), all[3], ""}, datasets, catalog);  // late
  ASSERT_EQ(datasets.size(), 2U);
  EXPECT_TRUE(datasets[0].points.empty());
  EXPECT_EQ(datasets[1].name, kName);
  EXPECT_EQ(datasets[1].provenance, provenance());
  EXPECT_EQ(datasets[1].points, all);
  std::vector<timing::Point> sorted = all;
  timing::sort_points(sorted, catalog);
  EXPECT_EQ(sorted, all) << "as the file has them";
}

TEST(LiveFile, HasEveryPointAtOnceAndAtTheEndAllInOneFile) {
  const test::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "timings" / (std::string(kName) + ".json");
  LiveFile live(folder.path() / "timings");
  timing::DataSet so_far;
  so_far.provenance = provenance();
  for (const timing::Point& newest : in_order()) {
    so_far.points.push_back(newest);
    EXPECT_EQ(live.add(newest, so_far), "");
    const auto read = timing::load_dataset(file);
    ASSERT_TRUE(read.has_value()) << read.error().message;
    EXPECT_EQ(read->points, so_far.points);
  }
  EXPECT_EQ(keep(so_far, file.parent_path()), "Saved as " + file.string());
  EXPECT_FALSE(std::filesystem::exists(file.string() + ".points"));
  EXPECT_EQ(timing::load_dataset(file)->points, so_far.points);
}

TEST(LiveFile, SaysWhereWhyAndWhatToDoWhenItCannotBeSaved) {
  const test::TemporaryFolder folder;
  std::ofstream(folder.path() / "timings") << "a file where the folder should be";
  timing::DataSet data;
  data.provenance = provenance();
  data.points = in_order();
  LiveFile live(folder.path() / "timings");
  for (const std::string& said :
       {live.add(data.points.front(), data), keep(data, folder.path() / "timings")}) {
    EXPECT_TRUE(said.starts_with("Not saved: " + (folder.path() / "timings").string())) << said;
    EXPECT_NE(said.find("the folder cannot be created"), std::string::npos) << said;
    EXPECT_NE(said.find("XDG_DATA_HOME"), std::string::npos) << said;
  }
}

TEST(LiveSweepView, TheRecordedSetStaysBesideTheOneThatIsMeasured) {
  std::vector<timing::DataSet> datasets(2);
  datasets[0].name = "h200";
  datasets[1].name = "colleague";
  state::TimingView view;
  view.gpu = "NVIDIA B200";
  show_beside(kName, datasets, view);
  EXPECT_EQ(view.dataset, kName);
  EXPECT_EQ(view.overlays, (std::set<std::string>{"h200"})) << "the first was shown";
  EXPECT_EQ(view.gpu, "") << "what is measured is not a prediction";
  view.overlays.clear();  // the user wants to see only this one
  show_beside(kName, datasets, view);
  EXPECT_TRUE(view.overlays.empty());
  view.dataset = "colleague";
  show_beside(kName, datasets, view);
  EXPECT_EQ(view.overlays, (std::set<std::string>{"colleague"}));
}

TEST(LiveSweepView, AnOwnKernelIsMeasuredByItsPathAndPlottedByItsName) {
  const tilestep::test::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "my_kernel.cu";
  std::ofstream(file)
      << "__global__ void mm(const float* A, const float* B, float* C, int M, int N, int K) "
         "{ int y = blockIdx.y * blockDim.y + threadIdx.y; C[y] = A[y] * B[y]; }\n";
  state::AppState state;
  state.kernel = file.string();
  state.timing.measure_all_kernels = false;
  const problem::Catalog catalog = with_own_kernel(two_kernels(), state.kernel);
  ASSERT_EQ(catalog.kernels.size(), 3U);
  EXPECT_EQ(live_plan(state, catalog).kernels, (std::vector<std::string>{state.kernel}));
  state.timing.measure_all_kernels = true;
  EXPECT_EQ(live_plan(state, catalog).kernels.back(), state.kernel) << "among all the others";
  EXPECT_EQ(with_own_kernel(two_kernels(), "naive").kernels.size(), 2U);
  EXPECT_EQ(with_own_kernel(two_kernels(), (folder.path() / "none.cu").string()).kernels.size(),
            2U);

  const problem::Catalog shipped = two_kernels();
  std::vector<timing::DataSet> datasets(1);
  datasets[0] = {kName, provenance(), {point(timing::kCublas, 256, 0)}};
  datasets[0].points.push_back(point(state.kernel, 256, 8));
  state.timing.problem = {256, 256, 256};
  const ShownTimings shown = show_timings(state, {&shipped, datasets, {}});
  ASSERT_EQ(shown.chart.curves.size(), 2U) << "beside cuBLAS";
  EXPECT_EQ(shown.chart.curves[0].name, "my_kernel");
}

}  // namespace
}  // namespace tilestep::workspace
