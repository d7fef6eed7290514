// `tilestep clock --measure` on a driver in host memory, whose kernel writes the stamps of a test.
#include "cli/clock_stamps.h"

#include "catalog_launch.h"
#include "kept_outputs.h"
#include "timing/fake_gpu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace tilestep::cli {
namespace {

using testing::HasSubstr;

constexpr std::uint32_t kTileClocks = 1000;

// After the parameters of tiled.
struct StampArguments {
  std::uint32_t* stamps;
  std::uint32_t limit;
  std::uint32_t stride;
  std::uint32_t sm;
};

// tiled<8> at 16³: two warps a block, two tiles. The SM of block b is b.
int write_stamps(const fake::Launch& launch) {
  constexpr std::size_t kPlace = 40;
  if (launch.arguments.size() < kPlace + 20) {
    return timing::multiply(launch);
  }
  StampArguments a{};
  std::memcpy(static_cast<void*>(&a), launch.arguments.data() + kPlace, 20);
  for (std::uint32_t warp = 0; a.limit > 0 && warp < a.stride; ++warp) {
    const std::uint32_t block = warp / 2;
    std::uint32_t place = warp;
    const auto write = [&](std::uint32_t site, std::uint32_t first, std::uint32_t second) {
      if (place < a.limit && (a.sm == 0xffffffffU || a.sm == block)) {
        a.stamps[2U * place] = first;
        a.stamps[2U * place + 1] = site << 24U | second;
      }
      place += a.stride;
    };
    const std::uint32_t start = 5000 + 7 * block;
    write(1, start, block);
    for (std::uint32_t tile = 0; tile < 2; ++tile) {
      const std::uint32_t at = start + tile * kTileClocks;
      write(2, at + 400 + warp % 2, 50 - warp % 2);
      write(3, at + 900, 20);
    }
    write(4, start + 2 * kTileClocks, 0);
  }
  return timing::multiply(launch);
}

class StampsOnFakeGpu : public testing::Test {
 protected:
  void SetUp() override {
    fake::reset();
    fake::driver().on_launch = write_stamps;
    fake::driver().durations_ms = {0.5F};
    device = timing::open_fake_device();
    loading::PrepareOptions options;
    options.build = compile::Build::Machine;
    auto prepared = loading::prepare(compiler, test::launch_of("tiled", {16, 16, 16}, 8), options);
    ASSERT_TRUE(prepared) << prepared.error().error.message;
    plain = *std::move(prepared);
  }

  compile::Compiler compiler{test::kept_outputs()};
  std::unique_ptr<gpu::Device> device;
  loading::Prepared plain;
};

TEST_F(StampsOnFakeGpu, AreThoseOfOneSm) {
  const auto run = measure_stamps(*device, compiler, plain, {.records = 8});
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->gpu, "Fake GPU");
  EXPECT_EQ(run->kernel, "tiled");
  EXPECT_EQ(run->at_once, 1);
  EXPECT_EQ(run->sm, 3U);
  ASSERT_EQ(run->warps.size(), 2U);
  EXPECT_EQ(run->warps[0].block, 3U);
  EXPECT_EQ(run->warps[0].stamps.size(), 10U);
  EXPECT_EQ(run->plain_ms, 0.5);
  const auto text = stamps_text(*run, run->warps).value();
  EXPECT_THAT(text, HasSubstr("from the barrier at line 27 to the one at line 31"));
  EXPECT_THAT(text, HasSubstr("450"));
  EXPECT_THAT(text, HasSubstr("+0.0%"));
  EXPECT_THAT(text,
              HasSubstr("The launch takes 0.5 ms with timestamps and 0.5 ms without: +0.0%."));
}

TEST_F(StampsOnFakeGpu, AreTakenOfALaunchThatFindsTheMatricesInL2) {
  const auto run = measure_stamps(*device, compiler, plain,
                                  {.records = 8, .kept = clock::Extent::Sm, .is_warm = true});
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_TRUE(run->is_warm);
  EXPECT_EQ(run->warps.size(), 2U);
}

// The first launch with stamps is one of two whose records are in memory at the same time.
TEST_F(StampsOnFakeGpu, AreTakenAgainIfRecordsOfAnEarlierLaunchAreLeft) {
  fake::driver().durations_ms = {0.001F};  // some 2,000 clocks, as long as the kernel
  int empty = 0;  // launches that find no records: the first one, and each whose records are read
  fake::driver().on_launch = [&](const fake::Launch& launch) {
    StampArguments a{};
    if (launch.arguments.size() < 60) {
      return timing::multiply(launch);
    }
    std::memcpy(static_cast<void*>(&a), launch.arguments.data() + 40, 20);
    empty += a.limit > 0 && a.stamps[1] == 0 ? 1 : 0;
    const bool is_read_first = a.limit > 0 && a.stamps[1] == 0 && empty == 2;
    const int status = write_stamps(launch);
    a.stamps[0] -= is_read_first ? 100'000 : 0;  // the start of block 0
    return status;
  };
  loading::Prepared lone = plain;
  lone.launch = test::launch_of("tiled", {8, 8, 16}, 8);
  const auto run = measure_stamps(*device, compiler, lone, {.records = 8});
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(empty, 3);
  EXPECT_EQ(run->warps[0].stamps.back().clock, 2 * kTileClocks);
}

TEST_F(StampsOnFakeGpu, OfAWarpWithTooManyBarriersAreRefused) {
  const auto run = measure_stamps(*device, compiler, plain, {.records = 4});
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().message, HasSubstr("passed more barriers than estimated"));
}

TEST_F(StampsOnFakeGpu, OfAWrongResultAreRefused) {
  fake::driver().on_launch = [](const fake::Launch& launch) {
    const int status = write_stamps(launch);
    timing::matmul_arguments(launch).C[5] += 1.0F;
    return status;
  };
  const auto run = measure_stamps(*device, compiler, plain, {.records = 8});
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().message, HasSubstr("gives a different result: C[0][5]"));
}

}  // namespace
}  // namespace tilestep::cli
