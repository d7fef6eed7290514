// The sources and the uses of a cell's value, as the stage shows them.
#include "insight/events/cell_flow.h"

#include "insight/names.h"
#include "insight/trace/origin.h"
#include "simulated.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace tilestep::insight {
namespace {

using testing::HasSubstr;

class Flow : public testing::Test {
 protected:
  void SetUp() override { run_ = recorded("tiled"); }
  std::shared_ptr<const record::Recording> recorded(const char* kernel) {
    return *record::Recording::make(simulated_.program(kernel, {8, 8, 8}, 4), {});
  }
  static CellFlow flow(const record::Recording& run, const FlowQuestion& question) {
    auto found = cell_flow(run, question);
    if (!found) {
      throw std::runtime_error(found.error().message);
    }
    return *found;
  }
  static std::set<std::uint64_t> addresses(const record::Recording& run,
                                           const std::vector<std::string>& names) {
    std::set<std::uint64_t> all;
    for (const std::string& name : names) {
      all.insert(find_cell(run.program(), name)->address);
    }
    return all;
  }
  static std::set<std::uint64_t> set_of(const std::vector<std::uint64_t>& all) {
    return {all.begin(), all.end()};
  }

  test::Simulated simulated_;
  std::shared_ptr<const record::Recording> run_;
};

TEST_F(Flow, OfAnInputsElementIsWhatUsesTells) {
  const auto naive = simulated_.program("naive", {8, 8, 8}, 4);
  const auto found = cell_flow(*run_, {"A[1][6]", 0, 1}, count_loads(naive, "A[1][6]"), "naive");
  ASSERT_TRUE(found);
  const auto uses = uses_of(*run_, "A[1][6]");
  EXPECT_EQ(found->loads, uses->loads.size());
  std::vector<std::string> wanted{"As[1][2]"};
  for (int col = 0; col < 8; ++col) {
    wanted.push_back("C[1][" + std::to_string(col) + "]");
  }
  EXPECT_EQ(set_of(found->uses), addresses(*run_, wanted));
  EXPECT_EQ(found->readers, (std::vector<std::uint32_t>{4, 5, 6, 7}));
  EXPECT_THAT(found->sentence,
              HasSubstr("· loaded 2× (blocks (0,0), (1,0)); by naive: 8× · 8 products · used for "
                        "C[1][0..7]"));
}

TEST_F(Flow, OfAnOutputsElementIsItsRowAndItsColumn) {
  const CellFlow found = flow(*run_, {"C[3][5]", 0, 0});
  std::vector<std::string> wanted;
  for (int k = 0; k < 8; ++k) {
    wanted.push_back("A[3][" + std::to_string(k) + "]");
    wanted.push_back("B[" + std::to_string(k) + "][5]");
  }
  EXPECT_EQ(set_of(found.sources), addresses(*run_, wanted));
  EXPECT_THAT(found.sentence, HasSubstr("8 products of A[3][0..7] and B[0..7][5]"));
  EXPECT_THAT(found.sentence, HasSubstr("stored by thread (1,3) of block (1,0)"));
}

TEST_F(Flow, OfASharedCellIsItsElementAndItsReaders) {
  // The middle of the multiplication of tile 1.
  const std::uint64_t step = run_->phases_of(1)[3].first_step + 20;
  const CellFlow found = flow(*run_, {"As[1][2]", step, 1});
  EXPECT_EQ(set_of(found.sources), addresses(*run_, {"A[1][6]"}));
  EXPECT_EQ(found.readers, (std::vector<std::uint32_t>{4, 5, 6, 7})) << "its row of threads";
  EXPECT_THAT(found.sentence,
              HasSubstr("from A[1][6], stored by thread (2,1) · read by 4 threads"));
  EXPECT_THAT(flow(*run_, {"As[1][2]", 0, 1}).sentence, HasSubstr("not stored yet"));
}

TEST_F(Flow, WorksWithoutMatrices) {
  test::OwnKernel own;
  own.source = R"(extern "C" __global__ void kernel(const float* x, float* y) {
  y[31 - threadIdx.x] = 2.0f * x[threadIdx.x];
})";
  own.buffers = {{"x", 32}, {"y", 32}};
  const auto run = *record::Recording::make(simulated_.program(test::launch_of(own)), {});
  EXPECT_EQ(set_of(flow(*run, {"y[3]", 0, 0}).sources), addresses(*run, {"x[28]"}));
  EXPECT_EQ(set_of(flow(*run, {"x[28]", 0, 0}).uses), addresses(*run, {"y[3]"}));
}

TEST_F(Flow, CellsAreToldAsRangesWhereTheyAreSome) {
  EXPECT_EQ(cells_text({"C[1][0]", "C[1][1]", "C[1][2]"}), "C[1][0..2]");
  EXPECT_EQ(cells_text({"C[1][0]", "C[2][0]", "C[1][1]", "C[2][1]"}), "C[1..2][0..1]");
  EXPECT_EQ(cells_text({"C[1][0]", "C[3][2]"}), "C[1][0], C[3][2]");
  EXPECT_EQ(cells_text({"x[0]", "x[1]", "x[2]", "x[3]", "x[4]"}), "x[0], x[1], x[2], … and 2 more");
}

}  // namespace
}  // namespace tilestep::insight
