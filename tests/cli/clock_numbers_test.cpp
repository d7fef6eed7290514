// `tilestep clock --measure-gpu` on a driver in host memory, whose kernels take the clocks of an
// H200.
#include "cli/clock_numbers.h"

#include "folders.h"
#include "kept_outputs.h"
#include "problem/file.h"
#include "timing/fake_gpu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace tilestep::cli {
namespace {

struct Arguments {
  std::uint64_t* out;
  const std::uint32_t* data;
  std::uint32_t first;
  std::uint32_t second;
};

constexpr std::uint32_t kOfRound = 32;

// Clocks of an operation of a warp.
double clocks_of(const std::string& entry, const Arguments& a, unsigned warps) {
  const std::map<std::string, double> chains{{"sm_constant_chain", 31},
                                             {"sm_special_chain", 24},
                                             {"sm_shared_rate", 16},
                                             {"sm_stores", 48},
                                             {"sm_ffma", 4.25},
                                             {"sm_imad", 8},
                                             {"sm_shift", 8}};
  if (entry == "sm_global_chain") {
    const std::uint32_t step = a.data[0];
    return step == 32 ? 40 : a.first > 0 ? 287 : 688;
  }
  if (entry == "sm_shared_chain") {
    return 21 + 2 * a.first;
  }
  if (entry == "sm_barriers") {
    return 13 + 2 * warps;
  }
  return entry == "sm_lines" ? (a.second == 1 ? 224 : 100) : chains.at(entry);
}

int take_time(const fake::Launch& launch) {
  Arguments a{};
  std::memcpy(static_cast<void*>(&a), launch.arguments.data(), 24);
  const unsigned warps = launch.block[0] / 32;
  const bool is_of_lines = launch.entry == "sm_lines";
  const double operations = is_of_lines ? 400.0 * a.second : kOfRound * a.second;
  const double clocks = operations * clocks_of(launch.entry, a, warps);
  for (unsigned warp = 0; warp < launch.grid[0] * warps; ++warp) {
    const std::uint64_t start = 1000 + 7 * (warp / warps % 4);
    a.out[3 * warp] = start;
    a.out[3 * warp + 1] = start + static_cast<std::uint64_t>(clocks);
    a.out[3 * warp + 2] = warp / warps % 4;
  }
  return 0;
}

class NumbersOnFakeGpu : public testing::Test {
 protected:
  void SetUp() override {
    fake::reset();
    fake::driver().on_launch = take_time;
    fake::driver().durations_ms = {0.1F};
    device = timing::open_fake_device();
  }
  compile::Compiler compiler{test::kept_outputs()};
  std::unique_ptr<gpu::Device> device;
};

TEST_F(NumbersOnFakeGpu, AreTheClocksOfItsKernels) {
  const auto source = problem::read_file(test::source_folder() / "kernels" / "sm_numbers.cu");
  const auto clocks = measure_clocks(*device, compiler, source.value());
  ASSERT_TRUE(clocks) << clocks.error().message;
  EXPECT_EQ(clocks->l1_chain, 40);
  EXPECT_EQ(clocks->l2_chain, 287);
  EXPECT_EQ(clocks->dram_chain, 688);
  EXPECT_EQ(clocks->shared_chain.front(), 23);
  EXPECT_EQ(clocks->shared_chain.back(), 85);
  ASSERT_EQ(clocks->barriers.size(), 6U);
  EXPECT_EQ(clocks->barriers.back(), std::pair(32, 77.0));
  EXPECT_EQ(clocks->constant_chain, 31);
  EXPECT_EQ(clocks->special_chain, 24);
  EXPECT_EQ(clocks->shared_rate, 1);
  EXPECT_EQ(clocks->store_rate, 3);
  EXPECT_EQ(clocks->imad_rate, 0.5);
  EXPECT_EQ(clocks->line_rate, 3.5);           // 224 by 64 warps
  EXPECT_EQ(clocks->sector_rate, 100.0 / 64);  // of a line
}

TEST_F(NumbersOnFakeGpu, NeedATextThatCompiles) {
  const auto clocks = measure_clocks(*device, compiler, "this is no CUDA\n");
  ASSERT_FALSE(clocks);
  EXPECT_THAT(clocks.error().message, testing::HasSubstr("sm_numbers.cu does not compile"));
}

}  // namespace
}  // namespace tilestep::cli
