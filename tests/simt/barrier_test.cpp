// Barriers: waiting, and faults.
#include "own_kernels.h"
#include "ptx_lanes.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tilestep::simt {
namespace {

struct Outcome {
  std::shared_ptr<const Program> program;  // the log's instructions point into it
  Log log;
  std::vector<std::int32_t> values;
  BlockStatus status = BlockStatus::Ended;
};

[[nodiscard]] Outcome run_kernel(const std::string& body, int threads,
                                 ScheduleKind kind = ScheduleKind::Sequential,
                                 int warp_size = kWarpSize) {
  const test::OwnKernel kernel = own_kernel({body, 1, threads, threads});
  test::Simulated simulated;
  Outcome outcome;
  outcome.program = simulated.program(test::launch_of(kernel), compile::Build::Step, warp_size);
  const Machine machine = run_to_the_end(outcome.program, {kind}, &outcome.log);
  outcome.values = contents(machine);
  outcome.status = machine.block_status(0);
  return outcome;
}

[[nodiscard]] std::vector<FaultKind> kinds(const Log& log) {
  std::vector<FaultKind> result;
  for (const FaultEvent& fault : log.faults) {
    result.push_back(fault.kind);
  }
  return result;
}

TEST(Barriers, OrderWarpsUnderEverySchedule) {
  for (const auto kind : {ScheduleKind::Sequential, ScheduleKind::Lockstep, ScheduleKind::RunAhead,
                          ScheduleKind::Random}) {
    for (const int warp_size : {32, 4, 1}) {
      const Outcome outcome = run_kernel(
          "__shared__ int s[96]; s[t] = t * t; __syncthreads(); out[t] = s[95 - t];"
          "__syncthreads(); s[t] = -t; __syncthreads(); out[t] += s[(t + 33) % 96];",
          96, kind, warp_size);
      ASSERT_TRUE(outcome.log.faults.empty());
      for (int t = 0; t < 96; ++t) {
        ASSERT_EQ(outcome.values[static_cast<std::size_t>(t)], (95 - t) * (95 - t) - (t + 33) % 96);
      }
    }
  }
}

TEST(Barriers, TellEachArrivalAndOneRelease) {
  const Outcome outcome = run_kernel("__syncthreads(); out[t] = 1;", 96);
  const auto& events = outcome.log.barriers;
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(events[0].action, BarrierAction::Arrive);
  EXPECT_EQ(events[0].mask, ~0U);
  EXPECT_EQ(events[3].action, BarrierAction::Release);
}

TEST(Barriers, DoNotWaitForLanesOrWarpsThatHaveExited) {
  const Outcome outcome = run_kernel(
      "__shared__ int s[96]; s[t] = 5; if (t >= 64 || t % 2 == 1) { return; } __syncthreads();"
      "out[t] = s[t] + 1;",
      96);
  EXPECT_TRUE(outcome.log.faults.empty());
  EXPECT_EQ(outcome.values[62], 6);
  EXPECT_EQ(outcome.values[63], 0);
  EXPECT_EQ(outcome.status, BlockStatus::Ended);
}

TEST(Barriers, ReachedByAPartOfAWarpAreReportedWithItsLanes) {
  const Outcome outcome = run_kernel("if (t < 8) { __syncthreads(); } out[t] = 1;", 32);
  ASSERT_EQ(kinds(outcome.log), std::vector{FaultKind::DivergentBarrier});
  EXPECT_EQ(outcome.log.faults[0].mask, 0xffU);
  EXPECT_EQ(outcome.values[31], 1) << "the warp has arrived all the same";
}

TEST(Barriers, ThatNobodyCompletesAreADeadlock) {
  for (const auto kind : {ScheduleKind::Sequential, ScheduleKind::Lockstep, ScheduleKind::RunAhead,
                          ScheduleKind::Random}) {
    const Outcome outcome = run_kernel(
        "if (t < 32) { asm volatile(\"bar.sync 1, 64;\"); } else { asm volatile(\"bar.sync 2, "
        "64;\"); }"
        "out[t] = 1;",
        64, kind);
    ASSERT_EQ(kinds(outcome.log),
              (std::vector{FaultKind::BarrierDeadlock, FaultKind::BarrierDeadlock}));
    EXPECT_EQ(outcome.log.fault_steps[0].instruction->op, ptx::Opcode::Bar);
    EXPECT_EQ(outcome.status, BlockStatus::Stopped);
    EXPECT_EQ(outcome.log.ended, std::vector<std::uint32_t>{0});
  }
}

// Warp 0 produces for warp 1 through barriers 1 and 2; warps 2 and 3 run independently.
TEST(Barriers, WithNamesAndCountsLetSomeWarpsMeet) {
  const Outcome outcome = run_kernel(R"(
    __shared__ int s[32];
    if (t < 32) {
      for (int k = 0; k < 3; ++k) {
        asm volatile("bar.sync 2, 64;" ::: "memory");
        s[t] = t * 10 + k;
        asm volatile("bar.arrive 1, 64;" ::: "memory");
      }
    } else if (t < 64) {
      for (int k = 0; k < 3; ++k) {
        asm volatile("bar.arrive 2, 64;" ::: "memory");
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[t] += s[t - 32];
      }
    } else { out[t] = -1; }
  )",
                                     128);
  EXPECT_TRUE(outcome.log.faults.empty());
  EXPECT_EQ(outcome.values[32 + 7], 3 * 70 + 3);
  EXPECT_EQ(outcome.values[100], -1);
}

TEST(Barriers, ReducePredicatesOverTheBlock) {
  const Outcome outcome = run_kernel(
      "int n = __syncthreads_count(t % 3 == 0); int all = __syncthreads_and(t < 96);"
      "int any = __syncthreads_or(t == 50); int none = __syncthreads_or(t > 96);"
      "out[t] = n * 1000 + (all != 0) * 100 + (any != 0) * 10 + (none != 0);",
      96);
  EXPECT_TRUE(outcome.log.faults.empty());
  for (const std::int32_t value : outcome.values) {
    EXPECT_EQ(value, 32110);
  }
}

TEST(WarpBarriers, AreTold) {
  const Outcome outcome = run_kernel("__syncwarp(); out[t] = 1;", 32);
  const auto found =
      std::find_if(outcome.log.barriers.begin(), outcome.log.barriers.end(),
                   [](const BarrierEvent& e) { return e.action == BarrierAction::WarpSync; });
  ASSERT_NE(found, outcome.log.barriers.end());
  EXPECT_EQ(found->mask, ~0U);
}

TEST(Traps, StopTheirWarpAndTheBlockEndsStopped) {
  const Outcome outcome =
      run_kernel("if (t >= 32) { asm volatile(\"trap;\"); } __syncthreads(); out[t] = 1;", 64);
  ASSERT_EQ(kinds(outcome.log), std::vector{FaultKind::Trap}) << "not a deadlock on top";
  EXPECT_EQ(outcome.status, BlockStatus::Stopped);
}

// Lanes reach their join while the others of the warp wait at a barrier (found by fuzzing: the warp
// restarted at its first instruction).
TEST(Barriers, OfAPartOfAWarpAreTheSameStepByStepAndAtOnce) {
  const auto program = program_of(R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry kernel(.param .u64 kernel_param_0)
{
  .reg .pred %p<2>;
  .reg .b32 %r<3>;
  mov.u32 %r1, %laneid;
  setp.lt.u32 %p1, %r1, 9;
  @%p1 bra OTHERS;
  bar.sync 1, 32;
  add.s32 %r2, %r1, 1;
  bra JOIN;
OTHERS:
  add.s32 %r2, %r1, 2;
JOIN:
  add.s32 %r2, %r2, 3;
  ret;
}
)",
                                  {1, 1, 1}, {67, 1, 1}, {std::vector<std::byte>(4)});
  for (const auto kind : {ScheduleKind::Sequential, ScheduleKind::Lockstep, ScheduleKind::RunAhead,
                          ScheduleKind::Random}) {
    const Schedule schedule{kind, 1, 7};
    Machine stepped(program);
    Scheduler one(*program, schedule);
    std::uint64_t steps = 0;
    while (one.step(stepped, nullptr)) {
      ++steps;
    }
    Machine at_once(program);
    Scheduler all(*program, schedule);
    EXPECT_EQ(run_to_end(at_once, all, nullptr), steps);
    EXPECT_TRUE(at_once == stepped);
    EXPECT_EQ(steps, 2 * 9U + 6);  // two warps in two parts, three lanes in one
  }
}

}  // namespace
}  // namespace tilestep::simt
