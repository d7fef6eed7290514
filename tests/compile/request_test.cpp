#include "compile/request.h"

#include "compile/compiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace tilestep::compile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

problem::Launch launch() {
  problem::Launch launch;
  launch.source_name = "k.cu";
  launch.source = "// text";
  launch.entry = "k<4>";
  launch.defines = {{"TILE", "4"}, {"ALPHA", "1.5f"}};
  launch.headers = {{"a.h", "#define A 1"}};
  return launch;
}

TEST(Request, HasBuildArchitectureAndDefinesInOrder) {
  const Request step = make_request(launch(), Build::Step);
  EXPECT_THAT(step.options,
              ElementsAre("-arch=compute_80", "-std=c++20", "-G", "-DALPHA=1.5f", "-DTILE=4"));
  EXPECT_EQ(step.name_expression, "k<4>");
  EXPECT_EQ(step.headers, launch().headers);
  EXPECT_EQ(make_request(launch(), Build::Fast).options[2], "-lineinfo");
}

TEST(Request, NamesOfTheHostCompilerAreDefinedWhereTheTextNamesThem) {
  problem::Launch own = launch();
  EXPECT_FALSE(make_request(own, Build::Step).headers.contains(kHostCompilerName));
  own.source = "#if __BYTE_ORDER__\n#endif\n__global__ void k(int* x) { x[0] = __builtin_clz(8); }";
  own.headers = {{"a.h", "#define MOST __FLT_MAX__"}};
  const Request request = make_request(own, Build::Step);
  const std::string& header = request.headers.at(kHostCompilerName);
  EXPECT_THAT(header,
              HasSubstr("#define __FLT_MAX__ 3.40282346638528859811704183484516925e+38F\n"));
  EXPECT_THAT(header, HasSubstr("#define __ORDER_LITTLE_ENDIAN__ 1234\n"));
  EXPECT_THAT(header, HasSubstr(" int __builtin_clz(unsigned a)"));
  EXPECT_THAT(header, Not(HasSubstr("__INT_MAX__")));
  EXPECT_EQ(request.options.back(), std::string("-include=") + kHostCompilerName);
}

TEST(HostCompiler, KnowsItsMacrosAndBuiltInFunctions) {
  for (const char* const name : {"__FLT_MAX__",
                                 "__FLT_EPSILON__",
                                 "__INT_MAX__",
                                 "__DBL_MAX__",
                                 "__CHAR_BIT__",
                                 "__SIZEOF_INT__",
                                 "__UINT32_MAX__",
                                 "__INT64_C",
                                 "__GNUC__",
                                 "__x86_64__",
                                 "_GNU_SOURCE",
                                 "linux",
                                 "unix",
                                 "__builtin_memcpy",
                                 "__builtin_memset",
                                 "__builtin_popcountll",
                                 "__builtin_huge_valf",
                                 "__builtin_acosf",
                                 "__builtin_fmaf",
                                 "__builtin_ctz",
                                 "__builtin_offsetof"}) {
    EXPECT_TRUE(is_of_host_compiler(name)) << name;
  }
  for (const char* const name :
       {"__syncthreads", "__global__", "__builtin_", "__builtin_trap", "x"}) {
    EXPECT_FALSE(is_of_host_compiler(name)) << name;
  }
}

TEST(Request, CubinIsTheFastBuildForARealArchitecture) {
  const Request cubin = make_cubin_request(launch(), 90);
  Request ptx = make_request(launch(), Build::Fast);
  EXPECT_EQ(cubin.product, Product::Cubin);
  EXPECT_EQ(cubin.options[0], "-arch=sm_90");
  ptx.options[0] = cubin.options[0];
  ptx.product = Product::Cubin;
  EXPECT_EQ(cubin, ptx);
}

TEST(CacheKey, DependsOnEverythingInTheRequest) {
  const Request base = make_request(launch(), Build::Step);
  std::set<std::string> keys{cache_key(base)};
  const auto expect_new = [&](const Request& request) {
    EXPECT_TRUE(keys.insert(cache_key(request)).second);
  };
  expect_new(make_request(launch(), Build::Fast));
  Request changed = base;
  changed.source_name = "l.cu";
  expect_new(changed);
  changed = base;
  changed.product = Product::Cubin;
  expect_new(changed);
  changed = base;
  changed.source += ' ';
  expect_new(changed);
  changed = base;
  changed.headers["a.h"] = "int b;";
  expect_new(changed);
  changed = base;
  changed.headers["b.h"] = "";
  expect_new(changed);
  changed = base;
  changed.options.emplace_back("-DX=1");
  expect_new(changed);
  changed = base;
  changed.name_expression = "k<5>";
  expect_new(changed);
}

TEST(CacheKey, TellsWhereOneTextEndsAndTheNextBegins) {
  Request a;
  a.options = {"ab", "c"};
  Request b;
  b.options = {"a", "bc"};
  EXPECT_NE(cache_key(a), cache_key(b));
  b.options = {"abc"};
  EXPECT_NE(cache_key(a), cache_key(b));
}

// It locates shipped caches: a change needs a new format number, not a new constant here.
TEST(CacheKey, IsTheSameOnEveryMachineAndInEveryBuild) {
  EXPECT_EQ(cache_key(make_request(launch(), Build::Step)), "fd0af320204036618c0cfecc3bcddea8");
}

}  // namespace
}  // namespace tilestep::compile
