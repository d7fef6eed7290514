#include "compile/compiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace tilestep::compile {
namespace {

using testing::ElementsAre;

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

// Shipped caches are found by it: a change needs a new format number, not a new constant here.
TEST(CacheKey, IsTheSameOnEveryMachineAndInEveryBuild) {
  EXPECT_EQ(cache_key(make_request(launch(), Build::Step)), "fd0af320204036618c0cfecc3bcddea8");
}

}  // namespace
}  // namespace tilestep::compile
