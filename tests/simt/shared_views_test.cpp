#include "simt/machine/program.h"
#include "simulated.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tilestep::simt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "As at 0: 3 of float[4][12]".
std::vector<std::string> views_of(const Program& program) {
  std::vector<std::string> all;
  for (const Array& view : program.arrays()) {
    if (view.is_view()) {
      const ptx::SourceType& type = program.module().types[view.element];
      const std::uint64_t offset = view.base - program.allocations()[view.allocation].base;
      all.push_back(
          fmt::format("{} at {}: {} of {}", view.name, offset, view.bytes / type.bytes, type.name));
    }
  }
  return all;
}

std::vector<std::string> views_in(const std::string& body, std::uint32_t dynamic_bytes,
                                  std::uint32_t threads = 64) {
  test::Simulated simulated;
  test::OwnKernel kernel;
  kernel.source = "extern \"C\" __global__ void kernel(float* out) {\n  int t = threadIdx.x;\n" +
                  body + "\n}\n";
  kernel.block.x = threads;
  kernel.buffers = {{"out", static_cast<int>(threads)}};
  kernel.dynamic_shared_bytes = dynamic_bytes;
  return views_of(*simulated.program(test::launch_of(kernel)));
}

TEST(SharedViews, OfTheCatalogsStagesHaveTheirDimensions) {
  test::Simulated simulated;
  const auto of = [&](const std::string& kernel) {
    return views_of(*simulated.program(kernel, {16, 16, 16}, 4));
  };
  for (const char* kernel : {"pipelined_tiles_teaching", "fragments_ahead_teaching",
                             "ordered_products_teaching", "shared_last_wave_teaching"}) {
    EXPECT_THAT(of(kernel),
                ElementsAre("As at 0: 3 of float[4][12]", "Bs at 576: 3 of float[4][8]"))
        << kernel;
  }
}

TEST(SharedViews, OfMemoryThatIsUsedAgainAreThoseThatWereFirst) {
  test::Simulated simulated;
  EXPECT_THAT(views_of(*simulated.program("sliced_k_teaching", {16, 16, 32}, 4)),
              ElementsAre("As at 0: 3 of float[8][12]", "Bs at 1152: 3 of float[8][8]"));
}

TEST(SharedViews, ArePlainPointersToo) {
  EXPECT_THAT(views_in(R"(
  extern __shared__ float smem[];
  float* As = smem;
  float* Bs = &smem[64];
  As[t] = t;
  Bs[t] = 2 * t;
  __syncthreads();
  out[t] = As[63 - t] + Bs[63 - t];)",
                       512),
              ElementsAre("As at 0: 64 of float", "Bs at 256: 64 of float"));
}

TEST(SharedViews, MayLeaveTheBeginningUnnamed) {
  EXPECT_THAT(views_in(R"(
  extern __shared__ float smem[];
  auto rows = reinterpret_cast<float (*)[16]>(smem + 64);
  smem[t] = t;
  rows[t / 16][t % 16] = t;
  __syncthreads();
  out[t] = smem[63 - t] + rows[0][0];)",
                       512),
              ElementsAre("rows at 256: 4 of float[16]"));
}

TEST(SharedViews, AreNotPointersThatDifferBetweenThreads) {
  EXPECT_THAT(views_in(R"(
  extern __shared__ float smem[];
  float* own = smem + 32 + t / 32 * 32;
  own[t % 32] = t;
  __syncthreads();
  out[t] = smem[95 - t];)",
                       384),
              IsEmpty());
}

TEST(SharedViews, AreNotPointersThatMoveOn) {
  EXPECT_THAT(views_in(R"(
  extern __shared__ float smem[];
  float* now = smem;
  float* next = smem + 64;
  for (int i = 0; i < 4; ++i) {
    now[t] = t + i;
    __syncthreads();
    out[t] = now[63 - t];
    float* turned = now;
    now = next;
    next = turned;
  })",
                       512),
              IsEmpty());
}

TEST(SharedViews, OfOneNameForAllOfItSayNothing) {
  EXPECT_THAT(views_in(R"(
  extern __shared__ float smem[];
  float* row = smem;
  row[t] = t;
  __syncthreads();
  out[t] = smem[63 - t];)",
                       256),
              IsEmpty());
}

TEST(SharedViews, PreferArraysToElementsAtOnePlace) {
  EXPECT_THAT(views_in(R"(
  extern __shared__ float smem[];
  float* flat = smem;
  auto tile = reinterpret_cast<float (*)[8]>(smem);
  float* inside = &tile[0][3];
  flat[t] = t;
  __syncthreads();
  out[t] = tile[t / 8][t % 8] + *inside;)",
                       256),
              ElementsAre("tile at 0: 8 of float[8]"));
}

}  // namespace
}  // namespace tilestep::simt
