#include "insight/names.h"
#include "record/place_name.h"
#include "simulated.h"

#include <gtest/gtest.h>

namespace tilestep::insight {
namespace {

class ElementName : public testing::Test {
 protected:
  ElementName() : program_(simulated_.program("tiled", {8, 6, 8}, 4)) {}

  std::string at(const std::string& allocation, std::int64_t offset) {
    for (std::uint32_t i = 0; i < program_->allocations().size(); ++i) {
      if (program_->allocations()[i].name == allocation) {
        return record::place_name(*program_, {i, offset, true});
      }
    }
    return "no such allocation";
  }

  test::Simulated simulated_;
  std::shared_ptr<const simt::Program> program_;
};

TEST_F(ElementName, OfABufferHasRowAndColumn) {
  EXPECT_EQ(at("A", 0), "A[0][0]");
  EXPECT_EQ(at("A", 4 * 11), "A[1][3]");
  EXPECT_EQ(at("B", 4 * 11), "B[1][5]");
  EXPECT_EQ(at("A", 4 * 11 + 2), "A[1][3]+2");
}

TEST_F(ElementName, ContinuesBeyondTheEnds) {
  EXPECT_EQ(at("A", 4 * 64), "A[8][0]");
  EXPECT_EQ(at("A", -4), "A[-1][7]");
  EXPECT_EQ(at("As", 4 * 17), "As[4][1]");
}

TEST_F(ElementName, OfASharedArrayFollowsItsType) {
  EXPECT_EQ(at("As", 0), "As[0][0]");
  EXPECT_EQ(at("Bs", 4 * 6), "Bs[1][2]");
}

TEST(ElementNameOfViews, IsWhatTheKernelMakesOfItsDynamicSharedMemory) {
  test::Simulated simulated;
  const auto program = simulated.program("pipelined_tiles_teaching", {16, 16, 16}, 4);
  const auto at = [&](std::uint64_t offset) {
    return record::place_name(*program, program->locate(simt::kSharedWindow + offset, 4));
  };
  EXPECT_EQ(at(0), "As[0][0][0]");
  EXPECT_EQ(at(4 * ((1 * 4 + 2) * 12 + 11)), "As[1][2][11]") << "a column of padding";
  EXPECT_EQ(at(576 + 4 * ((2 * 4 + 3) * 8 + 7)), "Bs[2][3][7]");
  EXPECT_EQ(at(576 + 384), "Bs[3][0][0]") << "behind the end";
}

TEST(ElementNameOfViews, IsUnderstood) {
  test::Simulated simulated;
  const auto program = simulated.program("pipelined_tiles_teaching", {16, 16, 16}, 4);
  const auto cell = find_cell(*program, "Bs[1][2][3]");
  ASSERT_TRUE(cell) << cell.error().message;
  EXPECT_EQ(cell->address, simt::kSharedWindow + 576 + 4 * ((1 * 4 + 2) * 8 + 3));
  EXPECT_EQ(cell->name, "Bs[1][2][3]");
  EXPECT_FALSE(find_cell(*program, "Bs[3][0][0]"));
  EXPECT_FALSE(find_cell(*program, "Bs[1][2]"));
}

TEST_F(ElementName, OfNothingIsEmpty) {
  EXPECT_EQ(record::place_name(*program_, {}), "");
}

TEST(ElementNameOfStructs, NamesTheMember) {
  test::Simulated simulated;
  test::OwnKernel kernel;
  kernel.source = R"(
struct Pair { float x; float y; };
extern "C" __global__ void kernel(float* out) {
  __shared__ Pair pairs[4];
  extern __shared__ float dynamic[];
  pairs[threadIdx.x % 4].y = 1.0f;
  dynamic[threadIdx.x] = 2.0f;
  __syncthreads();
  out[threadIdx.x] = pairs[0].y + dynamic[0];
}
)";
  kernel.buffers = {{"out", 32}};
  kernel.dynamic_shared_bytes = 128;
  const auto program = simulated.program(test::launch_of(kernel));
  for (std::uint32_t i = 0; i < program->allocations().size(); ++i) {
    if (program->allocations()[i].name == "pairs") {
      EXPECT_EQ(record::place_name(*program, {i, 20, true}), "pairs[2].y");
    } else if (program->allocations()[i].name == "dynamic") {
      EXPECT_EQ(record::place_name(*program, {i, 40, true}), "dynamic[10]");
    }
  }
}

}  // namespace
}  // namespace tilestep::insight
