// The PTX that is made while building serves the whole catalog where there is no NVRTC.
#include "compile/compiler.h"
#include "ptx/loader.h"
#include "support/catalog_launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace tilestep {
namespace {

#ifdef TILESTEP_PTX_CACHE

TEST(ShippedCache, ServesEveryKernelAndBlockSizeWithoutNvrtc) {
  setenv("TILESTEP_NVRTC", "/nowhere/libnvrtc.so", 1);
  compile::Compiler compiler({{}, {TILESTEP_PTX_CACHE}});
  ASSERT_FALSE(compiler.nvrtc().found);
  for (const problem::LaunchSpec& spec : test::repository_catalog().kernels) {
    for (int block_size = 1; block_size <= 32; ++block_size) {
      const int size = 3 * block_size;
      const Result<problem::Launch> launch =
          problem::evaluate_shape(spec, {{size, size, size}, block_size});
      ASSERT_TRUE(launch) << launch.error().message;
      for (const compile::Build build : {compile::Build::Step, compile::Build::Fast}) {
        const auto kernel = ptx::load_kernel(compiler, *launch, build);
        ASSERT_TRUE(kernel) << kernel.error().error.message;
        EXPECT_EQ(kernel->note, "") << launch->entry;  // the probes are there too
        EXPECT_TRUE(kernel->output.from_cache);
      }
    }
  }
  unsetenv("TILESTEP_NVRTC");
}

TEST(ShippedCache, EditedText_SaysThatTheCompilerIsMissing) {
  setenv("TILESTEP_NVRTC", "/nowhere/libnvrtc.so", 1);
  compile::Compiler compiler({{}, {TILESTEP_PTX_CACHE}});
  problem::Launch launch = test::launch_of("tiled", {8, 8, 8}, 4);
  launch.source += "\n";
  const auto kernel = ptx::load_kernel(compiler, launch, compile::Build::Step);
  ASSERT_FALSE(kernel);
  EXPECT_THAT(
      kernel.error().error.message,
      testing::StartsWith("tiled.cu cannot be compiled. NVRTC, the CUDA compiler library,"));
  unsetenv("TILESTEP_NVRTC");
}

#endif

}  // namespace
}  // namespace tilestep
