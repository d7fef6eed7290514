// Ceilings on a GPU whose launches take the time that the test sets.
#include "timing/ceilings.h"

#include "fake_gpu.h"
#include "folders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace tilestep::timing {
namespace {

std::string kernels() {
  std::ifstream in(tilestep::test::source_folder().string() + "/kernels/ceilings.cu");
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Ceilings, AreTheWorkOfALaunchOverItsTime) {
  fake::reset();
  fake::driver().durations_ms = {2.0F};
  fake::driver().memory_bytes = std::size_t{64} << 20;
  const auto device = open_fake_device();
  compile::Compiler compiler(compile::CacheOptions{});
  const auto ceilings = measure_ceilings(*device, compiler, kernels());
  ASSERT_TRUE(ceilings) << ceilings.error().message;
  const gpu::DeviceInfo& info = device->info();
  EXPECT_EQ(ceilings->sms, info.sm_count);
  EXPECT_EQ(ceilings->architecture, 10 * info.compute_major + info.compute_minor);
  const int blocks = info.max_threads_per_sm / 1024 * info.sm_count;
  const double threads = 1024.0 * blocks;
  EXPECT_DOUBLE_EQ(ceilings->ffma_gflops, threads * 128 * 1000 * 2 / 2e-3 * 1e-9);
  EXPECT_DOUBLE_EQ(ceilings->shared_gb_s, threads * 32 * 1000 * 4 / 2e-3 * 1e-9);
  const double dram_bytes = (std::size_t{64} << 20) / 4.0;  // a quarter of the memory
  EXPECT_DOUBLE_EQ(ceilings->dram_gb_s, dram_bytes / 2e-3 * 1e-9);
  EXPECT_GT(ceilings->l2_gb_s, 0.0);
  ASSERT_TRUE(ceilings->copies);
  EXPECT_GT(ceilings->copies->locked_to_host_gb_s, 0.0);
  // The fake driver's rows begin at multiples of 512 bytes.
  const auto row = std::ranges::find(ceilings->pitches, 4004, &Pitch::row_bytes);
  ASSERT_NE(row, ceilings->pitches.end());
  EXPECT_EQ(row->pitch_bytes, 4096);
}

TEST(Ceilings, ATextThatDoesNotCompileIsSaid) {
  fake::reset();
  const auto device = open_fake_device();
  compile::Compiler compiler(compile::CacheOptions{});
  const auto ceilings = measure_ceilings(*device, compiler, "nonsense");
  ASSERT_FALSE(ceilings);
  EXPECT_NE(ceilings.error().message.find("does not compile"), std::string::npos);
}

}  // namespace
}  // namespace tilestep::timing
