// Diverged lanes of a warp wait for each other if the program makes them, and for nobody else:
// locks and flags between lanes, warp-wide exchanges from different branches, barriers.
#include "own_kernels.h"
#include "schedules.h"

#include <gtest/gtest.h>

#include <numeric>

namespace tilestep::simt {
namespace {

struct OrderCase {
  std::string body;  // of a kernel(int* out), with t = threadIdx.x
  int threads = 32;
  int blocks = 1;
  std::string before = {};  // functions and variables
  int warp_size = kWarpSize;
};

// Under every schedule, in both builds.
template <class F>
void for_each_run(const OrderCase& run, F&& check) {
  const test::OwnKernel kernel =
      own_kernel({run.body, run.blocks, run.threads, run.threads * run.blocks, run.before});
  test::Simulated simulated;
  for (const auto build : {compile::Build::Step, compile::Build::Fast}) {
    const auto program = simulated.program(test::launch_of(kernel), build, run.warp_size);
    for (const Schedule& schedule : kSchedules) {
      SCOPED_TRACE(testing::Message() << "schedule " << static_cast<int>(schedule.kind) << " build "
                                      << static_cast<int>(build));
      Log log;
      Machine machine(program);
      Scheduler scheduler(*program, schedule);
      constexpr std::uint64_t kMost = 20'000'000;
      std::uint64_t steps = 0;
      while (steps < kMost && scheduler.step(machine, &log)) {
        ++steps;
      }
      ASSERT_TRUE(machine.done()) << "stands still";
      check(contents(machine), log);
      Machine at_once(program);
      Scheduler other(*program, schedule);
      EXPECT_EQ(run_to_end(at_once, other, nullptr), steps);
      EXPECT_TRUE(at_once == machine);
    }
  }
}

void expect_total(const OrderCase& run, int total) {
  for_each_run(run, [&](const std::vector<std::int32_t>& out, const Log& log) {
    EXPECT_TRUE(log.faults.empty());
    EXPECT_EQ(out[0], total);
  });
}

// The lane with the lock releases it after the loop, at the place where it would meet the others.
TEST(Locks, BetweenLanesOfOneWarpAreGivenBack) {
  expect_total({R"(
  while (atomicCAS(&lock, 0, 1) != 0) {}
  int value = *(volatile int*)&total;
  *(volatile int*)&total = value + 1;
  __threadfence();
  atomicExch(&lock, 0);
  __syncthreads();
  if (t == 0) { out[0] = *(volatile int*)&total; }
)",
                40, 1, "__device__ int lock; __device__ int total;\n"},
               40);
}

TEST(Locks, AreTakenAndGivenBackInFunctions) {
  expect_total({R"(
  for (int round = 0; round < 3; ++round) {
    acquire(&lock);
    total = total + 1;
    release(&lock);
  }
  __syncthreads();
  if (t == 0) { out[0] = total; }
)",
                8, 1, R"(
__device__ int lock;
__device__ volatile int total;
__device__ __noinline__ void acquire(int* lock) { while (atomicExch(lock, 1) != 0) {} }
__device__ __noinline__ void release(int* lock) { __threadfence(); atomicExch(lock, 0); }
)"},
               24);
}

TEST(Locks, LetBlocksWaitForEachOther) {
  expect_total({R"(
  if (t == 0) {
    while (atomicCAS(&lock, 0, 1) != 0) { __nanosleep(100); }
    total = total + 1;
    __threadfence();
    atomicExch(&lock, 0);
    while (total != 3) {}
    out[blockIdx.x] = total;
  }
)",
                1, 3, "__device__ int lock; __device__ volatile int total;\n"},
               3);
}

TEST(Flags, OfALaterLaneAreSeen) {
  const OrderCase run{R"(
  __shared__ volatile int flag;
  if (t == 0) { flag = 0; }
  __syncwarp();
  if (t < 16) {
    while (flag == 0) {}
    out[t] = 1 + flag;
  } else {
    if (t == 20) { flag = 6; }
    out[t] = 2;
  }
)"};
  for_each_run(run, [](const std::vector<std::int32_t>& out, const Log&) {
    EXPECT_EQ(out[3], 7);
    EXPECT_EQ(out[30], 2);
  });
}

TEST(Flags, OfALaterWarpAreSeen) {
  const OrderCase run{R"(
  __shared__ volatile int flag;
  flag = 0;
  __syncthreads();
  if (t < 32) {
    while (flag == 0) {}
  } else {
    flag = 5;
  }
  out[t] = flag;
)",
                      64};
  for_each_run(run, [](const std::vector<std::int32_t>& out, const Log&) {
    EXPECT_EQ(out[0], 5);
    EXPECT_EQ(out[63], 5);
  });
}

// NVIDIA's example for __syncwarp: lanes run through different branches and meet in them.
TEST(Syncwarp, MeetsFromDifferentBranches) {
  const OrderCase run{R"(
  __shared__ int s[32];
  if (t < 12) {
    s[t] = t + 1;
    __syncwarp();
    out[t] = s[31 - t];
  } else {
    s[t] = 100 + t;
    __syncwarp();
    out[t] = s[31 - t];
  }
)"};
  for_each_run(run, [](const std::vector<std::int32_t>& out, const Log& log) {
    EXPECT_TRUE(log.faults.empty());
    for (int t = 0; t < 32; ++t) {
      const int from = 31 - t;
      EXPECT_EQ(out[static_cast<std::size_t>(t)], from < 12 ? from + 1 : 100 + from) << t;
    }
    const auto syncs =
        std::count_if(log.barriers.begin(), log.barriers.end(), [](const BarrierEvent& event) {
          return event.action == BarrierAction::WarpSync && event.mask == ~0U;
        });
    EXPECT_EQ(syncs, 1);
  });
}

TEST(Syncwarp, OfSomeLanesDoesNotWaitForTheOthers) {
  const OrderCase run{R"(
  __shared__ int s[32];
  if (t < 8) {
    s[t] = t;
    __syncwarp(0xff);
    out[t] = s[7 - t];
  } else {
    out[t] = -1;
  }
)"};
  for_each_run(run, [](const std::vector<std::int32_t>& out, const Log& log) {
    EXPECT_TRUE(log.faults.empty());
    EXPECT_EQ(out[2], 5);
    EXPECT_EQ(out[20], -1);
  });
}

TEST(Exchanges, BringTogetherLanesOfDifferentBranches) {
  const OrderCase run{R"(
  int value;
  if (t % 3 == 0) {
    value = __shfl_sync(0xffffffff, 10 * t, 5);
  } else {
    value = __shfl_sync(0xffffffff, 1000 + t, (t + 1) % 32);
  }
  out[t] = value + 100000 * __popc(__ballot_sync(0xffffffff, t < 9));
)"};
  for_each_run(run, [](const std::vector<std::int32_t>& out, const Log& log) {
    EXPECT_TRUE(log.faults.empty());
    const auto given = [](int t) { return t % 3 == 0 ? 10 * t : 1000 + t; };
    for (int t = 0; t < 32; ++t) {
      const int from = t % 3 == 0 ? 5 : (t + 1) % 32;
      EXPECT_EQ(out[static_cast<std::size_t>(t)], given(from) + 900000) << t;
    }
  });
}

TEST(Exchanges, OfLanesThatNeverComeAreReported) {
  const OrderCase run{
      "  int v = t; if (t < 16) { v += __shfl_down_sync(0xffffffff, v, 8); } out[t] = v;"};
  for_each_run(run, [](const std::vector<std::int32_t>& out, const Log&) {
    EXPECT_EQ(out[3], 3 + 11);
    EXPECT_EQ(out[20], 20);
  });
  // The others wait at the end of the branch for lanes that should exit but do not.
  const OrderCase waits{R"(
  int v = t;
  if (t < 16) { v += __shfl_down_sync(0xffffffff, v, 8); }
  __syncthreads();
  out[t] = v;
)"};
  for_each_run(waits, [](const std::vector<std::int32_t>& out, const Log& log) {
    ASSERT_FALSE(log.faults.empty());
    EXPECT_EQ(log.faults[0].kind, FaultKind::DivergentBarrier);
    EXPECT_NE(log.faults[0].detail.find("shfl"), std::string::npos);
    EXPECT_EQ(log.faults[0].mask, 0xffffU);
    EXPECT_EQ(out[20], 20);
  });
}

TEST(Barriers, WaitForLanesThatComeLater) {
  const OrderCase run{R"(
  __shared__ int s[64];
  if (t % 2 == 0) {
    s[t] = t;
  } else {
    s[t] = 7;
    if (t == 33) { return; }
  }
  __syncthreads();
  out[t] = s[63 - t];
)",
                      64};
  for_each_run(run, [](const std::vector<std::int32_t>& out, const Log& log) {
    EXPECT_TRUE(log.faults.empty());
    EXPECT_EQ(out[1], 62);
    EXPECT_EQ(out[30], 7);
    EXPECT_EQ(out[33], 0);
  });
}

// barrier.sync without .aligned, as in cooperative groups, counts single lanes.
TEST(Barriers, ThatAreNotAlignedMayBeReachedFromDifferentBranches) {
  const OrderCase run{R"(
  __shared__ int s[64];
  s[t] = t;
  if (t < 40) {
    asm volatile("barrier.sync 0;" ::: "memory");
    out[t] = s[63 - t];
  } else {
    asm volatile("barrier.sync 0;" ::: "memory");
    out[t] = -s[63 - t];
  }
)",
                      64};
  for_each_run(run, [](const std::vector<std::int32_t>& out, const Log& log) {
    EXPECT_TRUE(log.faults.empty());
    EXPECT_EQ(out[2], 61);
    EXPECT_EQ(out[41], -22);
  });
}

// Waiting forever cannot be proven, but if all remaining warps only poll, they do.
TEST(Flags, ThatNobodySetsAreADeadlock) {
  for (const Schedule& schedule : kSchedules) {
    test::OwnKernel kernel;
    kernel.source = R"(extern "C" __global__ void kernel(int* out) {
  __shared__ volatile int flag;
  int t = threadIdx.x;
  flag = 0;
  __syncthreads();
  if (t >= 32) { while (flag == 0) {} }
  out[t] = 1;
})";
    kernel.grid.x = 2;
    kernel.block.x = 64;
    kernel.buffers = {{"out", 64}};
    test::Simulated simulated;
    Log log;
    const Machine machine =
        run_to_the_end(simulated.program(test::launch_of(kernel)), schedule, &log);
    EXPECT_TRUE(machine.done());
    ASSERT_EQ(log.faults.size(), 2U) << "one of each block";
    EXPECT_EQ(log.faults[0].kind, FaultKind::BarrierDeadlock);
    EXPECT_NE(log.faults[0].detail.find("waits for a value"), std::string::npos);
    EXPECT_EQ(contents(machine)[0], 1);
    EXPECT_EQ(contents(machine)[40], 0);
    EXPECT_LT(log.accesses.size(), 5000U) << "a circle is seen after a few rounds";
  }
}

// A loop that counts its attempts changes its state, and may give up.
TEST(Flags, MayBeWaitedForWithATimeLimit) {
  const OrderCase run{R"(
  __shared__ volatile int flag;
  flag = 0;
  __syncthreads();
  int tries = 0;
  while (flag == 0 && tries < 3000) { ++tries; }
  out[t] = tries;
)",
                      64};
  for_each_run(run, [](const std::vector<std::int32_t>& out, const Log& log) {
    EXPECT_TRUE(log.faults.empty());
    EXPECT_EQ(out[63], 3000);
  });
}

// A long loop over equal values reads, it does not wait.
TEST(Flags, AreNotWhatALoopThroughAnArrayReads) {
  const OrderCase run{R"(
  volatile int* all = zeros;
  int sum = 0;
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 4096; ++i) { sum += all[i]; }
  }
  out[t] = sum;
)",
                      1, 1, "__device__ int zeros[4096];\n"};
  for_each_run(run, [](const std::vector<std::int32_t>& out, const Log& log) {
    EXPECT_TRUE(log.faults.empty());
    EXPECT_EQ(out[0], 0);
  });
}

TEST(Barriers, OfBothBranchesReduceOverAllLanes) {
  const OrderCase run{R"(
  int count = 0;
  if (t % 4 == 0) { count = __syncthreads_count(t < 20); } else { count = __syncthreads_count(t < 20); }
  out[t] = count;
)",
                      32};
  for_each_run(run, [](const std::vector<std::int32_t>& out, const Log&) {
    EXPECT_EQ(out[0], 20);
    EXPECT_EQ(out[1], 20);
  });
}

// Parts of a warp in calls of different depth, each with its own frame and local memory.
TEST(Calls, OfPartedLanesKeepTheirFramesApart) {
  const OrderCase run{R"(
  __shared__ volatile int turn;
  turn = 0;
  __syncwarp();
  out[t] = t < 10 ? wait_for(&turn, 2, t) : pass_on(&turn, t);
)",
                      32, 1, R"(
__device__ __noinline__ int deep(volatile int* turn, int wanted, int t) {
  int room[4];
  for (int i = 0; i < 4; ++i) { room[(i + t) & 3] = t * 10 + i; }
  while (*turn < wanted) {}
  return room[t & 3] + room[(t + 3) & 3];
}
__device__ __noinline__ int wait_for(volatile int* turn, int wanted, int t) {
  int kept[2] = {t, wanted};
  int result = deep(turn, wanted, t);
  return result + kept[t & 1];
}
__device__ __noinline__ int pass_on(volatile int* turn, int t) {
  if (t == 10) { *turn = 1; }
  int result = deep(turn, 1, t);
  if (t == 31) { *turn = 2; }
  return -result;
}
)"};
  for_each_run(run, [](const std::vector<std::int32_t>& out, const Log& log) {
    EXPECT_TRUE(log.faults.empty());
    for (int t = 0; t < 32; ++t) {
      const int deep = t * 10 + t * 10 + 3;
      const int wanted = t < 10 ? deep + (t % 2 == 0 ? t : 2) : -deep;
      EXPECT_EQ(out[static_cast<std::size_t>(t)], wanted) << t;
    }
  });
}

TEST(Calls, OfTeachingWarpsWaitForEachOtherToo) {
  OrderCase run{R"(
  while (atomicCAS(&lock, 0, 1) != 0) {}
  total = total + t;
  __threadfence();
  atomicExch(&lock, 0);
  __syncthreads();
  if (t == 0) { out[0] = total; }
)",
                16, 1, "__device__ int lock; __device__ volatile int total;\n"};
  run.warp_size = 4;
  expect_total(run, 120);
}

}  // namespace
}  // namespace tilestep::simt
