// tilestep describe, from a file to a description that runs.
#include "cli/describe.h"

#include "cli/launch_options.h"
#include "insight/check/check.h"
#include "problem/describe/catalog.h"
#include "support/kept_outputs.h"
#include "support/simulated.h"
#include "support/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace tilestep::cli {
namespace {

using testing::HasSubstr;

class Describe : public testing::Test {
 protected:
  void SetUp() override {
    if (!compiler_.nvrtc().found) {
      GTEST_SKIP() << compiler_.nvrtc().why_not;
    }
  }
  std::string file(const std::string& name, const std::string& text) {
    std::ofstream(folder_.path() / name) << text;
    return (folder_.path() / name).string();
  }
  // Checks FILE.cu with this description, at its own size.
  static insight::CheckResult checked(const std::string& cu_file, const std::string& description) {
    LaunchOptions options;
    options.kernel = cu_file;
    options.description = description;
    const auto spec = find_spec({}, options);
    EXPECT_TRUE(spec) << (spec ? "" : spec.error().message);
    const auto choice = spec ? parse_choice({}, options, *spec) : fail("no description");
    const auto launch = choice ? problem::evaluate(*spec, choice->parameters, choice->input)
                               : tl::unexpected(choice.error());
    EXPECT_TRUE(launch) << (launch ? "" : launch.error().message);
    return launch ? insight::check(test::Simulated().program(*launch), {}) : insight::CheckResult{};
  }

  test::TemporaryFolder folder_;
  compile::Compiler compiler_{test::kept_outputs()};
};

constexpr const char* kProgram = R"(#include <cstdio>
#include <vector>
struct Params { int count; float scale; };
__constant__ float offset[2];
__global__ void scale_all(const float* in, float* out, Params params) {
  __shared__ float cache[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  cache[threadIdx.x] = i < params.count ? in[i] : 0.0f;
  __syncthreads();
  if (i < params.count) out[i] = cache[threadIdx.x] * params.scale + offset[1];
}
__global__ void other(int* x) { x[0] = 1; }
int main() {
  std::vector<float> host(64);
  scale_all<<<2, 32>>>(nullptr, nullptr, Params{64, 2.0f});
  printf("%f", host[0]);
}
)";

TEST_F(Describe, ProposesADescriptionThatRunsAtOnce) {
  const std::string source = file("program.cu", kProgram);
  const auto text = describe(compiler_, source, "scale_all");
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_THAT(*text, HasSubstr("shared memory: float[32] cache, 128 bytes"));
  EXPECT_THAT(*text, HasSubstr("program.cu, lines "));
  EXPECT_THAT(*text, HasSubstr("block = [32, 1]"));
  EXPECT_THAT(*text, HasSubstr("{ count = \"N\", scale = \"1.0\" }"));
  EXPECT_THAT(*text, HasSubstr("variables = ["));
  const std::string description = file("any_name.toml", *text);
  EXPECT_TRUE(checked(source, description).clean());
}

TEST_F(Describe, VariablesAndExpectationsOfTheDescriptionHold) {
  const std::string source = file("program.cu", kProgram);
  const std::string description = R"(
entry = "scale_all"
grid = 2
block = 32
buffers = [
  { name = "in", cols = 64, input = "ramp" },
  { name = "out", cols = 64, role = "output", expected = { reference = "add", of = ["in", "seven"] } },
  { name = "seven", cols = 64, input = { pattern = "constant", constant = 7 } },
]
variables = [ { name = "offset", cols = 2, input = { csv = "5, OFFSET" } } ]
arguments = ["in", "out", { count = 64, scale = 1 }]
)";
  const auto with_offset = [&](const std::string& offset) {
    std::string text = description;
    text.replace(text.find("OFFSET"), 6, offset);
    return checked(source, file("d" + offset + ".toml", text));
  };
  const insight::CheckResult right = with_offset("7");
  EXPECT_TRUE(right.clean());
  ASSERT_EQ(right.outputs.size(), 1U);
  EXPECT_EQ(right.compared, "out");
  const insight::CheckResult wrong = with_offset("8");
  EXPECT_EQ(wrong.comparison.wrong, 64U);
  EXPECT_EQ(wrong.comparison.got, 9.0);
  EXPECT_EQ(wrong.comparison.expected, 8.0);
}

TEST_F(Describe, GuessesMacrosThatABuildScriptDefines) {
  const std::string source =
      file("macros.cu",
           "__global__ void k(const float* in, float* out) {\n"
           "  __shared__ float s[THREADS_OF_MINE + RADIUS];\n"
           "  s[threadIdx.x] = in[threadIdx.x];\n  out[threadIdx.x] = s[threadIdx.x];\n}\n");
  const auto text = describe(compiler_, source, "k");
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_THAT(*text, HasSubstr("defines = { RADIUS = 16, THREADS_OF_MINE = 16 }"));
  EXPECT_TRUE(checked(source, file("macros.toml", *text)).clean());
}

TEST_F(Describe, PathsAreRelativeToTheDescription) {
  const std::filesystem::path root = folder_.path();
  std::filesystem::create_directories(root / "src");
  std::filesystem::create_directories(root / "common");
  std::filesystem::create_directories(root / "out/deeper");
  file("common/two.h", "__device__ inline float twice(float v) { return 2 * v; }\n");
  const std::string source = file(
      "src/scale.cu",
      "#include \"two.h\"\n__global__ void scale(const float* x, float* y, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = twice(x[i]);\n}\n");
  const auto text = describe(compiler_, source, "", {root / "common"}, root / "out/deeper");
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_THAT(*text, HasSubstr("source = \"../../src/scale.cu\"\ninclude = [\"../../common\"]"));
  const std::string description = file("out/deeper/scale.toml", *text);
  EXPECT_TRUE(checked(source, description).clean());
  EXPECT_TRUE(problem::load_kernel_file(description));
}

TEST_F(Describe, OutputsThatAreOnlyUpdatedAtomicallyStartAtZero) {
  const std::string source = file("best.cu",
                                  "__device__ void put(int* p, int v) { atomicMax(p, v); }\n"
                                  "__global__ void best(const int* x, int* minima, int n) {\n"
                                  "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                  "  if (i < n) put(&minima[i % 4], x[i]);\n}\n");
  const auto text = describe(compiler_, source, "");
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_THAT(*text,
              HasSubstr("role = \"inout\", input = { pattern = \"constant\", constant = 0 }"));
  EXPECT_TRUE(checked(source, file("best.toml", *text)).clean());
}

TEST_F(Describe, SeveralKernelsAreListed) {
  const auto text = describe(compiler_, file("program.cu", kProgram), "");
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().message,
              HasSubstr("2 kernels. Choose one with --entry: scale_all, other."));
}

TEST_F(Describe, WhatDoesNotCompileSaysWhere) {
  const auto text = describe(
      compiler_, file("bad.cu", "#include \"gone.h\"\n__global__ void k(Gone* x) { x[0] = 1; }\n"),
      "");
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().message, HasSubstr("bad.cu:2"));
  EXPECT_THAT(text.error().message, HasSubstr("gone.h is neither in the kernel's folder"));
}

TEST_F(Describe, AFileThatIsNotThereIsASentence) {
  EXPECT_THAT(describe(compiler_, "/nowhere/k.cu", "").error().message,
              HasSubstr("/nowhere/k.cu cannot be read"));
}

}  // namespace
}  // namespace tilestep::cli
