// The order of moves, and the ends of statements.
#include "matrix_kernels.h"
#include "own_kernels.h"
#include "simt/state/machine_state.h"

#include <gtest/gtest.h>

#include <set>

namespace tilestep::simt {
namespace {

class Schedules : public testing::Test {
 protected:
  MatrixKernels kernels_;
  test::Simulated simulated_;

  [[nodiscard]] std::shared_ptr<const Program> own(const std::string& source, int threads,
                                                   int blocks = 1,
                                                   compile::Build build = compile::Build::Step) {
    test::OwnKernel kernel;
    kernel.source = source;
    kernel.grid.x = static_cast<std::uint32_t>(blocks);
    kernel.block.x = static_cast<std::uint32_t>(threads);
    kernel.buffers = {{"out", threads * blocks}};
    return simulated_.program(test::launch_of(kernel), build);
  }
};

[[nodiscard]] std::uint32_t line_of(const Machine& machine, WarpId id) {
  const WarpView view = machine.warp(id);
  return ptx::statement_line(machine.program().module().functions[view.function], view.pc);
}

// Lines of one warp's statements, in order.
[[nodiscard]] std::vector<std::uint32_t> statements(const std::shared_ptr<const Program>& program) {
  Machine machine(program);
  Scheduler scheduler(*program, {ScheduleKind::Sequential});
  std::vector<std::uint32_t> lines;
  bool starts = true;
  while (!machine.done()) {
    if (starts) {
      lines.push_back(line_of(machine, {0, 0}));
    }
    scheduler.step(machine, nullptr);
    starts = scheduler.at_statement_end();
  }
  return lines;
}

TEST_F(Schedules, StatementsFollowTheSourceLines) {
  const auto program = own(R"(extern "C" __global__ void kernel(int* out) {
  int t = threadIdx.x;
  int sum = 0;
  for (int i = 0; i < 2; ++i) {
    sum += i * t;
  }
  out[t] = sum;
})",
                           4);
  EXPECT_EQ(statements(program), (std::vector<std::uint32_t>{1, 2, 3, 4, 5, 4, 5, 4, 7, 8}));
}

TEST_F(Schedules, ALoopOnOneLineStopsAtEveryRound) {
  const auto program = own(R"(extern "C" __global__ void kernel(int* out) {
  int sum = 0;
  for (int i = 0; i < 3; ++i) sum += i;
  out[0] = sum;
})",
                           1);
  EXPECT_EQ(statements(program), (std::vector<std::uint32_t>{1, 2, 3, 3, 3, 3, 4, 5}));
}

TEST_F(Schedules, StatementsEnterFunctionsThatHaveLinesAndStepOverOthers) {
  const auto program = own(R"(__device__ __noinline__ int twice(int x) {
  int y = x + x;
  return y;
}
extern "C" __global__ void kernel(int* out) {
  int a = twice(threadIdx.x) + 1;
  int b = min(a, 3);
  out[threadIdx.x] = b + __popc(a);
})",
                           4);
  const auto lines = statements(program);
  EXPECT_EQ(lines, (std::vector<std::uint32_t>{5, 6, 1, 2, 3, 6, 7, 8, 9}));
}

TEST_F(Schedules, ABarrierEndsItsStatement) {
  const auto program = own(R"(extern "C" __global__ void kernel(int* out) {
  __syncthreads(); out[0] = 1;
})",
                           4);
  EXPECT_EQ(statements(program), (std::vector<std::uint32_t>{1, 2, 2, 3}));
}

TEST_F(Schedules, LockstepRoundsTakeEveryReadyWarpThroughOneStatement) {
  const auto program = kernels_.program("tiled", {16, 16, 16}, 8, compile::Build::Step);
  Machine machine(program);
  Scheduler scheduler(*program, {ScheduleKind::Lockstep});
  while (!machine.done()) {
    std::vector<std::uint32_t> lines;
    for (std::uint32_t block = 0; block < 4; ++block) {
      for (std::uint32_t warp = 0; warp < 2; ++warp) {
        lines.push_back(machine.warp({block, warp}).status == WarpStatus::Ready
                            ? line_of(machine, {block, warp})
                            : 0);
      }
    }
    // All warps of this kernel do the same, so they are at the same line.
    ASSERT_EQ(std::set<std::uint32_t>(lines.begin(), lines.end()).size(), 1U);
    do {
      ASSERT_TRUE(scheduler.step(machine, nullptr));
    } while (!scheduler.at_statement_end());
  }
  EXPECT_FALSE(scheduler.step(machine, nullptr));
  EXPECT_EQ(wrong_elements(machine), 0U);
}

TEST_F(Schedules, LockstepTakesTurnsInstructionByInstruction) {
  const auto program =
      own("extern \"C\" __global__ void kernel(int* out) { out[threadIdx.x] = 1; }", 96, 2);
  Machine machine(program);
  Scheduler scheduler(*program, {ScheduleKind::Lockstep});
  for (int turn = 0; turn < 2; ++turn) {
    for (std::uint32_t block = 0; block < 2; ++block) {
      for (std::uint32_t warp = 0; warp < 3; ++warp) {
        scheduler.step(machine, nullptr);
        EXPECT_EQ(scheduler.last(), (WarpId{block, warp}));
      }
    }
  }
}

TEST_F(Schedules, SequentialGoesBlockByBlockAndWarpByWarpBetweenBarriers) {
  const auto program = own(
      "extern \"C\" __global__ void kernel(int* out) { __syncthreads(); out[threadIdx.x] = 1; }",
      96, 2);
  Machine machine(program);
  Scheduler scheduler(*program, {ScheduleKind::Sequential});
  std::vector<WarpId> order;
  while (scheduler.step(machine, nullptr)) {
    if (order.empty() || !(order.back() == scheduler.last())) {
      order.push_back(scheduler.last());
    }
  }
  std::vector<WarpId> wanted;
  for (std::uint32_t block = 0; block < 2; ++block) {
    for (int phase = 0; phase < 2; ++phase) {
      for (std::uint32_t warp = 0; warp < 3; ++warp) {
        wanted.push_back({block, warp});
      }
    }
  }
  EXPECT_EQ(order, wanted);
}

TEST_F(Schedules, RunAheadLetsItsWarpGoAsFarAsBarriersAllow) {
  const auto program = own(
      "extern \"C\" __global__ void kernel(int* out) { __syncthreads(); out[threadIdx.x] = 1; }",
      96);
  Machine machine(program);
  Scheduler scheduler(*program, {ScheduleKind::RunAhead, 1});
  std::vector<std::uint32_t> order;
  while (scheduler.step(machine, nullptr)) {
    if (order.empty() || order.back() != scheduler.last().warp) {
      order.push_back(scheduler.last().warp);
    }
  }
  EXPECT_EQ(order, (std::vector<std::uint32_t>{1, 0, 2, 1, 0, 2}));
}

TEST_F(Schedules, RandomDependsOnItsSeedAlone) {
  const auto program = kernels_.program("tiled", {12, 12, 12}, 4, compile::Build::Step);
  const auto order = [&](std::uint32_t seed) {
    Machine machine(program);
    Scheduler scheduler(*program, {ScheduleKind::Random, 0, seed});
    std::vector<std::uint32_t> blocks;
    while (scheduler.step(machine, nullptr)) {
      blocks.push_back(scheduler.last().block);
    }
    EXPECT_EQ(wrong_elements(machine), 0U);
    return blocks;
  };
  EXPECT_EQ(order(1), order(1));
  EXPECT_NE(order(1), order(2));
}

TEST_F(Schedules, RunningToTheEndTakesTheSameStepsAsStepping) {
  for (const auto kind : {ScheduleKind::Lockstep, ScheduleKind::Sequential, ScheduleKind::RunAhead,
                          ScheduleKind::Random}) {
    // The broken kernel: its result depends on the order.
    const auto program =
        kernels_.program("tiled_missing_barrier", {20, 20, 20}, 16, compile::Build::Step);
    Machine stepped(program);
    Scheduler one(*program, {kind, 3, 9});
    std::uint64_t steps = 0;
    while (one.step(stepped, nullptr)) {
      ++steps;
    }
    Machine run(program);
    Scheduler other(*program, {kind, 3, 9});
    EXPECT_EQ(run_to_end(run, other, nullptr), steps);
    EXPECT_TRUE(run == stepped) << static_cast<int>(kind);
  }
}

TEST_F(Schedules, RunningToTheEndAsksWhetherToStop) {
  const auto program = kernels_.program("tiled", {64, 64, 64}, 16, compile::Build::Step);
  for (const auto kind : {ScheduleKind::Sequential, ScheduleKind::Random}) {
    Machine machine(program);
    Scheduler scheduler(*program, {kind});
    int asked = 0;
    const auto stop = [](void* count) { return ++*static_cast<int*>(count) == 2; };
    run_to_end(machine, scheduler, nullptr, stop, &asked);
    EXPECT_EQ(asked, 2);
    EXPECT_FALSE(machine.done());
  }
}

TEST_F(Schedules, WatchingStepsChangesNothing) {
  struct Watcher : Observer {
    std::uint64_t before = 0;
    std::uint64_t after = 0;
    [[nodiscard]] bool wants_steps() const override { return true; }
    void before_step(const StepInfo& step) override {
      ++before;
      EXPECT_NE(step.active, 0U);
      EXPECT_EQ(step.mask & ~step.active, 0U);
    }
    void after_step(const StepInfo&) override { ++after; }
  };
  const auto program = kernels_.program("tiled", {9, 10, 11}, 4, compile::Build::Fast);
  Watcher watcher;
  Machine watched(program);
  Scheduler one(*program, {ScheduleKind::Sequential});
  const std::uint64_t steps = run_to_end(watched, one, &watcher);
  EXPECT_EQ(watcher.before, steps);
  EXPECT_EQ(watcher.after, steps);
  const Machine plain = run(program, {ScheduleKind::Sequential});
  EXPECT_TRUE(plain == watched);
}

// The adversary makes the missing barrier visible; lockstep hides it.
TEST_F(Schedules, RunAheadSchedule_ShowsTheMissingSecondBarrier) {
  const Schedule ahead{ScheduleKind::RunAhead, 0, 1};
  for (const auto build : {compile::Build::Step, compile::Build::Fast}) {
    for (const int block_size : {8, 16, 32}) {
      const problem::Problem size{2 * block_size, 2 * block_size, 3 * block_size};
      const auto program = kernels_.program("tiled_missing_barrier", size, block_size, build);
      EXPECT_GT(wrong_elements(run(program, ahead)), 0U) << block_size;
      const auto intact = kernels_.program("tiled", size, block_size, build);
      EXPECT_EQ(wrong_elements(run(intact, ahead)), 0U) << block_size;
    }
  }
}

TEST_F(Schedules, LockstepHidesTheMissingSecondBarrier) {
  for (const int block_size : {4, 8, 16}) {
    const problem::Problem size{2 * block_size, 2 * block_size, 3 * block_size};
    const auto program =
        kernels_.program("tiled_missing_barrier", size, block_size, compile::Build::Step);
    EXPECT_EQ(wrong_elements(run(program, {ScheduleKind::Lockstep})), 0U) << block_size;
  }
}

// A block of 16 threads is one warp, which cannot run ahead of itself; as four warps of 4 it can.
TEST_F(Schedules, ATeachingWarpShowsTheMissingBarrierInSmallBlocks) {
  const Schedule ahead{ScheduleKind::RunAhead, 0, 1};
  const auto whole = kernels_.program("tiled_missing_barrier", {8, 8, 8}, 4, compile::Build::Step);
  const auto parts =
      kernels_.program("tiled_missing_barrier", {8, 8, 8}, 4, compile::Build::Step, 4);
  EXPECT_EQ(parts->warps_per_block(), 4U);
  EXPECT_EQ(wrong_elements(run(whole, ahead)), 0U);
  EXPECT_GT(wrong_elements(run(parts, ahead)), 0U);
  EXPECT_EQ(wrong_elements(run(parts, {ScheduleKind::Lockstep})), 0U);
  const auto intact = kernels_.program("tiled", {8, 8, 8}, 4, compile::Build::Step, 4);
  EXPECT_EQ(wrong_elements(run(intact, ahead)), 0U);
}

}  // namespace
}  // namespace tilestep::simt
