// cp.async, mbarrier and the heap.
#include "own_kernels.h"
#include "schedules.h"

#include <gtest/gtest.h>

#include <numeric>

namespace tilestep::simt {
namespace {

constexpr const char* kAsm = R"(
#define COPY(to, from, bytes, given) \
  asm volatile("cp.async.ca.shared.global [%0], [%1], " #bytes ", %2;" \
               :: "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from), "r"(given) : "memory")
#define COMMIT() asm volatile("cp.async.commit_group;" ::: "memory")
#define WAIT(n) asm volatile("cp.async.wait_group " #n ";" ::: "memory")
#define WAIT_ALL() asm volatile("cp.async.wait_all;" ::: "memory")
__device__ unsigned address_of(void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void init(unsigned long long* b, int count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(address_of(b)), "r"(count) : "memory");
}
__device__ unsigned long long arrive(unsigned long long* b) {
  unsigned long long state;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(address_of(b)) : "memory");
  return state;
}
__device__ bool is_over(unsigned long long* b, unsigned long long state) {
  unsigned over;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
               : "=r"(over) : "r"(address_of(b)), "l"(state) : "memory");
  return over != 0;
}
__device__ bool parity_is_over(unsigned long long* b, int parity) {
  unsigned over;
  asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
               : "=r"(over) : "r"(address_of(b)), "r"(parity) : "memory");
  return over != 0;
}
)";

struct AsyncResult {
  std::vector<std::int32_t> out;
  Log log;
};

// kernel(int* in, int* out): in[k] = k + 1.
std::vector<AsyncResult> results_of(const std::string& body, int threads, int words = 64) {
  test::OwnKernel kernel;
  kernel.source = std::string(kAsm) +
                  "extern \"C\" __global__ void kernel(int* in, int* out) {\n"
                  "  int t = threadIdx.x;\n" +
                  body + "\n}";
  kernel.block.x = static_cast<std::uint32_t>(threads);
  kernel.buffers = {{"in", words}, {"out", words}};
  problem::Launch launch = test::launch_of(kernel);
  std::vector<std::int32_t> values(static_cast<std::size_t>(words));
  std::iota(values.begin(), values.end(), 1);
  launch.buffers[0].contents = bytes_of(values);
  test::Simulated simulated;
  std::vector<AsyncResult> results;
  for (const auto build : {compile::Build::Step, compile::Build::Fast}) {
    const auto program = simulated.program(launch, build);
    for (const Schedule& schedule : kSchedules) {
      AsyncResult result;
      result.out = contents(run_to_the_end(program, schedule, &result.log), 1);
      results.push_back(std::move(result));
    }
  }
  return results;
}

TEST(AsyncCopies, ArriveWhereTheirThreadWaits) {
  const auto results = results_of(R"(
  __shared__ int s[64];
  s[t] = -1;
  COPY(s + t, in + t, 4, 4);
  out[t] = s[t];
  WAIT_ALL();
  out[32 + t] = s[t];
)",
                                  32);
  for (const AsyncResult& result : results) {
    EXPECT_TRUE(result.log.faults.empty());
    EXPECT_EQ(result.out[5], -1) << "not waited for";
    EXPECT_EQ(result.out[32 + 5], 6);
  }
}

TEST(AsyncCopies, OfEarlierGroupsArriveFirst) {
  const auto results = results_of(R"(
  __shared__ int s[96];
  s[t] = s[32 + t] = s[64 + t] = 0;
  COPY(s + t, in + t, 4, 4);
  COMMIT();
  COPY(s + 32 + t, in + t, 4, 4);
  COMMIT();
  COPY(s + 64 + t, in + t, 4, 4);
  WAIT(1);
  out[t] = s[t] + 100 * s[32 + t];
  WAIT(0);
  out[32 + t] = s[32 + t] + 100 * s[64 + t];
)",
                                  32);
  for (const AsyncResult& result : results) {
    EXPECT_EQ(result.out[9], 10);
    EXPECT_EQ(result.out[32 + 9], 10) << "the third was never committed";
  }
}

TEST(AsyncCopies, FillUpWithZeros) {
  const auto results = results_of(R"(
  __shared__ __align__(16) int s[64];
  for (int k = 0; k < 4; ++k) { s[4 * t + k] = -1; }
  COPY(s + 4 * t, in + 4 * t, 16, 4 * t);
  WAIT_ALL();
  for (int k = 0; k < 4; ++k) { out[4 * t + k] = s[4 * t + k]; }
)",
                                  4);
  for (const AsyncResult& result : results) {
    EXPECT_TRUE(result.log.faults.empty());
    const std::vector<std::int32_t> wanted{0, 0, 0, 0, 5, 0, 0, 0, 9, 10, 0, 0, 13, 14, 15, 0};
    EXPECT_EQ(std::vector(result.out.begin(), result.out.begin() + 16), wanted);
  }
}

TEST(AsyncCopies, AreToldWhenIssuedAndWhenTheyArrive) {
  const auto results = results_of(R"(
  __shared__ int s[32];
  COPY(s + t, in + t, 4, t < 8 ? 4 : 0);
  WAIT_ALL();
  out[t] = s[t];
)",
                                  32);
  for (const AsyncResult& result : results) {
    const auto& accesses = result.log.accesses;
    const auto first = std::find_if(accesses.begin(), accesses.end(),
                                    [](const MemoryEvent& event) { return event.is_issue; });
    ASSERT_NE(first, accesses.end());
    EXPECT_EQ(std::prev(first)->kind, AccessKind::Load);
    EXPECT_EQ(std::prev(first)->mask, 0xffU);
    EXPECT_EQ(std::prev(first)->space, ptx::Space::Global);
    EXPECT_EQ(first->kind, AccessKind::Store);
    EXPECT_EQ(first->space, ptx::Space::Shared);
    EXPECT_EQ(first->mask, ~0U);
    EXPECT_TRUE(std::next(first)->is_arrival);
    EXPECT_EQ(std::next(first)->addresses, first->addresses);
  }
}

TEST(AsyncCopies, OutOfRangeAreReported) {
  const auto results = results_of(R"(
  __shared__ int s[32];
  s[t] = -1;
  COPY(s + t, in + 40 + t, 4, 4);
  WAIT_ALL();
  out[t] = s[t];
)",
                                  32);
  for (const AsyncResult& result : results) {
    ASSERT_EQ(result.log.faults.size(), 1U);
    EXPECT_EQ(result.log.faults[0].kind, FaultKind::OutOfRange);
    EXPECT_EQ(result.log.faults[0].mask, 0xff000000U);
    EXPECT_EQ(result.out[3], 44);
    EXPECT_EQ(result.out[30], -1);
  }
}

TEST(MemoryBarriers, LetWarpsMeet) {
  const auto results = results_of(R"(
  __shared__ unsigned long long b;
  __shared__ int s[64];
  if (t == 0) { init(&b, 64); }
  __syncthreads();
  for (int round = 0; round < 3; ++round) {
    s[t] = in[t] * (round + 1);
    unsigned long long state = arrive(&b);
    while (!is_over(&b, state)) {}
    out[t] = s[63 - t] + (round > 0 ? out[t] : 0);
    state = arrive(&b);
    while (!is_over(&b, state)) {}
  }
)",
                                  64);
  for (const AsyncResult& result : results) {
    EXPECT_TRUE(result.log.faults.empty());
    EXPECT_EQ(result.out[10], (64 - 10) * 6);
  }
}

// Warp 0 produces, warp 1 consumes; the parity distinguishes the phases.
TEST(MemoryBarriers, ArePassedFromProducerToConsumer) {
  const auto results = results_of(R"(
  __shared__ unsigned long long full, empty;
  __shared__ int s[32];
  if (t == 0) { init(&full, 32); init(&empty, 32); }
  __syncthreads();
  int sum = 0;
  for (int round = 0; round < 4; ++round) {
    if (t < 32) {
      while (!parity_is_over(&empty, (round & 1) ^ 1)) {}
      s[t] = in[t] + 1000 * round;
      arrive(&full);
    } else {
      while (!parity_is_over(&full, round & 1)) {}
      sum += s[63 - t];
      arrive(&empty);
    }
  }
  out[t] = sum;
)",
                                  64);
  for (const AsyncResult& result : results) {
    EXPECT_TRUE(result.log.faults.empty());
    EXPECT_EQ(result.out[40], 4 * 24 + 6000);
  }
}

TEST(MemoryBarriers, CountBytesOfTransactionsToo) {
  const auto results = results_of(R"(
  __shared__ unsigned long long b;
  if (t == 0) {
    init(&b, 1);
    unsigned long long state;
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 %0, [%1], 48;" : "=l"(state) : "r"(address_of(&b)) : "memory");
    out[0] = is_over(&b, state);
    asm volatile("mbarrier.complete_tx.shared.b64 [%0], 16;" :: "r"(address_of(&b)) : "memory");
    out[1] = is_over(&b, state);
    asm volatile("mbarrier.complete_tx.shared.b64 [%0], 32;" :: "r"(address_of(&b)) : "memory");
    out[2] = is_over(&b, state);
    unsigned pending;
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(state));
    out[3] = pending;
  }
)",
                                  1);
  for (const AsyncResult& result : results) {
    EXPECT_EQ(std::vector(result.out.begin(), result.out.begin() + 4),
              (std::vector<std::int32_t>{0, 0, 1, 1}));
  }
}

TEST(MemoryBarriers, TakeArrivalsOfCopies) {
  const auto results = results_of(R"(
  __shared__ unsigned long long b;
  __shared__ int s[64];
  if (t == 0) { init(&b, 64); }
  __syncthreads();
  COPY(s + t, in + t, 4, 4);
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" :: "r"(address_of(&b)) : "memory");
  while (!parity_is_over(&b, 0)) {}
  out[t] = s[63 - t];
)",
                                  64);
  for (const AsyncResult& result : results) {
    EXPECT_TRUE(result.log.faults.empty());
    EXPECT_EQ(result.out[10], 54);
  }
}

TEST(Heap, GivesPiecesAndTakesThemBack) {
  const auto results = results_of(R"(
  int* mine = (int*)malloc(sizeof(int) * (t + 1));
  for (int k = 0; k <= t; ++k) { mine[k] = 100 * t + k; }
  int sum = 0;
  for (int k = 0; k <= t; ++k) { sum += mine[k]; }
  free(mine);
  void* too_much = malloc(64 << 20);
  out[t] = sum + (too_much == nullptr ? 0 : 1000000);
)",
                                  40);
  for (const AsyncResult& result : results) {
    EXPECT_TRUE(result.log.faults.empty());
    for (int t = 0; t < 40; ++t) {
      EXPECT_EQ(result.out[static_cast<std::size_t>(t)], (t + 1) * 100 * t + t * (t + 1) / 2);
    }
  }
}

TEST(Heap, ReportsWhatWasNeverGiven) {
  for (const AsyncResult& result : results_of("if (t == 3) { free(in); } out[t] = 1;", 8)) {
    ASSERT_EQ(result.log.faults.size(), 1U);
    EXPECT_EQ(result.log.faults[0].kind, FaultKind::Trap);
  }
}

TEST(Heap, IsPartOfTheState) {
  test::OwnKernel kernel;
  kernel.source =
      "extern \"C\" __global__ void kernel(int* out) {\n"
      "  int* p = (int*)malloc(64); p[3] = threadIdx.x; out[threadIdx.x] = p[3]; }";
  kernel.buffers = {{"out", 32}};
  test::Simulated simulated;
  const auto program = simulated.program(test::launch_of(kernel));
  Machine machine(program);
  Scheduler scheduler(*program, {ScheduleKind::Sequential});
  for (;;) {
    const Machine before(machine);
    if (!scheduler.step(machine, nullptr)) {
      break;
    }
    ASSERT_FALSE(before == machine);
  }
  const Machine copy(machine);
  EXPECT_TRUE(copy == machine);
  EXPECT_EQ(contents(copy)[31], 31);
}

}  // namespace
}  // namespace tilestep::simt
