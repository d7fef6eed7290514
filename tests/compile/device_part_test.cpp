// Whole programs: the text that NVRTC gets.
#include "compile/device_part.h"

#include "compile/compiler.h"
#include "support/catalog_launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace tilestep::compile {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kProgram = R"(#include <stdio.h>
#include <vector>
#include <cooperative_groups.h>
#include "cuda_runtime.h"
#include "mine/missing.h"
typedef int word; using namespace std;
namespace cg = cooperative_groups;
#define HD __host__ __device__
#define CHECK(x) do { if ((x) != cudaSuccess) exit(1); } while (0)
const int kWidth = 4, kHeight = kWidth * 2;
const char* kTitle = "a { b";
float* device_memory;
dim3 threads(kWidth, kWidth);
struct Pair { float a; int b; float sum() { return a + b; } };
std::vector<int> sizes = {1, 2};
__constant__ float weights[kHeight];
constexpr int half_of(int n) { return n / 2; }
HD float twice(float x) { return 2.0f * x; }
void launch(cudaStream_t stream);
template <typename T> void fill(std::vector<T>& values) {
#ifdef ZERO
  values.clear();
#endif
}
namespace inner {
static __global__ void __launch_bounds__(64)
scaled(const float* in, float* out, uint32_t n) {
  register int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = twice(in[i]) + weights[half_of(2)] + (i > INT_MAX - 1) + Pair{}.sum();
}
}  // namespace inner
extern "C" {
int main(int argc, char** argv) {  // {
  inner::scaled<<<1, threads>>>(0, device_memory, sizes.size());
  printf("}%s", kTitle);
}
}
)";

std::string line_of(const std::string& text, int number) {
  std::size_t begin = 0;
  for (int i = 1; i < number; ++i) {
    begin = text.find('\n', begin) + 1;
  }
  return text.substr(begin, text.find('\n', begin) - begin);
}

DevicePart device_part(const std::string& source) {
  return device_parts({&source, 1}, "", {}).front();
}

TEST(DevicePart, HasNothingOfTheHostsAndAllOfTheDevices) {
  const DevicePart part = device_part(kProgram);
  for (const char* const gone :
       {"stdio.h", "<vector>", "kTitle", "device_memory", "dim3", "sizes", "main", "cudaStream_t",
        "fill", "values", "register", "<<<", "argc"}) {
    EXPECT_THAT(part.text, Not(HasSubstr(gone)));
  }
  for (const char* const there :
       {"#include <cooperative_groups.h>", "const int kWidth = 4, kHeight = kWidth * 2;",
        "struct Pair", "__constant__ float weights[kHeight];", "constexpr int half_of",
        "HD float twice(float x) { return 2.0f * x; }", "static __global__ void", "#ifdef ZERO",
        "namespace inner {", "using namespace std;", "namespace cg = cooperative_groups;"}) {
    EXPECT_THAT(part.text, HasSubstr(there));
  }
  EXPECT_TRUE(part.needs_prelude);
  EXPECT_TRUE(part.default_device);
}

TEST(DevicePart, KeepsEveryPlace) {
  const std::string source = kProgram;
  const std::string text = device_part(source).text;
  ASSERT_EQ(text.size(), source.size());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'),
            std::count(source.begin(), source.end(), '\n'));
  for (std::size_t i = 0; i < text.size(); ++i) {
    ASSERT_TRUE(text[i] == source[i] || text[i] == ' ') << "at " << i;
  }
  EXPECT_EQ(line_of(text, 29), line_of(source, 29));
}

TEST(DevicePart, IsTheTextItselfWhereThereIsOnlyDeviceCode) {
  for (const problem::LaunchSpec& spec : test::repository_catalog().kernels) {
    const DevicePart part = device_part(spec.source);
    EXPECT_EQ(part.text, spec.source) << spec.id;
    EXPECT_FALSE(part.needs_prelude || part.default_device) << spec.id;
  }
}

TEST(DevicePart, KeepsAHostFunctionThatDeviceCodeCalls) {
  const std::string text =
      "float bias(float x) { return x; }\n"
      "float other(float x) { return x; }\n"
      "__global__ void k(float* x) { x[0] = bias(x[1]); }\n"
      "int main() { return other(1); }\n";
  EXPECT_THAT(device_part(text).text, HasSubstr("float bias"));
  EXPECT_THAT(device_part(text).text, Not(HasSubstr("other")));
}

TEST(DevicePart, IsNotLostByUnbalancedText) {
  for (const char* const text : {"", "}", "int main( {", "template <", "struct", "#", "#include",
                                 "namespace a {", "__global__ void k(", "/* open", "\"open"}) {
    EXPECT_EQ(device_part(text).text.size(), std::string(text).size()) << text;
  }
}

class DevicePartCompiled : public testing::Test {
 protected:
  void SetUp() override {
    if (!Compiler({}).nvrtc().found) {
      GTEST_SKIP() << Compiler({}).nvrtc().why_not;
    }
  }
  static Output compiled(const std::string& source, const std::string& entry, Build build) {
    problem::Launch launch;
    launch.source_name = "program.cu";
    launch.source = source;
    launch.entry = entry;
    const Result<Output> output = Compiler({}).compile(make_request(launch, build));
    EXPECT_TRUE(output) << (output ? "" : output.error().message);
    return output.value_or(Output{});
  }
};

TEST_F(DevicePartCompiled, AWholeProgramCompilesInBothBuilds) {
  std::string source = kProgram;  // without the parts that need a toolkit
  for (const char* const needs_toolkit :
       {"#include <cooperative_groups.h>", "namespace cg = cooperative_groups;"}) {
    const std::size_t length = std::string(needs_toolkit).size();
    source.replace(source.find(needs_toolkit), length, std::string(length, ' '));
  }
  for (const Build build : {Build::Step, Build::Fast}) {
    const Output output = compiled(source, "inner::scaled", build);
    EXPECT_TRUE(output.ok()) << output.log;
    EXPECT_THAT(output.log, HasSubstr("mine/missing.h is not beside the kernel"));
    EXPECT_THAT(output.ptx, HasSubstr(".file\t1 \""));
    EXPECT_THAT(output.ptx, HasSubstr("\t.loc\t1 29 "));
  }
}

TEST_F(DevicePartCompiled, TheStandardHeadersNamesThatDeviceCodeUsesAreThere) {
  const Output output = compiled(R"(#include <limits>
#include <cstdint>
__global__ void k(float* x, std::int64_t n) {
  x[0] = std::numeric_limits<float>::lowest() + std::max(1, 2) + FLT_MAX + INFINITY + M_PI;
  x[1] = std::numeric_limits<int>::max() + static_cast<uint8_t>(n) + LLONG_MAX;
  if (std::is_same<float, int>::value) x[2] = NAN;
  assert(x[1] > 0.0f);
})",
                                 "k", Build::Step);
  EXPECT_TRUE(output.ok()) << output.log;
}

TEST_F(DevicePartCompiled, AnUnmarkedFunctionInATextOfDeviceCodeIsTheCompilersToRefuse) {
  const Output output = compiled(
      "float bias(float x) { return x; }\n"
      "__global__ void k(float* x) { x[0] = bias(x[1]); }\n",
      "k", Build::Step);
  EXPECT_FALSE(output.ok());
  EXPECT_THAT(output.log, HasSubstr("program.cu(1): error"));

  const Output of_program = compiled(
      "__device__ float sum(float x) { return x; }\n"
      "float bias(float x) { return x; }\n"
      "__global__ void k(float* x) { x[0] = bias(sum(x[1])); }\n"
      "int main() { return 0; }\n",
      "k", Build::Step);
  EXPECT_FALSE(of_program.ok());
  EXPECT_THAT(of_program.log, HasSubstr("program.cu(2): error"));
}

}  // namespace
}  // namespace tilestep::compile
