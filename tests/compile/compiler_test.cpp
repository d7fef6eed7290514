#include "compile/compiler.h"

#include "support/catalog_launch.h"
#include "support/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <thread>

namespace tilestep::compile {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

// Needs NVRTC: the toolkit's or the pinned wheel's.
class CompilerTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!Compiler({}).nvrtc().found) {
      GTEST_SKIP() << Compiler({}).nvrtc().why_not;
    }
  }

  static Request request(const std::string& source, const std::string& entry) {
    return {"my.cu", source, {}, {"-arch=compute_80", "-std=c++20", "-G"}, entry};
  }

  static Output compiled(const Request& request) {
    Compiler compiler({});
    Result<Output> output = compiler.compile(request);
    EXPECT_TRUE(output) << (output ? "" : output.error().message);
    return output.value_or(Output{});
  }

  test::TemporaryFolder folder_;
};

// If the instance is requested directly, NVRTC 13.0 ends the program.
TEST_F(CompilerTest, AMistakeInTheHeadOfATemplateIsAMessage) {
  const Output output =
      compiled(request("template <int B> __global__ void k(cotnst float* A) {}\n", "k<16>"));
  EXPECT_FALSE(output.ok());
  ASSERT_FALSE(output.diagnostics.empty());
  EXPECT_EQ(output.diagnostics.front().line, 1);
}

TEST_F(CompilerTest, EveryCatalogKernel_CompilesInBothBuildsWithoutAWarning) {
  Compiler compiler({});
  for (const problem::LaunchSpec& spec : test::repository_catalog().kernels) {
    for (const Build build : {Build::Step, Build::Fast}) {
      const problem::Launch launch = test::launch_of(
          spec.id, spec.default_problem.value_or(problem::Problem{}), spec.default_block_size);
      const Result<Output> output = compiler.compile(make_request(launch, build));
      ASSERT_TRUE(output) << output.error().message;
      EXPECT_TRUE(output->ok()) << output->log;
      EXPECT_EQ(output->log, "") << spec.id;
      EXPECT_THAT(output->ptx, HasSubstr(".entry " + output->entry + "("));
      const std::string target = ".target sm_" + launch.architecture;
      EXPECT_THAT(output->ptx, HasSubstr(target));
      EXPECT_EQ(output->ptx.find(target + ", debug") != std::string::npos, build == Build::Step);
      EXPECT_THAT(output->compiler, StartsWith("NVRTC 1"));
    }
  }
}

TEST_F(CompilerTest, PlainExternCAndTemplateEntries_AreAllFound) {
  EXPECT_EQ(compiled(request("__global__ void k(float* a) { a[0] = 1; }", "k")).entry, "_Z1kPf");
  EXPECT_EQ(compiled(request("extern \"C\" __global__ void k(float* a) { a[0] = 1; }", "k")).entry,
            "k");
  const Output with_template = compiled(
      request("namespace n { template <class T, int B> __global__ void k(T* a) { a[0] = B; } }",
              "n::k<float, 4>"));
  EXPECT_EQ(with_template.entry, "_ZN1n1kIfLi4EEEvPT_");
}

TEST_F(CompilerTest, Macros_ReachTheText) {
  Request macro = request("__global__ void k(int* a) { a[0] = BLOCK_SIZE * 1000; }", "k");
  EXPECT_FALSE(compiled(macro).ok());
  macro.options.emplace_back("-DBLOCK_SIZE=16");
  EXPECT_THAT(compiled(macro).ptx, HasSubstr("16000"));
}

TEST_F(CompilerTest, BrokenText_IsAnOutputWithDiagnosticsAndNoPtx) {
  const Output output = compiled(request("__global__ void k(float* a) {\n  a[0] = foo;\n}", "k"));
  EXPECT_FALSE(output.ok());
  ASSERT_EQ(output.diagnostics.size(), 1U);
  EXPECT_EQ(output.diagnostics[0],
            (Diagnostic{Severity::Error, "my.cu", 2, 10, "identifier \"foo\" is undefined"}));
}

TEST_F(CompilerTest, TemplateArgumentsOfNoTemplate_AreNotDroppedSilently) {
  const Output output = compiled(request("__global__ void k() {}", "k<4>"));
  EXPECT_FALSE(output.ok());
  ASSERT_EQ(output.diagnostics.size(), 1U);
  EXPECT_THAT(output.diagnostics[0].message,
              StartsWith("the entry \"k<4>\" has template arguments, but k is not a template"));
}

TEST_F(CompilerTest, EntryThatIsNotThere_IsNamed) {
  const Output output = compiled(request("__global__ void k() {}", "kk<4>"));
  ASSERT_EQ(output.diagnostics.size(), 1U);
  EXPECT_THAT(output.diagnostics[0].message,
              StartsWith("the entry \"kk<4>\" does not name exactly one kernel of my.cu"));
}

TEST_F(CompilerTest, OptionTheCompilerDoesNotKnow_IsADiagnostic) {
  Request wrong = request("__global__ void k() {}", "k");
  wrong.options.emplace_back("-bogus");
  const Output output = compiled(wrong);
  EXPECT_FALSE(output.ok());
  ASSERT_EQ(output.diagnostics.size(), 1U);
  EXPECT_THAT(output.diagnostics[0].message, HasSubstr("-bogus"));
}

TEST_F(CompilerTest, OwnHeaders_AreIncluded) {
  Request with_header =
      request("#include \"helper.h\"\n__global__ void k(int* a) { a[0] = f(); }", "k");
  with_header.headers["helper.h"] = "__device__ int f() { return 12345; }";
  EXPECT_THAT(compiled(with_header).ptx, HasSubstr("12345"));
}

TEST_F(CompilerTest, ToolkitHeaders_AreFoundWhereThereAreAny) {
  if (Compiler({}).nvrtc().include.empty()) {
    GTEST_SKIP() << "this NVRTC came without headers";
  }
  const Output output = compiled(request(
      "#include <cuda_fp16.h>\n__global__ void k(__half* a) { a[0] = __float2half(1.0f); }", "k"));
  EXPECT_TRUE(output.ok()) << output.log;
}

TEST_F(CompilerTest, SecondTime_ComesFromMemory) {
  Compiler compiler({});
  const Request simple = request("__global__ void k() {}", "k");
  const Result<Output> first = compiler.compile(simple);
  const Result<Output> second = compiler.compile(simple);
  EXPECT_FALSE(first->from_cache);
  EXPECT_TRUE(second->from_cache);
  EXPECT_EQ(first->ptx, second->ptx);
}

TEST_F(CompilerTest, NextProcess_FindsItOnDisk) {
  const Request warned = request("__global__ void k() { int unused; }", "k");
  const Result<Output> first = Compiler({folder_.path(), {}}).compile(warned);
  const Result<Output> second = Compiler({folder_.path(), {}}).compile(warned);
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(first->from_cache);
  EXPECT_TRUE(second->from_cache);
  EXPECT_EQ(first->ptx, second->ptx);
  EXPECT_EQ(first->entry, second->entry);
  EXPECT_EQ(first->compiler, second->compiler);
  ASSERT_EQ(first->diagnostics.size(), 1U);
  EXPECT_EQ(first->diagnostics, second->diagnostics);
}

TEST_F(CompilerTest, FailedCompile_IsNotKeptOnDisk) {
  const Request broken = request("__global__ void k() { foo; }", "k");
  EXPECT_FALSE(Compiler({folder_.path(), {}}).compile(broken)->ok());
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(CompilerTest, DamagedEntry_IsCompiledAnewAndRepaired) {
  const Request simple = request("__global__ void k() {}", "k");
  const Result<Output> first = Compiler({folder_.path(), {}}).compile(simple);
  for (const auto& file : fs::directory_iterator(folder_.path())) {
    fs::resize_file(file, file.file_size() / 2);
  }
  const Result<Output> second = Compiler({folder_.path(), {}}).compile(simple);
  EXPECT_FALSE(second->from_cache);
  EXPECT_EQ(second->ptx, first->ptx);
  EXPECT_TRUE(Compiler({folder_.path(), {}}).compile(simple)->from_cache);
}

TEST_F(CompilerTest, ShippedCache_ServesWithoutTheCompiler) {
  const Request simple = request("__global__ void k() {}", "k");
  const fs::path shipped = folder_.path() / "shipped";
  const Result<Output> first = Compiler({shipped, {}}).compile(simple);
  Compiler compiler({folder_.path() / "user", {shipped}});
  const Result<Output> second = compiler.compile(simple);
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->from_cache);
  EXPECT_EQ(second->ptx, first->ptx);
  EXPECT_FALSE(fs::exists(folder_.path() / "user"));
}

TEST_F(CompilerTest, ManyThreadsAskingTheSame_CompileOnce) {
  Compiler compiler({});
  const Request simple = request("__global__ void k(float* a) { a[0] = 1; }", "k");
  std::vector<Output> outputs(8);
  {
    std::vector<std::jthread> threads;
    for (Output& output : outputs) {
      threads.emplace_back([&] { output = *compiler.compile(simple); });
    }
  }
  int compiles = 0;
  for (const Output& output : outputs) {
    compiles += output.from_cache ? 0 : 1;
    EXPECT_EQ(output.ptx, outputs[0].ptx);
    EXPECT_TRUE(output.ok());
  }
  EXPECT_EQ(compiles, 1);
}

TEST_F(CompilerTest, ManyThreadsAskingDifferentThings_GetEachTheirOwn) {
  Compiler compiler({folder_.path(), {}});
  std::vector<Output> outputs(12);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      threads.emplace_back([&compiler, &outputs, i] {
        outputs[i] = *compiler.compile(
            request("__global__ void k(int* a) { a[0] = " + std::to_string(1000 + i) + "; }", "k"));
      });
    }
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    EXPECT_THAT(outputs[i].ptx, HasSubstr(std::to_string(1000 + i)));
  }
}

TEST_F(CompilerTest, Cubin_IsMachineCodeForTheArchitecture) {
  const problem::Launch launch = test::launch_of("tiled", {4, 4, 4}, 16);
  for (const int architecture : {75, 90, 120}) {
    const Output output = compiled(make_cubin_request(launch, architecture));
    ASSERT_TRUE(output.ok()) << output.log;
    EXPECT_EQ(output.ptx, "");
    EXPECT_THAT(output.cubin, StartsWith("\177ELF"));
    EXPECT_THAT(output.cubin, HasSubstr(".text." + output.entry));
    EXPECT_EQ(output.log, "");
  }
}

TEST_F(CompilerTest, Cubin_IsCachedBesideThePtxOfTheSameText) {
  const problem::Launch launch = test::launch_of("tiled", {4, 4, 4}, 16);
  const Request cubin = make_cubin_request(launch, 90);
  const Request ptx = make_request(launch, Build::Fast);
  Compiler compiler({folder_.path(), {}});
  const Result<Output> first = compiler.compile(cubin);
  EXPECT_FALSE(compiler.compile(ptx)->from_cache);
  EXPECT_TRUE(compiler.compile(cubin)->from_cache);
  const Result<Output> next = Compiler({folder_.path(), {}}).compile(cubin);
  EXPECT_TRUE(next->from_cache);
  EXPECT_EQ(next->cubin, first->cubin);
  EXPECT_EQ(next->entry, first->entry);
  EXPECT_EQ(next->ptx, "");
}

TEST_F(CompilerTest, WhatTheAssemblerRefuses_IsADiagnostic) {
  Request large = request(
      "__global__ void k(float* a) { __shared__ float s[65536]; "
      "s[threadIdx.x] = a[0]; __syncthreads(); a[0] = s[threadIdx.y]; }",
      "k");
  large.options[0] = "-arch=sm_90";
  large.options[2] = "-lineinfo";
  large.product = Product::Cubin;
  const Output output = compiled(large);
  EXPECT_FALSE(output.ok());
  ASSERT_EQ(output.diagnostics.size(), 1U);
  EXPECT_EQ(output.diagnostics[0].severity, Severity::Error);
  EXPECT_THAT(output.diagnostics[0].message, StartsWith("ptxas: Entry function"));
  EXPECT_THAT(output.diagnostics[0].message, HasSubstr("too much shared data"));
}

TEST_F(CompilerTest, MovedCompiler_Works) {
  Compiler first({});
  Compiler second(std::move(first));
  EXPECT_TRUE(second.compile(request("__global__ void k() {}", "k"))->ok());
}

}  // namespace
}  // namespace tilestep::compile
