// When one block may represent others, and when it must not: kernels written for it, each compared
// with the execution of all blocks.
#include "insight/count/profile.h"
#include "profiles.h"
#include "simulated.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilestep::insight {
namespace {

class Representatives : public testing::Test {
 protected:
  // Also compares with full execution.
  Profile profile_of(const test::OwnKernel& kernel, compile::Build build = compile::Build::Fast) {
    const auto program = simulated_.program(test::launch_of(kernel), build);
    Profile some = profile(program);
    const Profile all = profile(program, MethodChoice::AlwaysFull);
    EXPECT_EQ(all.method, Method::Full);
    test::expect_same(some, all, *program);
    return some;
  }
  static test::OwnKernel kernel(std::string body, problem::Dim3 grid, problem::Dim3 block,
                                int elements) {
    test::OwnKernel own;
    own.source = "__global__ void kernel(const float* x, float* y) {\n" + std::move(body) + "\n}\n";
    own.grid = grid;
    own.block = block;
    own.buffers = {{"x", elements}, {"y", elements}};
    return own;
  }
  test::Simulated simulated_;
};

TEST_F(Representatives, StandForBlocksThatOnlyWorkElsewhere) {
  const Profile p =
      profile_of(kernel("int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                        "y[i] = 2.0f * x[i];",
                        {100, 1, 1}, {32, 1, 1}, 3200));
  EXPECT_EQ(p.method, Method::Representatives);
  EXPECT_EQ(p.blocks_executed, 1U);
  ASSERT_EQ(p.classes.size(), 1U);
  EXPECT_EQ(p.classes[0].blocks, 100U);
}

TEST_F(Representatives, AreOneMoreForTheBlockThatIsCutOff) {
  const Profile p =
      profile_of(kernel("int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                        "if (i < 3190) y[i] = 2.0f * x[i];",
                        {100, 1, 1}, {32, 1, 1}, 3190));
  EXPECT_EQ(p.blocks_executed, 2U);
  ASSERT_EQ(p.classes.size(), 2U);
  EXPECT_EQ(p.classes[0].blocks, 99U);
  EXPECT_EQ(p.classes[1].blocks, 1U);
}

TEST_F(Representatives, AreTakenByHowABlockLiesInItsSectors) {
  // Five floats per block: 20 bytes, so that blocks eight apart have the same alignment.
  const Profile p =
      profile_of(kernel("int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                        "y[i] = 2.0f * x[i];",
                        {100, 1, 1}, {5, 1, 1}, 500));
  EXPECT_EQ(p.blocks_executed, 1U);
  std::uint64_t sectors = 0;
  for (const BlockClass& c : p.classes) {
    for (const Access& access : c.profile.accesses) {
      sectors += access.traffic.sectors * c.blocks;
    }
  }
  EXPECT_EQ(p.classes.size(), 2U);                        // one sector or two
  EXPECT_EQ(sectors, 2U * (100U * 4U + 100U * 8U) / 8U);  // 4 of 8 blocks need a second one
}

TEST_F(Representatives, DoNotHoldWhereABranchDependsOnMemory) {
  const Profile p =
      profile_of(kernel("int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                        "if (x[i] > 0.0f) {\n  y[i] = sqrtf(x[i]);\n"
                        "  __syncwarp(__activemask());\n  y[i] += 1.0f;\n}",
                        {20, 1, 1}, {32, 1, 1}, 640));
  EXPECT_EQ(p.method, Method::Full);
  EXPECT_EQ(p.blocks_executed, 20U);
  EXPECT_THAT(p.why_full, testing::StartsWith("line 3: "));
  EXPECT_THAT(p.why_full, testing::HasSubstr("memory contents"));
}

TEST_F(Representatives, DoNotHoldWhereAnAddressDependsOnMemory) {
  const Profile p =
      profile_of(kernel("int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                        "y[i] = x[(int)x[i]];",
                        {20, 1, 1}, {32, 1, 1}, 640));
  EXPECT_EQ(p.method, Method::Full);
  EXPECT_THAT(p.why_full, testing::HasSubstr("address"));
}

TEST_F(Representatives, DoNotHoldWhereALoopDependsOnSharedMemory) {
  const Profile p =
      profile_of(kernel("__shared__ int times[32];\n"
                        "times[threadIdx.x] = (int)x[threadIdx.x] + 2;\n"
                        "__syncthreads();\n"
                        "float sum = 0.0f;\n"
                        "for (int i = 0; i < times[31 - threadIdx.x]; ++i)\n"
                        "  sum += x[i];\n"
                        "y[blockIdx.x] = sum;",
                        {20, 1, 1}, {32, 1, 1}, 640));
  EXPECT_EQ(p.method, Method::Full);
}

TEST_F(Representatives, DoNotHoldWhereNoTwoBlocksDoTheSame) {
  const Profile p =
      profile_of(kernel("float sum = 0.0f;\n"
                        "for (int i = 0; i < blockIdx.x; ++i) sum += x[i];\n"
                        "y[blockIdx.x] = sum;",
                        {50, 1, 1}, {32, 1, 1}, 640));
  EXPECT_EQ(p.method, Method::Full);
  EXPECT_EQ(p.blocks_executed, 50U);
}

// The last block represents itself.
TEST_F(Representatives, HoldForTheOthersWhereABlockAccessesMemoryOutOfRange) {
  const test::OwnKernel own = kernel(
      "int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "y[i] = 2.0f * x[i];",
      {20, 1, 1}, {32, 1, 1}, 630);
  const Profile p = profile_of(own);
  EXPECT_EQ(p.method, Method::Representatives);
  EXPECT_EQ(p.blocks_executed, 2U);
}

TEST_F(Representatives, DoNotHoldWhereABlockStops) {
  const Profile p =
      profile_of(kernel("if (blockIdx.x == 3) __trap();\n"
                        "y[blockIdx.x] = x[blockIdx.x];",
                        {20, 1, 1}, {32, 1, 1}, 640));
  EXPECT_EQ(p.method, Method::Full);
  EXPECT_THAT(p.why_full, testing::HasSubstr("fault"));
}

TEST_F(Representatives, DoNotHoldWhereThreadsMoveDifferently) {
  // Odd threads count down with the block while even ones count up.
  const Profile p =
      profile_of(kernel("int b = threadIdx.x % 2 ? 19 - blockIdx.x : blockIdx.x;\n"
                        "y[b * 32 + threadIdx.x] = x[b];",
                        {20, 1, 1}, {32, 1, 1}, 640));
  EXPECT_EQ(p.method, Method::Full);
}

TEST_F(Representatives, HoldInThreeDimensions) {
  const Profile p =
      profile_of(kernel("int row = blockIdx.y * blockDim.y + threadIdx.y;\n"
                        "int col = blockIdx.x * blockDim.x + threadIdx.x;\n"
                        "if (row < 13 && col < 21 && blockIdx.z < 3)\n"
                        "  atomicAdd(&y[row * 21 + col], x[(blockIdx.z * 13 + row) * 21 + col]);",
                        {6, 4, 5}, {4, 4, 1}, 3 * 13 * 21));
  EXPECT_EQ(p.method, Method::Representatives);
  EXPECT_LT(p.blocks_executed, 10U);
}

TEST_F(Representatives, KnowTheFirstAndTheLastBlock) {
  const Profile p =
      profile_of(kernel("int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                        "bool edge = blockIdx.x == 0 || blockIdx.x == gridDim.x - 1;\n"
                        "if (edge) __syncthreads();\n"
                        "if (blockIdx.x - 3u < 4u) y[i] = 1.0f;\n"
                        "else y[i] = min(blockIdx.x, 9) + x[i];",
                        {40, 1, 1}, {32, 1, 1}, 1280));
  EXPECT_EQ(p.method, Method::Representatives);
  EXPECT_GT(p.classes.size(), 2U);
  EXPECT_LT(p.blocks_executed, 9U);
}

TEST_F(Representatives, FollowIndicesThatAreShiftedMaskedAndDivided) {
  const Profile p =
      profile_of(kernel("unsigned i = (blockIdx.x << 5) | threadIdx.x;\n"
                        "unsigned row = i / 16, col = i % 16;\n"
                        "unsigned low = i & 7, high = i >> 3;\n"
                        "y[row * 16 + col] = x[high * 8 + low] + x[i ^ 3];",
                        {20, 1, 1}, {32, 1, 1}, 640));
  EXPECT_EQ(p.blocks_executed, 1U);
}

TEST_F(Representatives, DoNotTrustSharedPlacesThatDifferFromBlockToBlock) {
  const Profile p =
      profile_of(kernel("__shared__ float s[32 * 33];\n"
                        "int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                        "s[threadIdx.x * (blockIdx.x % 3 + 1)] = x[i];\n"
                        "__syncthreads();\n"
                        "y[i] = s[threadIdx.x];",
                        {30, 1, 1}, {32, 1, 1}, 960));
  EXPECT_EQ(p.method, Method::Full);
}

TEST_F(Representatives, HoldThroughLocalMemoryInTheStepBuild) {
  test::OwnKernel own = kernel(
      "int at[4];\n"
      "for (int k = 0; k < 4; ++k) at[k] = blockIdx.x * 128 + k * 32;\n"
      "float sum = 0.0f;\n"
      "for (int k = 0; k < 4; ++k) sum += x[at[k] + threadIdx.x];\n"
      "y[blockIdx.x * 32 + threadIdx.x] = sum;",
      {20, 1, 1}, {32, 1, 1}, 20 * 128);
  const Profile p = profile_of(own, compile::Build::Step);
  EXPECT_EQ(p.method, Method::Representatives) << p.why_full;
  EXPECT_EQ(p.blocks_executed, 1U);
}

// Long loops: only a few of their iterations are executed.
TEST_F(Representatives, StandForTheIterationsOfALoop) {
  const Profile p =
      profile_of(kernel("int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                        "float sum = 0.0f;\n"
                        "#pragma unroll 1\n"
                        "for (int k = 0; k < 500; ++k) sum += x[k * 33 + i];\n"
                        "y[i] = sum;",
                        {4, 1, 1}, {64, 1, 1}, 500 * 33 + 256));
  EXPECT_EQ(p.method, Method::Representatives);
  EXPECT_LT(p.steps_executed, 1000U);
}

TEST_F(Representatives, StandForIterationsWithBarriersAndBuffersThatTakeTurns) {
  const Profile p =
      profile_of(kernel("__shared__ float s[2][96];\n"
                        "int t = threadIdx.x;\n"
                        "float sum = 0.0f;\n"
                        "int turn = 0;\n"
                        "#pragma unroll 1\n"
                        "for (int k = 0; k < 301; ++k) {\n"
                        "  s[turn][t] = x[(blockIdx.x * 301 + k) * 96 + t];\n"
                        "  __syncthreads();\n"
                        "  sum += s[turn][(t + 32) % 96];\n"
                        "  turn ^= 1;\n"
                        "}\n"
                        "y[blockIdx.x * 96 + t] = sum;",
                        {3, 1, 1}, {96, 1, 1}, 3 * 301 * 96));
  EXPECT_EQ(p.method, Method::Representatives);
  EXPECT_LT(p.steps_executed, 2000U);
}

// Growth found along a loop in one block is accepted sooner in the next, and proved there again.
TEST_F(Representatives, TellEachOtherHowTheirLoopsGrow) {
  const auto with_blocks = [&](unsigned blocks) {
    return profile_of(
        kernel("__shared__ float s[3][96];\n"
               "int t = threadIdx.x;\n"
               "float sum = blockIdx.x == 3 ? 1.0f + x[0] : 0.0f;\n"
               "int turn = 0;\n"
               "#pragma unroll 1\n"
               "for (int k = 0; k < 301; ++k) {\n"
               "  s[turn][t] = x[k * 96 + t];\n"
               "  __syncthreads();\n"
               "  sum += s[turn][(t + 32) % 96];\n"
               "  turn = turn == 2 ? 0 : turn + 1;\n"
               "}\n"
               "y[blockIdx.x * 96 + t] = sum;",
               {blocks, 1, 1}, {96, 1, 1}, 301 * 96));
  };
  const Profile one = with_blocks(3);
  const Profile two = with_blocks(4);
  EXPECT_EQ(one.blocks_executed, 1U);
  EXPECT_EQ(two.blocks_executed, 2U);
  EXPECT_LT(two.steps_executed - one.steps_executed, one.steps_executed * 9 / 10);
}

TEST_F(Representatives, StandForIterationsThatHoldALoop) {
  const Profile p =
      profile_of(kernel("__shared__ float s[64];\n"
                        "int t = threadIdx.x;\n"
                        "float sum = 0.0f;\n"
                        "#pragma unroll 1\n"
                        "for (int k = 0; k < 200; ++k) {\n"
                        "  s[t] = x[k * 64 + t];\n"
                        "  __syncthreads();\n"
                        "#pragma unroll 1\n"
                        "  for (int e = 0; e < 20; ++e) sum += s[e * 3 + t % 4];\n"
                        "  __syncthreads();\n"
                        "}\n"
                        "y[t] = sum;",
                        {1, 1, 1}, {64, 1, 1}, 200 * 64));
  EXPECT_EQ(p.method, Method::Representatives);
  EXPECT_LT(p.steps_executed, 8000U);
}

TEST_F(Representatives, TakeWarpsWithTripsOfTheirOwnAsTheyAre) {
  const Profile p =
      profile_of(kernel("int t = threadIdx.x;\n"
                        "float sum = 0.0f;\n"
                        "#pragma unroll 1\n"
                        "for (int k = 0; k < 100 + t / 32 * 50 + t % 3; ++k) sum += x[k + t];\n"
                        "if (t < 40) y[blockIdx.x * 40 + t] = sum;",
                        {5, 1, 1}, {96, 1, 1}, 400));
  EXPECT_EQ(p.method, Method::Representatives);
}

TEST_F(Representatives, TakeLoopsThatMemoryEndsAsTheyAre) {
  const Profile p =
      profile_of(kernel("int t = threadIdx.x;\n"
                        "int k = 0;\n"
                        "while (k < 300 && x[k] > -1000.0f) k += 3;\n"
                        "y[t] = k;",
                        {2, 1, 1}, {32, 1, 1}, 400));
  EXPECT_EQ(p.method, Method::Full);
}

// The block index is divided: one dimension of the grid covers rows and columns of a matrix.
TEST_F(Representatives, FollowABlockIndexTakenApart) {
  const Profile p =
      profile_of(kernel("int n = gridDim.x + 70;\n"
                        "int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                        "int row = i / n, col = i % n;\n"
                        "y[i] = x[row * 7] + x[col];",
                        {250, 1, 1}, {64, 1, 1}, 16000));
  EXPECT_EQ(p.method, Method::Representatives) << p.why_full;
  EXPECT_LT(p.blocks_executed, 10U);
}

TEST_F(Representatives, FollowBlocksInGroups) {
  const Profile p =
      profile_of(kernel("int wide = gridDim.y + 5;\n"
                        "int group = blockIdx.x / (wide * 4), in = blockIdx.x % (wide * 4);\n"
                        "int row = group * 4 + in % 4, col = in / 4;\n"
                        "y[(row * wide + col) * 32 + threadIdx.x] = x[col * 32 + threadIdx.x];",
                        {101, 1, 1}, {32, 1, 1}, 32 * 160));
  EXPECT_EQ(p.method, Method::Representatives) << p.why_full;
  EXPECT_LT(p.blocks_executed, 12U);
}

TEST_F(Representatives, CountAsNothingHappenedWhenCancelled) {
  const std::atomic<bool> cancel = true;
  const auto program = simulated_.program("tiled", {64, 64, 64}, 8, compile::Build::Fast);
  EXPECT_TRUE(profile(program, MethodChoice::RepresentativesIfTheyHold, &cancel).cancelled);
}

}  // namespace
}  // namespace tilestep::insight
