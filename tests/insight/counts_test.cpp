// Counts of whole launches: Nsight Compute's own numbers, and closed forms.
#include "insight/check/check.h"
#include "insight/count/counters.h"
#include "simulated.h"

#include <gtest/gtest.h>

namespace tilestep::insight {
namespace {

class Counts : public testing::Test {
 protected:
  Counters count_fast(const char* kernel, problem::Problem size, int block_size) {
    return count(simulated_.program(kernel, size, block_size, compile::Build::Fast));
  }
  test::Simulated simulated_;
};

struct Measured {
  int block_size;
  std::uint64_t requests;
  std::uint64_t sectors;
};

// Tiled, M = N = K = 500, measured with Nsight Compute on H100 and H200.
class NsightCompute : public testing::TestWithParam<Measured> {};
INSTANTIATE_TEST_SUITE_P(
    Tiled500, NsightCompute,
    testing::Values(Measured{8, 992'250, 5'922'000}, Measured{16, 512'000, 2'512'000},
                    Measured{24, 330'750, 1'643'250}, Measured{32, 256'000, 1'128'000}),
    [](const auto& test) { return "BlockSize" + std::to_string(test.param.block_size); });

TEST_P(NsightCompute, CountsTheSameRequestsAndSectors) {
  test::Simulated simulated;
  const Counters counters = count(
      simulated.program("tiled", {500, 500, 500}, GetParam().block_size, compile::Build::Fast));
  EXPECT_EQ(counters.global_loads.requests, GetParam().requests);
  EXPECT_EQ(counters.global_loads.sectors, GetParam().sectors);
}

TEST_F(Counts, OfLoadsFollowTheClosedForms) {
  const problem::Problem size{20, 24, 28};
  for (const int block_size : {4, 8, 16}) {
    const auto blocks = [&](int extent) {
      return static_cast<std::uint64_t>((extent + block_size - 1) / block_size);
    };
    const auto elements = [](int rows, int cols) {
      return static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(cols);
    };
    const Counters tiled = count_fast("tiled", size, block_size);
    EXPECT_EQ(tiled.buffers[0].loads, blocks(size.N) * elements(size.M, size.K));
    EXPECT_EQ(tiled.buffers[1].loads, blocks(size.M) * elements(size.K, size.N));
    EXPECT_EQ(tiled.buffers[2].stores, elements(size.M, size.N));
    EXPECT_EQ(tiled.buffers[2].loads, 0U);
    const Counters naive = count_fast("naive", size, block_size);
    EXPECT_EQ(naive.buffers[0].loads, elements(size.M, size.K) * 24);
    EXPECT_EQ(naive.buffers[1].loads, elements(size.K, size.N) * 20);
    EXPECT_EQ(naive.shared_loads.requests, 0U);
  }
}

TEST_F(Counts, OfTheTextbookTileShowNoBankConflict) {
  for (const int block_size : {8, 16, 32}) {
    const Counters counters = count_fast("tiled", {64, 64, 64}, block_size);
    EXPECT_EQ(counters.shared_loads.wavefronts, counters.shared_loads.requests) << block_size;
    EXPECT_EQ(counters.shared_stores.wavefronts, counters.shared_stores.requests) << block_size;
  }
}

TEST_F(Counts, OfCheckAreThoseOfCounting) {
  const auto program = simulated_.program("tiled", {40, 36, 44}, 8, compile::Build::Fast);
  const Counters counted = count(program);
  const Counters checked = check(program, {simt::ScheduleKind::Sequential}).counters;
  EXPECT_EQ(checked.warp_instructions, counted.warp_instructions);
  EXPECT_EQ(checked.global_loads.sectors, counted.global_loads.sectors);
  EXPECT_EQ(checked.shared_loads.wavefronts, counted.shared_loads.wavefronts);
  EXPECT_EQ(checked.buffers[1].loads, counted.buffers[1].loads);
  EXPECT_GT(counted.warp_instructions, 0U);
}

}  // namespace
}  // namespace tilestep::insight
