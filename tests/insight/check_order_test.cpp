// Order of two accesses without __syncthreads(): __syncwarp, mbarriers, waiting for copies.
#include "check_fixture.h"

#include <gmock/gmock.h>

namespace tilestep::insight {
namespace {

TEST_F(Check, SyncwarpOrdersLanesThatComeFromDifferentBranches) {
  const auto source = [](const char* meet) {
    return std::string(
               "extern \"C\" __global__ void kernel(const float* in, float* out) {\n"
               "  __shared__ float s[32];\n"
               "  int t = threadIdx.x;\n"
               "  if (t < 12) { s[t] = in[t]; ") +
           meet + " out[t] = s[31 - t]; } else { s[t] = -in[t]; " + meet +
           " out[t] = s[31 - t]; }\n}\n";
  };
  for (const simt::Schedule& schedule : kSchedules) {
    const auto run = [&](const char* meet) {
      return check_source(source(meet), {{"in", 32}, {"out", 32}}, {32, 1, 1}, {1, 1, 1}, schedule);
    };
    EXPECT_TRUE(run("__syncwarp();").clean());
    EXPECT_FALSE(run("").clean());
  }
}

constexpr const char* kAsm = R"(
__device__ unsigned address_of(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void init(unsigned long long* b, int count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(address_of(b)), "r"(count) : "memory");
}
__device__ void arrive(unsigned long long* b) {
  asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" :: "r"(address_of(b)) : "memory");
}
__device__ void wait(unsigned long long* b, int parity) {
  unsigned over = 0;
  while (over == 0) {
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(over) : "r"(address_of(b)), "r"(parity) : "memory");
  }
}
__device__ void copy(float* to, const float* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(address_of(to)), "l"(from) : "memory");
}
__device__ void wait_for_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }
)";

// Warp 0 fills a buffer, warp 1 reads it and returns it.
TEST_F(Check, BarriersInMemoryOrderProducersAndConsumers) {
  const auto source = [](const char* before_read, const char* before_write) {
    return std::string(kAsm) + R"(
extern "C" __global__ void kernel(const float* in, float* out) {
  __shared__ unsigned long long full, empty;
  __shared__ float s[32];
  int t = threadIdx.x;
  if (t == 0) { init(&full, 32); init(&empty, 32); }
  __syncthreads();
  float sum = 0;
  for (int round = 0; round < 3; ++round) {
    if (t < 32) {
)" + before_write +
           R"(
      s[t] = in[32 * round + t];
      arrive(&full);
    } else {
)" + before_read +
           R"(
      sum += s[63 - t];
      arrive(&empty);
    }
  }
  out[t] = sum;
}
)";
  };
  const char* const read = "wait(&full, round & 1);";
  const char* const write = "wait(&empty, (round & 1) ^ 1);";
  for (const simt::Schedule& schedule : kSchedules) {
    const auto run = [&](const char* before_read, const char* before_write) {
      return check_source(source(before_read, before_write), {{"in", 96}, {"out", 64}}, {64, 1, 1},
                          {1, 1, 1}, schedule);
    };
    EXPECT_THAT(sentences(run(read, write)), testing::IsEmpty());
    EXPECT_FALSE(run("", write).clean()) << "reads before it is full";
    EXPECT_FALSE(run(read, "").clean()) << "writes before it is empty";
  }
}

TEST_F(Check, CopiesThatNobodyWaitsForRace) {
  const auto source = [](const char* before, const char* after) {
    return std::string(kAsm) + R"(
extern "C" __global__ void kernel(const float* in, float* out) {
  __shared__ float s[64];
  int t = threadIdx.x;
  copy(s + t, in + t);
)" + before +
           "  __syncthreads();\n  out[t] = s[63 - t];\n" + after + "}\n";
  };
  for (const simt::Schedule& schedule : kSchedules) {
    const auto run = [&](const char* before, const char* after) {
      return check_source(source(before, after), {{"in", 64}, {"out", 64}}, {64, 1, 1}, {1, 1, 1},
                          schedule);
    };
    EXPECT_TRUE(run("  wait_for_copies();\n", "").clean());
    for (const char* const after : {"  wait_for_copies();\n", ""}) {
      const CheckResult late = run("", after);
      ASSERT_FALSE(late.clean());
      EXPECT_EQ(late.findings[0].kind, FindingKind::SharedRace);
    }
  }
}

TEST_F(Check, ACopyUnderWaySaysThatItWasNotWaitedFor) {
  const auto found = [&](const std::string& body, const simt::Schedule& schedule) {
    return sentences(
        check_source(std::string(kAsm) +
                         "extern \"C\" __global__ void kernel(const float* in, float* out) {\n"
                         "  __shared__ float s[64];\n  int t = threadIdx.x;\n" +
                         body + "}\n",
                     {{"in", 64}, {"out", 64}}, {64, 1, 1}, {1, 1, 1}, schedule));
  };
  const std::string copy =
      "  asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4;\" :: \"r\"(address_of(s + t)), "
      "\"l\"(in + t) : \"memory\");\n";
  const std::string commit = "  asm volatile(\"cp.async.commit_group;\" ::: \"memory\");\n";
  const std::string wait = "  wait_for_copies();\n";
  const std::string barrier = "  __syncthreads();\n";
  const std::string read = "  out[t] = s[63 - t];\n";
  const auto not_waited_for = testing::ElementsAre(testing::AllOf(
      testing::ContainsRegex(
          "the asynchronous copy \\(cp.async\\) that thread .. started at line 23 may still be in "
          "flight: no thread has waited for it, and __syncthreads\\(\\) does not"),
      testing::HasSubstr("cp.async.wait_group (__pipeline_wait_prior)")));
  for (const simt::Schedule& schedule : kSchedules) {
    EXPECT_THAT(found(copy + barrier + read, schedule), not_waited_for);
    // A barrier between the two, and one before the wait.
    EXPECT_THAT(found(copy + barrier + read + barrier + wait, schedule), not_waited_for);
    // The last group may stay under way, and it is the only one.
    EXPECT_THAT(
        found(copy + commit + "  asm volatile(\"cp.async.wait_group 1;\" ::: \"memory\");\n" +
                  barrier + read + barrier,
              schedule),
        not_waited_for);
    EXPECT_THAT(found(copy + "  out[t] = s[t];\n", schedule),
                testing::ElementsAre(
                    testing::HasSubstr("Thread 0 of block 0 reads s[0] at line 24 while the "
                                       "asynchronous copy (cp.async) that it started at line 23")));
    // Here the barrier is missing.
    EXPECT_THAT(found(copy + wait + read, schedule),
                testing::ElementsAre(testing::HasSubstr(
                    "no barrier orders the two. Put __syncthreads() between them, after the wait "
                    "for the copy (cp.async.wait_group, __pipeline_wait_prior).")));
    EXPECT_THAT(found(copy + wait + barrier + read, schedule), testing::IsEmpty());
  }
}

TEST_F(Check, NamesLanesThatAnExchangeWaitsForInVain) {
  const CheckResult result = check_source(
      "extern \"C\" __global__ void kernel(float* out) {\n"
      "  float v = threadIdx.x;\n"
      "  if (threadIdx.x < 16) { v += __shfl_down_sync(0xffffffff, v, 8); }\n"
      "  __syncthreads();\n"
      "  out[threadIdx.x] = v;\n"
      "}\n",
      {{"out", 32}});
  ASSERT_EQ(result.findings.size(), 1U);
  EXPECT_EQ(result.findings[0].kind, FindingKind::DivergentBarrier);
  EXPECT_THAT(result.findings[0].sentence, testing::HasSubstr("line 3"));
  EXPECT_THAT(result.findings[0].sentence, testing::HasSubstr("shfl.sync.down.b32"));
  EXPECT_EQ(result.findings[0].parties.at(0).access, std::nullopt);
}

// The waiter is first under these schedules: whether the barrier is the whole block's is known
// late.
TEST_F(Check, ABarrierThatOneWarpOnlyArrivesAtOrdersWhatItStored) {
  const std::string source = R"(extern "C" __global__ void kernel(int* out) {
  __shared__ int s[32];
  int t = threadIdx.x;
  if (t < 32) {
    s[t] = t;
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    out[t - 32] = s[63 - t];
  }
})";
  for (const simt::Schedule& schedule : {simt::Schedule{simt::ScheduleKind::Lockstep},
                                         simt::Schedule{simt::ScheduleKind::Sequential},
                                         simt::Schedule{simt::ScheduleKind::RunAhead, 1}}) {
    EXPECT_THAT(sentences(check_source(source, {{"out", 32}}, {64, 1, 1}, {1, 1, 1}, schedule)),
                testing::IsEmpty());
  }
}

}  // namespace
}  // namespace tilestep::insight
