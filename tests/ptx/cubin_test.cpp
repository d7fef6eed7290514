// The reader's values from a cubin equal those that ptxas reports for the same kernel (-v), for
// every kernel of the catalog and every generation of architectures.
#include "compile/compiler.h"
#include "ptx/sass/sass.h"
#include "support/catalog_launch.h"
#include "support/kept_outputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <regex>

namespace tilestep::ptx {
namespace {

using testing::HasSubstr;

class Cubin : public testing::Test {
 protected:
  void SetUp() override {
    if (!compiler_.nvrtc().found) {
      GTEST_SKIP() << compiler_.nvrtc().why_not;
    }
  }

  compile::Output compiled(compile::Request request) {
    request.options.emplace_back("--ptxas-options=-v");
    Result<compile::Output> output = compiler_.compile(request);
    EXPECT_TRUE(output && output->ok()) << (output ? output->log : output.error().message);
    return output.value_or(compile::Output{});
  }

  compile::Output own(const std::string& source, int architecture) {
    problem::Launch launch;
    launch.source_name = "own.cu";
    launch.source = source;
    launch.entry = "k";
    return compiled(compile::make_cubin_request(launch, architecture));
  }

  static CubinKernel read(const compile::Output& output) {
    Result<CubinKernel> kernel = read_cubin(output.cubin, output.entry);
    EXPECT_TRUE(kernel) << (kernel ? "" : kernel.error().message);
    return kernel.value_or(CubinKernel{});
  }

  // The number before `unit` in ptxas's report about the kernel, 0 if there is none.
  static std::uint32_t said(const std::string& log, const std::string& unit) {
    std::smatch match;
    const std::regex number("(\\d+) (bytes )?" + unit);
    return std::regex_search(log, match, number) ? static_cast<std::uint32_t>(std::stoul(match[1]))
                                                 : 0;
  }

  static void expect_as_said(const compile::Output& output) {
    const CubinKernel kernel = read(output);
    EXPECT_EQ(kernel.registers, said(output.log, "registers")) << output.log;
    EXPECT_EQ(kernel.static_shared_bytes, said(output.log, "smem")) << output.log;
    EXPECT_EQ(kernel.local_bytes, said(output.log, "stack frame")) << output.log;
    EXPECT_EQ(kernel.barriers, said(output.log, "barriers")) << output.log;
    EXPECT_GT(kernel.registers, 0U);
  }

  compile::Compiler compiler_{tilestep::test::kept_outputs()};
};

TEST_F(Cubin, SaysOfEveryCatalogKernelWhatPtxasSays) {
  for (const problem::LaunchSpec& spec : tilestep::test::repository_catalog().kernels) {
    const problem::Launch launch = tilestep::test::launch_of(
        spec.id, spec.default_problem.value_or(problem::Problem{}), spec.default_block_size);
    for (const int architecture : {75, 80, 90, 100, 120}) {
      SCOPED_TRACE(spec.id + " for " + std::to_string(architecture));
      const bool copies_asynchronously = spec.source.find("cp.async") != std::string::npos;
      if (tilestep::test::compiles_for(launch, architecture) &&
          (architecture >= 80 || !copies_asynchronously)) {
        expect_as_said(compiled(compile::make_cubin_request(launch, architecture)));
      }
    }
  }
}

TEST_F(Cubin, SpillsBarriersAndLaunchBoundsAreRead) {
  const std::string source =
      "extern \"C\" __global__ __launch_bounds__(96) void k(float* a, int n) {"
      "  float s[64]; __shared__ float t[96];"
      "  for (int i = 0; i < n; ++i) s[i & 63] = a[i];"
      "  asm volatile(\"bar.sync 4, 64;\"); t[threadIdx.x] = s[n & 63]; __syncthreads();"
      "  a[threadIdx.x] = t[95 - threadIdx.x]; }";
  for (const int architecture : {75, 90, 120}) {
    const compile::Output output = own(source, architecture);
    expect_as_said(output);
    const CubinKernel kernel = read(output);
    EXPECT_EQ(kernel.architecture, architecture);
    EXPECT_EQ(kernel.local_bytes, 256U);
    EXPECT_EQ(kernel.static_shared_bytes, 384U);
    EXPECT_EQ(kernel.barriers, 5U);
    EXPECT_EQ(kernel.max_threads, 96U);
    EXPECT_EQ(kernel.code.size() % 16, 0U);
  }
}

TEST_F(Cubin, DynamicSharedMemoryIsNotPartOfIt) {
  const std::string source =
      "extern \"C\" __global__ void k(float* a) { extern __shared__ float s[];"
      "  s[threadIdx.x] = a[0]; __syncthreads(); a[threadIdx.x] = s[31 - threadIdx.x]; }";
  for (const int architecture : {80, 90}) {
    const CubinKernel kernel = read(own(source, architecture));
    EXPECT_EQ(kernel.static_shared_bytes, 0U);
    EXPECT_FALSE(kernel.max_threads.has_value());
  }
}

TEST_F(Cubin, AnotherNameIsASentence) {
  const compile::Output output = own("extern \"C\" __global__ void k() {}", 90);
  const Result<CubinKernel> kernel = read_cubin(output.cubin, "l");
  ASSERT_FALSE(kernel);
  EXPECT_THAT(kernel.error().message, HasSubstr("no kernel l"));
}

TEST(CubinBytes, ThatAreNoneAreASentence) {
  for (const std::string& bytes : {std::string(), std::string("text"), std::string(4096, 'x'),
                                   std::string("\177ELF\2\1\1") + std::string(57, '\0')}) {
    const Result<CubinKernel> kernel = read_cubin(bytes, "k");
    ASSERT_FALSE(kernel);
    EXPECT_THAT(kernel.error().message, HasSubstr("not an ELF file for NVIDIA GPUs"));
  }
}

TEST_F(Cubin, DamagedBytesNeverEndTheProcess) {
  const compile::Output output =
      own("extern \"C\" __global__ void k(float* a) { __shared__ float s[32];"
          " s[threadIdx.x] = a[0]; __syncthreads(); a[0] = s[31 - threadIdx.x]; }",
          90);
  for (std::size_t size = 0; size < output.cubin.size(); size += 37) {
    (void)read_cubin(output.cubin.substr(0, size), output.entry);
  }
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string damaged = output.cubin;
    for (int i = 0; i < 8; ++i) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    (void)read_cubin(damaged, output.entry);
  }
}

}  // namespace
}  // namespace tilestep::ptx
