#include "compile/compiler.h"
#include "compile/nvrtc.h"
#include "support/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace tilestep::compile {
namespace {

using testing::Contains;
using testing::ElementsAre;

// Sets a variable of the environment for one test.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* const old = std::getenv(name)) {
      old_ = old;
      was_set_ = true;
    }
    setenv(name, value.c_str(), 1);
  }
  ~Environment() {
    if (was_set_) {
      setenv(name_, old_.c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::string old_;
  bool was_set_ = false;
};

TEST(NvrtcSearch, ChosenFile_IsTheOnlyCandidate) {
  const Environment chosen("TILESTEP_NVRTC", "/somewhere/libnvrtc.so.13");
  EXPECT_THAT(nvrtc_candidates(), ElementsAre("/somewhere/libnvrtc.so.13"));
}

TEST(NvrtcSearch, ChosenFolder_GivesItsLibrariesButNotTheBuiltins) {
  const test::TemporaryFolder folder;
  for (const char* name : {"libnvrtc.so.13", "libnvrtc-builtins.so.13.0", "libnvrtc.alt.so.13",
                           "libnvrtc_static.a", "libcublas.so.13"}) {
    std::ofstream(folder.path() / name) << "x";
  }
  const Environment chosen("TILESTEP_NVRTC", folder.path().string());
  EXPECT_THAT(nvrtc_candidates(), ElementsAre((folder.path() / "libnvrtc.so.13").string()));
}

TEST(NvrtcSearch, Otherwise_TheLoaderIsAskedFirstAndTheDownloadLast) {
  const test::TemporaryFolder cache;
  const std::filesystem::path wheel = cache.path() / TILESTEP_NVRTC_FOLDER;
  std::filesystem::create_directories(wheel);
  std::ofstream(wheel / "libnvrtc.so.13") << "x";
  const Environment none("TILESTEP_NVRTC", "");
  const Environment root("XDG_CACHE_HOME", cache.path().string());
  const std::vector<std::string> candidates = nvrtc_candidates();
  EXPECT_EQ(candidates.front(), "libnvrtc.so.14");
  EXPECT_THAT(candidates, Contains("libnvrtc.so.13"));
  EXPECT_EQ(candidates.back(), (wheel / "libnvrtc.so.13").string());
}

TEST(NvrtcSearch, AToolkitNamedByTheEnvironment_IsSearched) {
  const test::TemporaryFolder toolkit;
  std::filesystem::create_directories(toolkit.path() / "lib64");
  std::ofstream(toolkit.path() / "lib64/libnvrtc.so.13") << "x";
  const Environment none("TILESTEP_NVRTC", "");
  const Environment set("CUDA_PATH", toolkit.path().string());
  EXPECT_THAT(nvrtc_candidates(), Contains((toolkit.path() / "lib64/libnvrtc.so.13").string()));
}

TEST(CacheFolder, FollowsTheXdgSpecification) {
  const Environment home("HOME", "/home/somebody");
  {
    const Environment cache("XDG_CACHE_HOME", "/elsewhere");
    EXPECT_EQ(default_cache_directory(), "/elsewhere/tilestep/ptx");
  }
  for (const char* unusable : {"", "relative/path"}) {
    const Environment cache("XDG_CACHE_HOME", unusable);
    EXPECT_EQ(default_cache_directory(), "/home/somebody/.cache/tilestep/ptx");
  }
}

TEST(Nvrtc, ThatCannotBeOpened_SaysWhyAndWhatToDo) {
  const Environment chosen("TILESTEP_NVRTC", "/nowhere/libnvrtc.so.13");
  Compiler compiler({});
  const NvrtcInfo info = compiler.nvrtc();
  EXPECT_FALSE(info.found);
  EXPECT_THAT(info.why_not, testing::HasSubstr("/nowhere/libnvrtc.so.13"));
  EXPECT_THAT(info.why_not, testing::HasSubstr("Correct or unset TILESTEP_NVRTC"));
  const Result<Output> output = compiler.compile({"k.cu", "__global__ void k() {}", {}, {}, "k"});
  ASSERT_FALSE(output);
  EXPECT_THAT(output.error().message, testing::StartsWith("k.cu cannot be compiled. NVRTC"));
}

TEST(Nvrtc, OtherLibrary_IsRefused) {
  const Environment chosen("TILESTEP_NVRTC", "libm.so.6");
  Compiler compiler({});
  EXPECT_THAT(compiler.nvrtc().why_not, testing::HasSubstr("it is not NVRTC"));
}

TEST(Nvrtc, InstalledLater_IsFoundWithoutARestart) {
  Compiler compiler({});
  {
    const Environment chosen("TILESTEP_NVRTC", "/nowhere/libnvrtc.so.13");
    EXPECT_FALSE(compiler.nvrtc().found);
  }
  EXPECT_EQ(compiler.nvrtc().found, Compiler({}).nvrtc().found);
}

}  // namespace
}  // namespace tilestep::compile
