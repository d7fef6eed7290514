// Results of check() when it knows less than a GPU does, or was cancelled.
#include "check_fixture.h"

#include <gmock/gmock.h>

#include <thread>

namespace tilestep::insight {
namespace {

TEST_F(Check, RecursionThatIsTooDeepNamesTheLimitAsItsOwn) {
  EXPECT_THAT(sentences(check_source("__device__ int down(int n) {\n"
                                     "  return n == 0 ? 0 : 1 + down(n - 1) * 3;\n"
                                     "}\n"
                                     "extern \"C\" __global__ void kernel(int* out) {\n"
                                     "  out[threadIdx.x] = down(100 + threadIdx.x);\n"
                                     "}\n",
                                     {{"out", 32}})),
              testing::ElementsAre(
                  testing::HasSubstr("more than 64 levels deep at line 2. That is Tilestep's "
                                     "limit; a GPU's limit depends on its stack")));
}

TEST_F(Check, AnMbarrierThatWaitsForTooManyArrivalsSaysHowManyCame) {
  const std::string source = R"(
__device__ unsigned address_of(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
extern "C" __global__ void kernel(int* out) {
  __shared__ unsigned long long full;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 65;" :: "r"(address_of(&full)) : "memory");
  }
  __syncthreads();
  asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }"
               :: "r"(address_of(&full)) : "memory");
  unsigned over = 0;
  while (over == 0) {
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0;"
                 " selp.u32 %0, 1, 0, p; }" : "=r"(over) : "r"(address_of(&full)) : "memory");
  }
  out[threadIdx.x] = 1;
})";
  for (const simt::Schedule& schedule : kSchedules) {
    const CheckResult result = check_source(source, {{"out", 64}}, {64, 1, 1}, {1, 1, 1}, schedule);
    ASSERT_EQ(result.findings.size(), 1U);
    EXPECT_EQ(result.findings[0].kind, FindingKind::BarrierDeadlock);
    EXPECT_EQ(result.findings[0].element, "full");
    EXPECT_THAT(
        result.findings[0].sentence,
        testing::HasSubstr("the mbarrier full expects 65 arrivals, of which 64 have happened"));
  }
}

TEST_F(Check, AGridThatSynchronisesNeedsACooperativeLaunch) {
  EXPECT_THAT(sentences(check_source("#include <cooperative_groups.h>\n"
                                     "extern \"C\" __global__ void kernel(int* out) {\n"
                                     "  out[threadIdx.x] = 1;\n"
                                     "  cooperative_groups::this_grid().sync();\n"
                                     "}\n",
                                     {{"out", 32}})),
              testing::ElementsAre(
                  testing::AllOf(testing::HasSubstr("Line 4 of the kernel synchronizes the grid"),
                                 testing::HasSubstr("Tilestep simulates only ordinary launches"))));
}

TEST_F(Check, ACancelledRunSaysWhereItStood) {
  test::OwnKernel kernel;
  kernel.source =
      "extern \"C\" __global__ void kernel(int* out) {\n"
      "  out[threadIdx.x] = 1;\n"
      "  if (blockIdx.x != 2) { return; }\n"
      "  for (unsigned i = 5; i >= 0; --i) {\n"
      "    out[i % 32] += i;\n"
      "  }\n"
      "}\n";
  kernel.buffers = {{"out", 32}};
  kernel.grid = {4, 1, 1};
  const auto program = simulated_.program(test::launch_of(kernel));
  std::atomic<bool> cancel = false;
  std::atomic<std::uint32_t> done = 0;
  std::thread user([&] {
    while (done < 2) {  // ctest's timeout ends a failure
      std::this_thread::yield();
    }
    cancel = true;
  });
  const CheckResult result = check(program, kSchedules[1], &cancel, &done);
  user.join();
  ASSERT_TRUE(result.cancelled);
  EXPECT_THAT(result.cancelled_at,
              testing::ContainsRegex("Canceled after [0-9]+ warp instructions; 2 of 4 blocks had "
                                     "ended, and thread 0 of block 2 was at line [45] of "));
}

}  // namespace
}  // namespace tilestep::insight
