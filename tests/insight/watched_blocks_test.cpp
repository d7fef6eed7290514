// Long launches: the exact pass executes the blocks that the fast pass found.
#include "check_fixture.h"
#include "insight/check/watchers.h"

#include <gmock/gmock.h>

namespace tilestep::insight {
namespace {

constexpr std::uint32_t kManyBlocks = 4096;

class WatchedBlocks : public Check {
 protected:
  // 4096 blocks of 32 threads (t) that count to 300 in shared memory, then execute `body`; `in`
  // holds 0 everywhere.
  static test::OwnKernel kernel(const std::string& body) {
    test::OwnKernel kernel;
    kernel.source =
        "extern \"C\" __global__ void kernel(float* out, const float* in, int* flag) {\n"
        "  __shared__ float s[32];\n  int t = threadIdx.x, b = blockIdx.x;\n  s[t] = in[t];\n"
        "#pragma unroll 1\n"
        "  for (int i = 0; i < 300; ++i) { s[t] = s[t] + in[i % 32]; __syncthreads(); }\n"
        "  float x = s[t];\n" +
        body + "\n  out[b * 32 + t] = x;\n}\n";
    kernel.buffers = {{"out", 32 * kManyBlocks}, {"in", 32}, {"flag", 4}};
    kernel.grid.x = kManyBlocks;
    return kernel;
  }
  CheckResult checked(const std::string& body) {
    const CheckResult result =
        check(simulated_.program(test::launch_of(kernel(body)), compile::Build::Fast),
              {simt::ScheduleKind::Sequential});
    EXPECT_GT(result.warp_instructions, kAlwaysWatched);
    EXPECT_GT(result.blocks_watched, 0U);
    EXPECT_LT(result.blocks_watched, kManyBlocks);
    return result;
  }
};

TEST_F(WatchedBlocks, HaveARaceThatOneBlockHas) {
  const CheckResult result = checked("  if (b == 3001) { x += s[31 - t]; s[t] = x; }");
  ASSERT_EQ(result.findings.size(), 1U);
  EXPECT_EQ(result.findings[0].kind, FindingKind::SharedRace);
  EXPECT_EQ(result.findings[0].parties.at(0).block.x, 3001U);
  EXPECT_FALSE(result.has_steps());
}

// The window goes to the steps of findings.
TEST_F(WatchedBlocks, AreAllWhereStepsAreWanted) {
  const CheckResult result = check(
      simulated_.program(test::launch_of(kernel("  if (b == 3001) { x += s[31 - t]; s[t] = x; }")),
                         compile::Build::Fast),
      {simt::ScheduleKind::Sequential}, nullptr, nullptr, {}, Watched::All);
  EXPECT_EQ(result.blocks_watched, kManyBlocks);
  EXPECT_TRUE(result.has_steps());
  ASSERT_EQ(result.findings.size(), 1U);
  EXPECT_GT(result.findings[0].parties.at(0).step, result.warp_instructions / kManyBlocks * 3001);
}

TEST_F(WatchedBlocks, AreBothThatMeetInGlobalMemory) {
  const CheckResult result = checked("  if (b == 10 || b == 4001) { flag[1] = b; }");
  ASSERT_EQ(result.findings.size(), 1U);
  EXPECT_EQ(result.findings[0].kind, FindingKind::GlobalRace);
  EXPECT_EQ(result.findings[0].parties.at(0).block.x, 10U);
  EXPECT_EQ(result.findings[0].parties.at(1).block.x, 4001U);
}

TEST_F(WatchedBlocks, HaveAFaultThatOneBlockHas) {
  const CheckResult result = checked("  if (b == 2003) { x += in[t + 1]; }");
  ASSERT_EQ(result.findings.size(), 1U);
  EXPECT_EQ(result.findings[0].kind, FindingKind::OutOfRange);
  EXPECT_EQ(result.findings[0].parties.at(0).block.x, 2003U);
}

TEST_F(WatchedBlocks, HaveTheFirstNan) {
  const CheckResult result = checked("  if (b == 1234) { float y = in[t]; x = y / y; }");
  ASSERT_EQ(result.findings.size(), 1U);
  EXPECT_EQ(result.findings[0].kind, FindingKind::NanProduced);
  EXPECT_EQ(result.findings[0].parties.at(0).block.x, 1234U);
}

TEST_F(WatchedBlocks, HaveADivisionByZeroThatOneBlockHas) {
  const CheckResult result = checked("  if (b == 77) { x += 9 / (int)in[t]; }");
  ASSERT_EQ(result.findings.size(), 1U);
  EXPECT_EQ(result.findings[0].kind, FindingKind::DivisionByZero);
  EXPECT_EQ(result.findings[0].parties.at(0).block.x, 77U);
}

TEST_F(WatchedBlocks, AreAllWhereBlocksMayWaitForEachOther) {
  const char* const bodies[] = {"  atomicAdd(&flag[0], 1);", "  __threadfence();",
                                "  x += *(volatile int*)flag;"};
  for (const char* const body : bodies) {
    const auto program = simulated_.program(test::launch_of(kernel(body)), compile::Build::Fast);
    EXPECT_THAT(watched_blocks(*program, {}, 10 * kAlwaysWatched, true), testing::IsEmpty())
        << body;
  }
  const auto program =
      simulated_.program(test::launch_of(kernel("  x += t;")), compile::Build::Fast);
  EXPECT_THAT(watched_blocks(*program, {}, kAlwaysWatched, true), testing::IsEmpty());
  const auto some = watched_blocks(*program, {}, 10 * kAlwaysWatched, true);
  ASSERT_GT(some.size(), 2U);
  EXPECT_EQ(some.front(), 0U);
  EXPECT_EQ(some.back(), kManyBlocks - 1);
}

}  // namespace
}  // namespace tilestep::insight
