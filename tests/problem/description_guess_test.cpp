#include "problem/describe/description.h"
#include "problem/source/cuda_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilestep::problem {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

LaunchSpec guessed(const std::string& source) {
  const Result<LaunchSpec> spec = guess_launch(source);
  EXPECT_TRUE(spec) << (spec ? "" : spec.error().message);
  return spec.value_or(LaunchSpec{});
}

std::string cause(const std::string& source) {
  const Result<LaunchSpec> spec = guess_launch(source);
  return spec ? "no error" : spec.error().message;
}

std::vector<std::string> argument_texts(const LaunchSpec& spec) {
  std::vector<std::string> texts;
  for (const ArgumentSpec& argument : spec.arguments) {
    texts.push_back(argument.kind == ArgumentSpec::Kind::Buffer ? argument.buffer
                                                                : argument.expression);
  }
  return texts;
}

const std::string kBody = "{ int x = blockIdx.x * blockDim.x + threadIdx.x; int y = threadIdx.y; }";

TEST(Guess, TemplateKernel_TakesBlockSizeAsItsArgument) {
  const LaunchSpec spec = guessed(
      "template <int TILE>\n"
      "__global__ void mm(const float* __restrict__ A, const float *B, float* C, int M, int N,\n"
      "                   int K) " +
      kBody);
  EXPECT_EQ(spec.entry, "mm<BLOCK_SIZE>");
  EXPECT_THAT(spec.grid, ElementsAre("ceil_div(N, BLOCK_SIZE)", "ceil_div(M, BLOCK_SIZE)", "1"));
  EXPECT_THAT(spec.block, ElementsAre("BLOCK_SIZE", "BLOCK_SIZE", "1"));
  EXPECT_THAT(argument_texts(spec), ElementsAre("A", "B", "C", "M", "N", "K"));
  ASSERT_EQ(spec.buffers.size(), 3U);
  EXPECT_EQ(spec.buffers[1].rows, "K");
  EXPECT_EQ(spec.buffers[2].role, BufferRole::Output);
  EXPECT_TRUE(spec.uses_block_size);
}

TEST(Guess, UndefinedMacro_IsSetToBlockSize) {
  const LaunchSpec spec = guessed(
      "__global__ void mm(float* d_a, float* d_b, float* d_c, int m, int n, int k) {\n"
      "  __shared__ float s[TILE_WIDTH][TILE_WIDTH]; s[threadIdx.y][threadIdx.x] = 0; }");
  EXPECT_EQ(spec.defines.at("TILE_WIDTH"), "BLOCK_SIZE");
  EXPECT_EQ(spec.entry, "mm");
}

TEST(Guess, MacroUnderIfndef_IsSetAndGivesTheDefault) {
  const LaunchSpec spec = guessed(
      "#ifndef BLOCK_SIZE\n#define BLOCK_SIZE 16  // threads\n#endif\n"
      "__global__ void mm(float* A, float* B, float* C, int N) { int y = threadIdx.y * BLOCK_SIZE; "
      "}");
  EXPECT_EQ(spec.defines.at("BLOCK_SIZE"), "BLOCK_SIZE");
  EXPECT_EQ(spec.default_block_size, 16);
}

TEST(Guess, ALongMacro_IsReadToItsEnd) {
  const std::string source = "#define TABLE " + std::string(400'000, '1') + "\n#define TILE 8\n";
  const CudaText text = read_cuda_text(source);
  EXPECT_THAT(text.macros, ElementsAre("TABLE", "TILE"));
  EXPECT_EQ(text.constants.at("TILE"), 8);
  EXPECT_THAT(quoted_includes("#include \"" + std::string(400'000, 'a') + "\"\n"),
              ElementsAre(std::string(400'000, 'a')));
}

TEST(Guess, AConstantOfTheText_KeepsTheSlider) {
  for (const char* constant : {"#define TILE_SIZE 16\n", "const int TILE_SIZE = 16;\n",
                               "constexpr int TILE_SIZE = 16;\n", "#define TILE_SIZE (16)\n"}) {
    const LaunchSpec spec =
        guessed(std::string(constant) +
                "__global__ void mm(float* A, float* B, float* C, int M, int N, int K) "
                "{ int y = threadIdx.y * TILE_SIZE; }");
    EXPECT_THAT(spec.block, ElementsAre("BLOCK_SIZE", "BLOCK_SIZE", "1")) << constant;
    EXPECT_TRUE(spec.uses_block_size);
    EXPECT_EQ(spec.default_block_size, 16);
    EXPECT_EQ(spec.defines.at("TILE_SIZE"), "BLOCK_SIZE");
  }
}

TEST(Guess, AConstantOfAnyName_IsKnownByItsUse) {
  const LaunchSpec spec = guessed(
      "#define EDGE 8\n__global__ void mm(float* A, float* B, float* C, int M, int N, int K) "
      "{ __shared__ float As[EDGE][EDGE]; int row = blockIdx.y * EDGE + threadIdx.y; }");
  EXPECT_EQ(spec.defines.at("EDGE"), "BLOCK_SIZE");
  EXPECT_EQ(spec.default_block_size, 8);
}

TEST(Guess, ConstantThatIsComputed_FixesTheBlock) {
  for (const char* constant : {"#define HALF 8\nconst int TILE_SIZE = 2 * HALF;\n"}) {
    const LaunchSpec spec =
        guessed(std::string(constant) +
                "__global__ void mm(float* A, float* B, float* C, int M, int N, int K) "
                "{ int y = threadIdx.y * TILE_SIZE; }");
    EXPECT_THAT(spec.block, ElementsAre("16", "16", "1")) << constant;
    EXPECT_EQ(spec.grid[0], "ceil_div(N, 16)");
    EXPECT_FALSE(spec.uses_block_size);
    EXPECT_TRUE(spec.defines.empty());
  }
}

TEST(Guess, OneSize_MeansSquare) {
  const LaunchSpec spec =
      guessed("__global__ void MatrixMulKernel(float* M, float* N, float* P, int Width) " + kBody);
  EXPECT_THAT(argument_texts(spec), ElementsAre("A", "B", "C", "N"));
  ASSERT_EQ(spec.requirements.size(), 1U);
  EXPECT_EQ(spec.requirements[0].expression, "M == N && N == K");
}

TEST(Guess, CudaSample_HasCFirstAndWidths) {
  const LaunchSpec spec = guessed(
      "template <int BLOCK_SIZE> __global__ void MatrixMulCUDA(float *C, float *A, float *B, int "
      "wA, "
      "int wB) " +
      kBody);
  EXPECT_THAT(argument_texts(spec), ElementsAre("C", "A", "B", "K", "N"));
}

TEST(Guess, OtherPointerNames_AreToldByConst) {
  const LaunchSpec spec = guessed(
      "__global__ void mm(float* out, const float* left, const float* right, int m, int n, int "
      "k) " +
      kBody);
  EXPECT_THAT(argument_texts(spec), ElementsAre("C", "A", "B", "M", "N", "K"));
}

TEST(Guess, SgemmSignature_HasAlphaAndBeta) {
  const LaunchSpec spec = guessed(
      "__global__ void __launch_bounds__(1024) sgemm(int M, int N, int K, float alpha, const float "
      "*A, const float *B, float beta, float *C) " +
      kBody);
  EXPECT_THAT(argument_texts(spec), ElementsAre("M", "N", "K", "1.0", "A", "B", "0.0", "C"));
  EXPECT_EQ(spec.buffers[2].role, BufferRole::InOut);
}

TEST(Guess, ProgrammingGuide_PassesMatrixStructs) {
  const LaunchSpec spec = guessed(
      "typedef struct { int width; int height; int stride; float* elements; } Matrix;\n"
      "#define BLOCK_SIZE 16\n"
      "__device__ float GetElement(const Matrix A, int row, int col) { return 0; }\n"
      "__global__ void MatMulKernel(const Matrix, const Matrix, Matrix);\n"
      "__global__ void MatMulKernel(Matrix A, Matrix B, Matrix C) { int y = threadIdx.y; "
      "__shared__ float As[BLOCK_SIZE]; }");
  ASSERT_EQ(spec.arguments.size(), 3U);
  ASSERT_EQ(spec.arguments[0].members.size(), 4U);
  EXPECT_EQ(spec.arguments[0].members[0].value.expression, "K");
  EXPECT_EQ(spec.arguments[2].members[0].value.expression, "N");
  EXPECT_EQ(spec.arguments[1].members[3].value.buffer, "B");
}

TEST(Guess, MembersOfAllBranchesOfAnIf_AreThereOnce) {
  const CudaText text = read_cuda_text(
      "struct Matrix {\n#ifdef LONG\n  long stride;\n#else\n  int stride;\n#endif\n  float* at; "
      "};");
  const auto& members = text.structs.at("Matrix");
  ASSERT_EQ(members.size(), 2U);
  EXPECT_EQ(members[0].name, "stride");
  EXPECT_EQ(members[1].name, "at");
}

TEST(Guess, DoubleAndTypeParameters_GiveTheElementType) {
  EXPECT_EQ(
      guessed("__global__ void mm(const double* A, const double* B, double* C, int n) " + kBody)
          .buffers[0]
          .type,
      ElementType::F64);
  const LaunchSpec spec = guessed(
      "template <typename T, int B> __global__ void mm(const T* a, const T* b, T* c, int n) " +
      kBody);
  EXPECT_EQ(spec.entry, "mm<float, BLOCK_SIZE>");
  EXPECT_EQ(spec.buffers[0].type, ElementType::F32);
}

TEST(Guess, CommentsStringsAndDirectives_AreNotRead) {
  const LaunchSpec spec = guessed(
      "// __global__ void no(int x) {}\n/* __global__ void no2() {} */\n"
      "#define KERNEL __global__ void no3() {\\\n }\n"
      "__device__ const char* s = \"__global__ void no4() {}\";\n"
      "__global__ void mm(float* A, float* B, float* C, int M, int N, int K) " +
      kBody);
  EXPECT_EQ(spec.entry, "mm");
}

TEST(Guess, WhatCannotBeTold_IsSaid) {
  EXPECT_EQ(cause("int main() {}"), "it has no __global__ function");
  EXPECT_EQ(cause(""), "it has no __global__ function");
  EXPECT_EQ(cause("__global__ void a(){} __global__ void b(){}"), "it has 2 __global__ functions");
  EXPECT_THAT(cause("__global__ void a(float* x, int n) " + kBody), HasSubstr("it has 1 pointers"));
  EXPECT_THAT(cause("__global__ void a(float* x, float* y, float* z, int n) " + kBody),
              HasSubstr("its pointers are not named A, B and C"));
  EXPECT_THAT(cause("__global__ void a(char* A, char* B, float* C, int n) " + kBody),
              HasSubstr("its pointers point to 'char'"));
  EXPECT_THAT(
      cause("__global__ void a(float* A, float* B, float* C, int M, int N, int q) " + kBody),
      HasSubstr("its parameter 'q'"));
  EXPECT_THAT(cause("__global__ void a(float* A, float* B, float* C, int n) { threadIdx.x; }"),
              HasSubstr("does not use threadIdx.y"));
  EXPECT_THAT(
      cause("template <int BM, int BN> __global__ void a(float* A, float* B, float* C, int n) " +
            kBody),
      HasSubstr("more than one size as a template parameter"));
  EXPECT_THAT(cause("extern __shared__ float s[]; __global__ void a(float* A, float* B, float* C, "
                    "int n) " +
                    kBody),
              HasSubstr("extern __shared__"));
  EXPECT_THAT(cause("__global__ void a(int n) " + kBody), HasSubstr("its parameters are neither"));
}

TEST(Guess, UnfinishedText_DoesNotCrash) {
  for (const char* text :
       {"__global__", "__global__ void", "__global__ void a", "__global__ void a(", "template <",
        "template", "struct", "struct X {", "\"", "'", "/*", "#", "#define", "__global__ void a()",
        "__global__ void a(){"}) {
    (void)guess_launch(text);
  }
}

TEST(QuotedIncludes, AreFoundOutsideComments) {
  EXPECT_THAT(quoted_includes("#include \"a.h\"\n // #include \"b.h\"\n#  include \"c/d.h\" // x\n"
                              "#include <e.h>\n"),
              ElementsAre("a.h", "c/d.h"));
}

}  // namespace
}  // namespace tilestep::problem
