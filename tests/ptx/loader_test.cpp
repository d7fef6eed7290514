// loading::load_kernel through the real compiler. Skipped, with the reason, if there is no NVRTC.
#include "catalog_launch.h"
#include "loading/arguments.h"
#include "ptx/debug_dump.h"
#include "ptx/debug_fixture.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

namespace tilestep::ptx::test {
namespace {

using compile::Build;
using problem::Launch;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class LoadKernel : public ::testing::Test {
 protected:
  void SetUp() override {
    const compile::NvrtcInfo nvrtc = compiler_.nvrtc();
    if (!nvrtc.found) {
      GTEST_SKIP() << nvrtc.why_not;
    }
  }

  loading::Kernel load(const Launch& launch, Build build) {
    auto kernel = loading::load_kernel(compiler_, launch, build);
    if (!kernel) {
      throw std::runtime_error(kernel.error().error.message);
    }
    return std::move(*kernel);
  }

  static Launch launch_of_text(std::string source, std::string entry) {
    Launch launch;
    launch.source_name = "own.cu";
    launch.source = std::move(source);
    launch.entry = std::move(entry);
    return launch;
  }

  std::string failure(const Launch& launch) {
    const auto kernel = loading::load_kernel(compiler_, launch, Build::Step);
    return kernel ? "(no failure)" : kernel.error().error.message;
  }

  compile::Compiler compiler_{compile::CacheOptions{}};
};

std::string type_of_shared(const loading::Kernel& kernel, const std::string& name) {
  for (const MemoryVariable& variable : kernel.module->variables) {
    if (variable.space == Space::Shared && variable.name == name) {
      return variable.type == kNoType ? "(no type)" : kernel.module->types[variable.type].name;
    }
  }
  return "(no variable)";
}

TEST_F(LoadKernel, GivesTheCatalogsKernelsTypedTilesInBothBuilds) {
  for (const char* id : {"tiled", "tiled_missing_barrier", "submatrix"}) {
    const Launch launch = tilestep::test::launch_of(id, {32, 32, 32}, 16);
    for (const Build build : {Build::Step, Build::Fast}) {
      const loading::Kernel kernel = load(launch, build);
      EXPECT_EQ(type_of_shared(kernel, "As"), "float[16][16]") << id;
      EXPECT_EQ(type_of_shared(kernel, "Bs"), "float[16][16]") << id;
      EXPECT_EQ(kernel.note, "") << id;
      EXPECT_TRUE(kernel.module->functions[kernel.entry].is_entry);
      EXPECT_EQ(kernel.module->is_debug, build == Build::Step);
    }
  }
}

// The golden files again, from the compiler of this machine: another release may emit other code,
// but the same variables of the same types.
TEST_F(LoadKernel, ReadsTheGoldenTextsAsTheGoldenFilesSay) {
  for (const std::string name :
       {"scalars", "aggregates", "scopes", "inlined", "memory", "parameters"}) {
    Launch launch = launch_of_text(read_text(debug_data(name + ".cu")), name);
    launch.source_name = name + ".cu";
    if (name == "memory") {
      launch.entry = "memory<float, 8>";
    }
    const loading::Kernel kernel = load(launch, Build::Step);
    const Module golden = probed_module(name);
    EXPECT_EQ(dump_types(*kernel.module), dump_types(golden)) << name;
    if (kernel.output.compiler == "NVRTC 13.0") {
      EXPECT_EQ(dump_debug_info(*kernel.module), dump_debug_info(golden)) << name;
    }
  }
}

TEST_F(LoadKernel, FindsPaddedTilesStructuresAndTilesInTemplates) {
  const Launch launch = launch_of_text(
      "struct Pair { float a; short b[2]; };\n"
      "template <int W, class T> __device__ void fill(T* out) {\n"
      "  __shared__ T tile[W][W + 1]; tile[threadIdx.x][0] = out[0]; __syncthreads();\n"
      "  out[1] = tile[0][threadIdx.x];\n"
      "}\n"
      "__global__ void k(float* out, int* n) {\n"
      "  __shared__ float As[16][17];\n"
      "  __shared__ Pair pairs[4];\n"
      "  As[threadIdx.x][0] = 1; pairs[threadIdx.x & 3].a = 2; __syncthreads();\n"
      "  out[0] = As[0][threadIdx.x] + pairs[0].a; fill<8>(out); fill<4>(n);\n"
      "}\n",
      "k");
  for (const Build build : {Build::Step, Build::Fast}) {
    const loading::Kernel kernel = load(launch, build);
    EXPECT_EQ(type_of_shared(kernel, "As"), "float[16][17]");
    EXPECT_EQ(type_of_shared(kernel, "pairs"), "Pair[4]");
    std::vector<std::string> tiles;
    for (const MemoryVariable& variable : kernel.module->variables) {
      if (variable.name == "tile") {
        tiles.push_back(kernel.module->types[variable.type].name);
      }
    }
    EXPECT_THAT(tiles, ::testing::UnorderedElementsAre("float[8][9]", "int[4][5]"));
  }
}

TEST_F(LoadKernel, ProbesTheHeadersThatBelongToTheText) {
  Launch launch =
      launch_of_text("#include \"tile.h\"\n__global__ void k(float* o) { o[0] = f(o); }", "k");
  launch.headers["tile.h"] =
      "__device__ __noinline__ float f(float* o) { __shared__ float t[3][5];\n"
      "  t[threadIdx.x][0] = o[0]; __syncthreads(); return t[0][threadIdx.x]; }\n";
  const loading::Kernel kernel = load(launch, Build::Step);
  EXPECT_EQ(type_of_shared(kernel, "t"), "float[3][5]");
}

TEST_F(LoadKernel, SaysWhichArraysStayRawBytesAndWhy) {
  // A macro creates the name: it is not in the text.
  const Launch launch = launch_of_text(
      "#define NAME(a, b) a##b\n"
      "__global__ void k(float* o) { __shared__ float NAME(A, s)[4]; As[threadIdx.x] = o[0];\n"
      "  __syncthreads(); o[1] = As[1]; }\n",
      "k");
  const loading::Kernel kernel = load(launch, Build::Step);
  EXPECT_EQ(kernel.note, "As is shown as raw bytes: the declaration was not found in the source.");
  EXPECT_EQ(type_of_shared(kernel, "As"), "(no type)");
}

TEST_F(LoadKernel, SurvivesAProbeThatDoesNotCompile) {
  // A macro with the name of the probe's pointer breaks the probe and nothing else.
  const Launch launch = launch_of_text(
      "#define As__tilestep_probe_0 1 +\n"
      "__global__ void k(float* o) { __shared__ float As[4]; As[threadIdx.x] = o[0];\n"
      "  __syncthreads(); o[1] = As[1]; }\n",
      "k");
  const loading::Kernel kernel = load(launch, Build::Step);
  EXPECT_THAT(kernel.note, StartsWith("As is shown as raw bytes: the source that declares the "
                                      "types did not compile: own.cu:2:"));
}

TEST_F(LoadKernel, SaysWhereATextIsWrong) {
  const Launch launch = launch_of_text("__global__ void k(float* o) {\n  o[0] = foo;\n}\n", "k");
  const auto kernel = loading::load_kernel(compiler_, launch, Build::Step);
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().error.message, "own.cu:2:10: identifier \"foo\" is undefined");
  ASSERT_FALSE(kernel.error().diagnostics.empty());
  EXPECT_EQ(kernel.error().diagnostics[0].line, 2);
}

TEST_F(LoadKernel, SaysWhenTheTextHasNoSuchKernel) {
  EXPECT_THAT(failure(launch_of_text("__global__ void k(float* o) { o[0] = 1; }", "other")),
              HasSubstr("other"));
}

TEST_F(LoadKernel, NamesTheLineThatIsNotUtf8) {
  EXPECT_THAT(failure(launch_of_text("// \xc3\xa9 is\n// \xff is not\n"
                                     "__global__ void k(float* o) { o[0] = 1; }\n",
                                     "k")),
              HasSubstr("own.cu:2: this character is not UTF-8"));
}

TEST_F(LoadKernel, PacksTheStructuresOfAFastBuildByTheStepBuildsTypes) {
  const Launch launch = tilestep::test::launch_of("submatrix", {8, 8, 8}, 4);
  const loading::Kernel step = load(launch, Build::Step);
  const loading::Kernel fast = load(launch, Build::Fast);
  const std::vector<std::uint64_t> addresses{0x100, 0x200, 0x300};
  const auto by_step =
      loading::pack_arguments(step, launch, addresses, loading::machine_tensor_map);
  const auto by_fast =
      loading::pack_arguments(fast, launch, addresses, loading::machine_tensor_map);
  ASSERT_TRUE(by_step) << by_step.error().message;
  ASSERT_TRUE(by_fast) << by_fast.error().message;
  EXPECT_EQ(*by_step, *by_fast);
  EXPECT_EQ(by_step->size(), 72U);
}

// PTX declares a 16-bit float as two untyped bytes.
TEST_F(LoadKernel, BringsTheStepBuildsTypesWhereThePtxHasNone) {
  Launch launch = launch_of_text(
      "struct a_half { unsigned short x; };\n"
      "__global__ void k(a_half h) { __shared__ int s; s = h.x; }\n",
      "k");
  launch.arguments.emplace_back();
  launch.arguments.back().is_real = true;
  launch.arguments.back().real = 1.5;
  const auto packed =
      loading::pack_arguments(load(launch, Build::Fast), launch, {}, loading::machine_tensor_map);
  ASSERT_TRUE(packed) << packed.error().message;
  EXPECT_THAT(*packed, testing::ElementsAre(std::byte{0x00}, std::byte{0x3e}));
}

TEST_F(LoadKernel, BringsTheStepBuildAlongWhereItIsAskedForOrNeeded) {
  const Launch plain = tilestep::test::launch_of("tiled", {8, 8, 8}, 4);
  EXPECT_EQ(load(plain, Build::Fast).step, nullptr);
  EXPECT_EQ(load(plain, Build::Step).step, nullptr);
  const auto all =
      loading::load_kernel(compiler_, plain, Build::Fast, loading::Declarations::Always);
  ASSERT_TRUE(all && all->step != nullptr);
  EXPECT_EQ(all->step->build, Build::Step);
}

}  // namespace
}  // namespace tilestep::ptx::test
