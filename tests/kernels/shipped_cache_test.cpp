// The PTX made at build time serves the whole catalog if there is no NVRTC.
#include "compile/compiler.h"
#include "folders.h"
#include "loading/loader.h"
#include "support/catalog_launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>

namespace tilestep {
namespace {

#ifdef TILESTEP_HAS_PTX_CACHE

TEST(ShippedCache, ServesEveryKernelAndBlockSizeWithoutNvrtc) {
  setenv("TILESTEP_NVRTC", "/nowhere/libnvrtc.so", 1);
  compile::Compiler compiler({{}, {test::share_folder() / "ptx-cache"}});
  ASSERT_FALSE(compiler.nvrtc().found);
  const problem::Catalog& catalog = test::repository_catalog();
  std::set<std::string> loaded;
  for (const problem::LaunchSpec& spec : catalog.kernels) {
    for (const problem::Launch& launch : problem::shipped_launches(catalog, spec)) {
      if (!loaded.insert(launch.entry).second) {
        continue;
      }
      for (const compile::Build build : {compile::Build::Step, compile::Build::Fast}) {
        const auto kernel = loading::load_kernel(compiler, launch, build);
        ASSERT_TRUE(kernel) << kernel.error().error.message;
        EXPECT_EQ(kernel->note, "") << launch.entry;  // the probes are in it too
        EXPECT_TRUE(kernel->output.from_cache);
      }
    }
  }
  EXPECT_GT(loaded.size(), 8U * 32U + 12U * 12U);
  unsetenv("TILESTEP_NVRTC");
}

TEST(ShippedCache, EditedText_SaysThatTheCompilerIsMissing) {
  setenv("TILESTEP_NVRTC", "/nowhere/libnvrtc.so", 1);
  compile::Compiler compiler({{}, {test::share_folder() / "ptx-cache"}});
  problem::Launch launch = test::launch_of("tiled", {8, 8, 8}, 4);
  launch.source += '\n';
  const auto kernel = loading::load_kernel(compiler, launch, compile::Build::Step);
  ASSERT_FALSE(kernel);
  EXPECT_THAT(
      kernel.error().error.message,
      testing::StartsWith("tiled.cu cannot be compiled. NVRTC, the CUDA compiler library,"));
  unsetenv("TILESTEP_NVRTC");
}

#endif

}  // namespace
}  // namespace tilestep
