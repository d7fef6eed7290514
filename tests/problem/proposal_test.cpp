// Launch descriptions proposed from a kernel's parameters and the names in its text.
#include "problem/propose/proposal.h"

#include "problem/describe/catalog.h"
#include "problem/describe/description.h"
#include "problem/propose/host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilestep::problem {
namespace {

using testing::HasSubstr;
using Kind = ParameterType::Kind;

ParameterType scalar(Kind kind, std::uint32_t bytes, bool is_signed = true) {
  ParameterType type;
  type.kind = kind;
  type.bytes = bytes;
  type.is_signed = is_signed;
  type.name = kind == Kind::Float ? "float" : "int";
  return type;
}

ParameterType pointer_to(const ParameterType& target, bool is_const = false) {
  ParameterType type;
  type.kind = Kind::Pointer;
  type.bytes = 8;
  type.points_to_const = is_const;
  type.name = (is_const ? "const " : "") + target.name + "*";
  type.target.push_back(target);
  return type;
}

ParameterType structure(const std::string& name, std::uint32_t bytes,
                        std::vector<ParameterType::Member> members) {
  ParameterType type;
  type.kind = Kind::Structure;
  type.name = name;
  type.bytes = bytes;
  type.members = std::move(members);
  return type;
}

const ParameterType kFloat = scalar(Kind::Float, 4);
const ParameterType kInt = scalar(Kind::Integer, 4);

// The proposal as text, and as read back.
struct Proposed {
  std::string toml;
  LaunchSpec spec;
};

Proposed propose(const std::string& source, KernelInterface kernel, const std::string& entry = "") {
  const CudaText text = read_cuda_text(source);
  Result<LaunchSpec> start = start_proposal(text, entry);
  EXPECT_TRUE(start) << (start ? "" : start.error().message);
  if (!start) {
    return {};
  }
  start->source_name = "mine.cu";
  kernel.name = start->entry;
  Proposed proposed{proposal_text(propose_launch(*start, text, kernel)), {}};
  const Result<LaunchSpec> read = parse_description(proposed.toml, "proposed.toml");
  EXPECT_TRUE(read) << (read ? "" : read.error().message) << "\n" << proposed.toml;
  proposed.spec = read.value_or(LaunchSpec{});
  const Result<Launch> launch = evaluate(
      proposed.spec,
      {proposed.spec.default_problem.value_or(Problem{}), proposed.spec.default_block_size}, {});
  EXPECT_TRUE(launch) << (launch ? "" : launch.error().message) << "\n" << proposed.toml;
  return proposed;
}

constexpr const char* kReduction = R"(
__global__ void block_sums(const float* values, float* sums, int n) {
  extern __shared__ float cache[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  cache[threadIdx.x] = i < n ? values[i] : 0.0f;
  __syncthreads();
  if (threadIdx.x == 0) sums[blockIdx.x] = cache[0];
}
int main() {
  const int threads = 128;
  block_sums<<<4, threads, threads * sizeof(float)>>>(nullptr, nullptr, 512);
}
)";

TEST(Proposal, OfAFlatKernelHasRolesSizesAndTheFilesOwnBlock) {
  KernelInterface kernel;
  kernel.parameters = {
      {"values", pointer_to(kFloat, true)}, {"sums", pointer_to(kFloat)}, {"n", kInt}};
  kernel.extern_shared = {{"cache", "float[]", 0, ElementType::F32}};
  const Proposed proposed = propose(kReduction, kernel);
  EXPECT_EQ(proposed.spec.block[0], "128");
  EXPECT_EQ(proposed.spec.grid[0], "4");
  EXPECT_EQ(proposed.spec.default_problem->N, 512);
  ASSERT_EQ(proposed.spec.buffers.size(), 2U);
  EXPECT_EQ(proposed.spec.buffers[0].role, BufferRole::Input);
  EXPECT_EQ(proposed.spec.buffers[1].role, BufferRole::Output);
  EXPECT_EQ(proposed.spec.arguments[2].expression, "N");
  EXPECT_EQ(proposed.spec.dynamic_shared_bytes, "128 * 4") << "threads * sizeof(float)";
  EXPECT_EQ(proposed.spec.reference, "");
  EXPECT_EQ(proposed.spec.source_name, "mine.cu");
  EXPECT_THAT(proposed.toml, HasSubstr("from the launch in this file"));
  EXPECT_THAT(proposed.toml, HasSubstr("reference = \"sum\", of = \"values\""));
}

TEST(Proposal, OfAGridOfTwoDimensionsHasRowsAndColumns) {
  KernelInterface kernel;
  kernel.parameters = {{"out", pointer_to(kFloat)},
                       {"in", pointer_to(kFloat)},
                       {"width", kInt},
                       {"height", kInt},
                       {"scale", kFloat}};
  const Proposed proposed = propose(R"(
#define TILE_DIM 8
__global__ void smooth(float* out, float* in, int width, int height, float scale) {
  __shared__ float tile[TILE_DIM][TILE_DIM];
  int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = in[y * width + x] * scale;
})",
                                    kernel);
  EXPECT_EQ(proposed.spec.block[1], "8");
  EXPECT_EQ(proposed.spec.grid[1], "ceil_div(M, 8)");
  EXPECT_EQ(proposed.spec.buffers[0].rows, "M");
  EXPECT_EQ(proposed.spec.buffers[1].role, BufferRole::Input);
  EXPECT_EQ(proposed.spec.arguments[3].expression, "M");
  EXPECT_EQ(proposed.spec.arguments[4].expression, "1.0");
}

TEST(Proposal, OfAKernelWithoutBlockIdxHasOneBlock) {
  KernelInterface kernel;
  kernel.parameters = {{"data", pointer_to(kFloat)}, {"n", kInt}};
  kernel.shared = {{"cache", "float[96]", 384, ElementType::F32}};
  const std::string body = "{ __shared__ float cache[96]; data[threadIdx.x] = cache[0]; }";
  const Proposed one = propose("__global__ void k(float* data, int n) " + body, kernel);
  EXPECT_EQ(one.spec.grid[0], "1");
  EXPECT_EQ(one.spec.block[0], "96");
  EXPECT_EQ(one.spec.default_problem->N, 96);
  kernel.shared.clear();
  const Proposed serial = propose("__global__ void k(float* data, int n) { data[n] = 1; }", kernel);
  EXPECT_EQ(serial.spec.block[0], "1");
}

TEST(Proposal, OfThreeDimensionsHasDepth) {
  KernelInterface kernel;
  kernel.parameters = {
      {"u", pointer_to(kFloat)}, {"nx", kInt}, {"ny", kInt}, {"nz", kInt}, {"blockz", kInt}};
  const Proposed proposed = propose(
      "__global__ void k(float* u, int nx, int ny, int nz, int blockz) {\n"
      "u[(threadIdx.z + blockIdx.z * blockz) * nx * ny + threadIdx.y * nx + threadIdx.x] = 1; }",
      kernel);
  EXPECT_EQ(proposed.spec.buffers[0].rows, "M * K");
  EXPECT_EQ(proposed.spec.grid[2], "ceil_div(K, 4)");
  EXPECT_EQ(proposed.spec.arguments[4].expression, "4");
}

TEST(Proposal, OfATextbooksProductIsTheGuessedOne) {
  KernelInterface kernel;
  const Proposed proposed = propose(R"(
template <int TILE> __global__ void product(const float* A, const float* B, float* C, int M, int N, int K) {
  C[(blockIdx.y * TILE + threadIdx.y) * N] = A[0] * B[0];
})",
                                    kernel);
  EXPECT_EQ(proposed.spec.entry, "product<BLOCK_SIZE>");
  EXPECT_EQ(proposed.spec.reference, "matmul");
  EXPECT_EQ(proposed.spec.buffers[1].rows, "K");
}

TEST(Proposal, AccumulatorsStartAtZeroAndVectorsAreElements) {
  const ParameterType float4 =
      structure("float4", 16, {{"x", kFloat}, {"y", kFloat}, {"z", kFloat}, {"w", kFloat}});
  const ParameterType byte = scalar(Kind::Integer, 1, false);
  KernelInterface kernel;
  kernel.parameters = {{"pixels", pointer_to(float4)},
                       {"data", pointer_to(byte)},
                       {"hist", pointer_to(scalar(Kind::Integer, 4, false))}};
  const Proposed proposed = propose(
      "__global__ void count(float4* pixels, unsigned char* data, unsigned* hist) {\n"
      "  atomicAdd(&hist[data[threadIdx.x]], pixels[0].x > 0.0f ? 1 : 2); }",
      kernel);
  EXPECT_EQ(proposed.spec.buffers[0].cols, "N * 4");
  EXPECT_EQ(proposed.spec.buffers[0].type, ElementType::F32);
  EXPECT_EQ(proposed.spec.buffers[1].type, ElementType::U8);
  EXPECT_EQ(proposed.spec.buffers[2].role, BufferRole::InOut);
  EXPECT_EQ(proposed.spec.buffers[2].cols, "256");
  EXPECT_EQ(proposed.spec.buffers[2].input->constant, 0.0F);
}

TEST(Proposal, StructsConstantsAndBoundsAreThere) {
  KernelInterface kernel;
  kernel.parameters = {
      {"image", structure("Image", 16,
                          {{"width", kInt}, {"height", kInt}, {"pixels", pointer_to(kFloat)}})}};
  kernel.constants = {{"mask", "float[5]", 20, ElementType::F32}};
  kernel.launch_bounds = {96, 1, 1};
  const Proposed proposed = propose(
      "struct Image { int width, height; float* pixels; };\n__constant__ float mask[5];\n"
      "__global__ void __launch_bounds__(96) blur(Image image) { image.pixels[0] = mask[0]; }",
      kernel);
  EXPECT_EQ(proposed.spec.block[0], "96");
  ASSERT_EQ(proposed.spec.arguments.size(), 1U);
  ASSERT_EQ(proposed.spec.arguments[0].kind, ArgumentSpec::Kind::Struct);
  EXPECT_EQ(proposed.spec.arguments[0].members[0].value.expression, "N");
  EXPECT_EQ(proposed.spec.arguments[0].members[2].value.buffer, "pixels");
  ASSERT_EQ(proposed.spec.variables.size(), 1U);
  EXPECT_EQ(proposed.spec.variables[0].cols, "5");
  EXPECT_THAT(proposed.toml, HasSubstr("__launch_bounds__: 96 threads"));
}

TEST(Proposal, TemplateArgumentsAndMissingMacrosAreGuessed) {
  const CudaText text = read_cuda_text(
      "template <typename T, unsigned int SIZE, bool ODD> __global__ void k(T* x) { x[0] = SIZE; "
      "}\n"
      "__global__ void m(float* x) { __shared__ float s[BLOCK_DIM]; x[0] = s[0]; }\n"
      "void run() { k<double, 64, false><<<1, 64>>>(0); }");
  EXPECT_EQ(start_proposal(text, "k")->entry, "k<double, 64, false>");
  EXPECT_EQ(start_proposal(text, "k<float, 2, true>")->entry, "k<float, 2, true>");
  EXPECT_EQ(start_proposal(text, "m")->defines.at("BLOCK_DIM"), "16");
  EXPECT_THAT(start_proposal(text, "").error().message,
              HasSubstr("2 kernels. Choose one with --entry: k, m."));
  EXPECT_THAT(start_proposal(text, "x").error().message,
              HasSubstr("no kernel 'x'. The file has k, m."));
  EXPECT_THAT(start_proposal(read_cuda_text("int x;"), "").error().message,
              HasSubstr("no __global__ function"));
}

TEST(Proposal, TemplateArgumentsAreWhatTheHostLaunches) {
  const std::string kernel =
      "enum class Op { LEAST, MOST };\n"
      "template <class T, Op op, int LANES, int N = 64> __global__ void k(T* x) { x[0] = N; }\n";
  const auto entry = [&](const std::string& host) {
    return start_proposal(read_cuda_text(kernel + host), "k")->entry;
  };
  EXPECT_EQ(entry(""), "k<float, Op::LEAST, 32, 64>");
  EXPECT_EQ(entry("template <class T, Op op> void f() { k<T, op, 8><<<1, 2>>>(0); }\n"
                  "void g() { f<double, Op::LEAST>(); f<float, Op::MOST>(); }"),
            "k<double, Op::MOST, 8, 64>");
  EXPECT_EQ(entry("void f() { constexpr unsigned n{4U}; constexpr int m{n * 2}; "
                  "k<int, Op::MOST, m, n><<<1, 2>>>(0); }"),
            "k<int, Op::MOST, 8, 4>");
}

TEST(Proposal, MacrosOfNoValueThatTheTextDeclaresAreNone) {
  const CudaText text = read_cuda_text(
      "__global__ void k(float* x) { const int NUM_THREADS = blockDim.x; x[NUM_THREADS] = TPB; }");
  EXPECT_EQ(start_proposal(text, "k")->defines,
            (std::map<std::string, std::string>{{"TPB", "16"}}));
}

TEST(ParameterUse, ASumOfMatricesIsNoSumOfProducts) {
  const auto adds = [](const std::string& body) {
    const CudaText text = read_cuda_text(
        "__device__ float f(float a) { a += a * 2; return a; }\n"
        "__global__ void k(float* A, float* B, float* C) {" +
        body + "}");
    return adds_products(text, text.kernels[0]);
  };
  EXPECT_TRUE(adds("for (int k = 0; k < n; ++k) sum += A[i * n + k] * B[k * n + j];"));
  EXPECT_TRUE(adds("sum = sum + a * b;"));
  EXPECT_TRUE(adds("sum = fmaf(a, b, sum);"));
  EXPECT_TRUE(adds("C[i] = f(A[i]);"));
  EXPECT_FALSE(adds("int i = blockIdx.x * blockDim.x + threadIdx.x; C[i * n] = A[i * n] + B[i];"));
  EXPECT_FALSE(adds("for (int i = 0; i < n; i += blockDim.x * gridDim.x) C[i] = A[i] + B[i];"));
}

TEST(ParameterUse, TellsReadsWritesAndAtomics) {
  const CudaText text = read_cuda_text(R"(
__global__ void k(float* a, float* b, float* c, int* d, int* e, float* f, float* g) {
  a[i] = b[i] == 0.0f; c[i] += 1; atomicAdd(&d[0], 1); atomicMax(e, 2); *f = 1; float* h = g + 1;
})");
  const auto use = [&](const char* name) { return use_of(text, text.kernels[0], name); };
  EXPECT_TRUE(use("a").is_written && !use("a").is_read);
  EXPECT_TRUE(use("b").is_read && !use("b").is_written);
  EXPECT_TRUE(use("c").is_read && use("c").is_written);
  EXPECT_TRUE(use("d").is_atomic && use("e").is_atomic);
  EXPECT_TRUE(use("f").is_written);
  EXPECT_TRUE(use("g").is_passed_on);
}

TEST(HostLaunch, KnowsNumbersConstantsAndDim3) {
  const auto block = [](const std::string& host) {
    return host_launch(read_cuda_text("#define T 8\n" + host), "k").block;
  };
  using Block = std::array<int, 3>;
  EXPECT_EQ(block("f() { k<<<1, 256>>>(x); }"), (Block{256, 1, 1}));
  EXPECT_EQ(block("f() { k<<<(n + 1) / 2, T * 2>>>(x); }"), (Block{16, 1, 1}));
  EXPECT_EQ(block("f() { dim3 b(T, 4); k<<<g, b, 0, s>>>(x); }"), (Block{8, 4, 1}));
  EXPECT_EQ(block("f() { dim3 b = dim3(T, T, 2); k<4><<<g, b>>>(x); }"), (Block{8, 8, 2}));
  EXPECT_EQ(block("f() { dim3 b{T}; k<<<g, b>>>(x); }"), (Block{8, 1, 1}));
  EXPECT_EQ(block("f() { const int b = 64; k<<<g, b>>>(x); }"), (Block{64, 1, 1}));
  EXPECT_EQ(block("f() { dim3 b; b = dim3(T, 2); k<<<g, b>>>(x); }"), (Block{8, 2, 1}));
  EXPECT_EQ(block("f(int n) { k<<<g, n>>>(x); } h() { f(32); }"), (Block{32, 1, 1}));
  EXPECT_EQ(block("template <int n> f() { k<<<g, n>>>(x); } h() { f<64>(); }"), (Block{64, 1, 1}));
  EXPECT_EQ(block("f() { void* a[] = {&x}; cudaLaunchKernel((void*)k, g, dim3(T, T), a); }"),
            (Block{8, 8, 1}));
  EXPECT_EQ(block("f(int n) { k<<<g, n>>>(x); }"), std::nullopt);
  EXPECT_EQ(block("f() { other<<<1, 2>>>(x); }"), std::nullopt);
}

TEST(ElementGuess, OfMixedStructuresIsTheirBytes) {
  const ParameterType mixed = structure("Pair", 8, {{"a", kFloat}, {"b", kInt}});
  EXPECT_EQ(element_guess(mixed).type, ElementType::U8);
  EXPECT_EQ(element_guess(mixed).per_item, 8U);
  ParameterType half = structure("__half", 2, {{"__x", scalar(Kind::Integer, 2, false)}});
  EXPECT_EQ(element_guess(half).type, ElementType::F16);
  half.name = "__nv_bfloat16";
  EXPECT_EQ(element_guess(half).type, ElementType::BF16);
}

TEST(DescriptionText, QuotesWhatNeedsIt) {
  LaunchSpec spec;
  spec.source_name = "a \"b\".cu";
  spec.entry = "k";
  spec.requirements = {{"N > 0", "say \"why\""}};
  spec.buffers.resize(1);
  spec.buffers[0].name = "x";
  const std::string text = description_text(spec, {"first"}, {{"entry", "note"}});
  EXPECT_THAT(text, HasSubstr("# first\n"));
  EXPECT_THAT(text, HasSubstr("# note\n"));
  const Result<LaunchSpec> read = parse_description(text, "t.toml");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->source_name, spec.source_name);
  EXPECT_EQ(read->requirements[0].sentence, "say \"why\"");
}

}  // namespace
}  // namespace tilestep::problem
