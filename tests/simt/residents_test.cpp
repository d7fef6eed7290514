// Lockstep and Random with more blocks than are resident: they run in waves.
#include "matrix_kernels.h"
#include "own_kernels.h"
#include "simt/machine/machine.h"
#include "simt/state/machine_state.h"
#include "simulated.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tilestep::simt {
namespace {

constexpr int kResident = static_cast<int>(kResidentBlocks);

struct Grid {
  std::string before;  // functions and variables
  std::string body;    // of a kernel(int* out), with b = blockIdx.x and t = threadIdx.x
  int blocks = 1;
  int threads = 1;
};

[[nodiscard]] std::shared_ptr<const Program> program_of_grid(
    const Grid& grid, compile::Build build = compile::Build::Step) {
  const test::OwnKernel kernel =
      own_kernel({grid.body, grid.blocks, grid.threads, grid.blocks, grid.before,
                  "int b = blockIdx.x;\n  int t = threadIdx.x;"});
  test::Simulated simulated;
  return simulated.program(test::launch_of(kernel), build);
}

// Blocks with different run times.
[[nodiscard]] Grid uneven(int blocks) {
  return {"", "int sum = 0;\nfor (int i = 0; i < b % 7; ++i) {\n  sum += i;\n}\nout[b] = sum + b;",
          blocks};
}

[[nodiscard]] int uneven_result(int b) {
  const int rounds = b % 7;
  return rounds * (rounds - 1) / 2 + b;
}

[[nodiscard]] int running(const Machine& machine) {
  const auto& statuses = machine.impl().state.statuses.entries();
  return static_cast<int>(std::count(statuses.begin(), statuses.end(), BlockStatus::Running));
}

[[nodiscard]] bool is_ready(const Machine& machine, WarpId id) {
  return machine.warp(id).status == WarpStatus::Ready;
}

class Residency : public testing::TestWithParam<ScheduleKind> {
 protected:
  [[nodiscard]] static Schedule schedule() { return {GetParam(), 0, 5}; }
};

INSTANTIATE_TEST_SUITE_P(Schedules, Residency,
                         testing::Values(ScheduleKind::Lockstep, ScheduleKind::Random));

// An independent implementation of lockstep without a limit on resident blocks.
TEST(Lockstep, OfAsManyBlocksAsAreResidentTakesAllOfThemThroughEveryRound) {
  const auto program = program_of_grid(uneven(kResident));
  Machine machine(program);
  Scheduler scheduler(*program, {ScheduleKind::Lockstep});
  Machine wanted(program);
  while (!wanted.done()) {
    std::vector<std::uint32_t> turns;
    for (std::uint32_t block = 0; block < kResidentBlocks; ++block) {
      if (is_ready(wanted, {block, 0})) {
        turns.push_back(block);
      }
    }
    while (!turns.empty()) {
      std::vector<std::uint32_t> later;
      for (const std::uint32_t block : turns) {
        const WarpView before = wanted.warp({block, 0});
        wanted.step({block, 0}, nullptr);
        ASSERT_TRUE(scheduler.step(machine, nullptr));
        ASSERT_EQ(scheduler.last(), (WarpId{block, 0}));
        if (!ends_statement(*program, before, wanted.warp({block, 0}))) {
          later.push_back(block);
        }
      }
      turns = later;
    }
    ASSERT_TRUE(scheduler.at_statement_end());
  }
  EXPECT_FALSE(scheduler.step(machine, nullptr));
}

// Seeds keep their meaning: draws are over all warps of such a grid, ended blocks included.
TEST(Random, OfAsManyBlocksAsAreResidentDrawsAmongAllOfThem) {
  const auto program = program_of_grid(uneven(kResident));
  Machine machine(program);
  Scheduler scheduler(*program, {ScheduleKind::Random, 0, 9});
  std::uint64_t state = 9;
  const auto draw = [&state] {
    state += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return static_cast<std::uint32_t>((z ^ (z >> 31)) % kResidentBlocks);
  };
  while (!machine.done()) {
    std::uint32_t wanted = draw();
    for (int guess = 1; guess < 8 && !is_ready(machine, {wanted, 0}); ++guess) {
      wanted = draw();
    }
    if (!is_ready(machine, {wanted, 0})) {
      wanted = draw();
      while (!is_ready(machine, {wanted, 0})) {
        wanted = (wanted + 1) % kResidentBlocks;
      }
    }
    do {
      ASSERT_TRUE(scheduler.step(machine, nullptr));
      ASSERT_EQ(scheduler.last().block, wanted);
    } while (!scheduler.at_statement_end());
  }
}

TEST_P(Residency, KeepsBlocksOutUntilOthersHaveEnded) {
  const int blocks = 2 * kResident + 90;
  const auto program = program_of_grid(uneven(blocks));
  Machine machine(program);
  Scheduler scheduler(*program, schedule());
  Log log;
  int most = 0;
  while (scheduler.step(machine, &log)) {
    most = std::max(most, running(machine));
  }
  EXPECT_LE(most, kResident);
  EXPECT_GT(most, kResident - 20);
  EXPECT_TRUE(machine.done());
  EXPECT_TRUE(log.faults.empty());
  for (int b = 0; b < blocks; ++b) {
    ASSERT_EQ(contents(machine)[static_cast<std::size_t>(b)], uneven_result(b));
  }
}

TEST(Lockstep, GivesAPlaceToTheNextBlockOfTheGridAtTheStartOfARound) {
  const int blocks = kResident + 100;
  const auto program = program_of_grid(uneven(blocks));
  Machine machine(program);
  Scheduler scheduler(*program, {ScheduleKind::Lockstep});
  Log log;
  while (!machine.done()) {
    const int left = blocks - static_cast<int>(log.ended.size());
    const std::size_t ended = log.ended.size();
    do {
      ASSERT_TRUE(scheduler.step(machine, &log));
    } while (!scheduler.at_statement_end());
    // No block has yet started in the place of those that ended in this round.
    ASSERT_EQ(log.started.size(), ended + static_cast<std::size_t>(std::min(left, kResident)));
  }
  EXPECT_TRUE(std::is_sorted(log.started.begin(), log.started.end()));
}

TEST_P(Residency, IsTheSameStepByStepAtOnceAndFromACopy) {
  const auto program = program_of_grid(uneven(kResident + 300));
  Machine stepped(program);
  Scheduler one(*program, schedule());
  std::uint64_t steps = 0;
  while (one.step(stepped, nullptr)) {
    ++steps;
  }
  Machine at_once(program);
  Scheduler other(*program, schedule());
  EXPECT_EQ(run_to_end(at_once, other, nullptr), steps);
  EXPECT_TRUE(at_once == stepped);
  EXPECT_TRUE(other == one);
  for (const std::uint64_t at : {steps / 5, steps / 2, steps - 40}) {
    Machine original(program);
    Scheduler order(*program, schedule());
    for (std::uint64_t k = 0; k < at; ++k) {
      order.step(original, nullptr);
    }
    Machine copy = original.packed();
    copy = Machine(copy);
    Scheduler copied_order = order;
    ASSERT_TRUE(copied_order == order);
    while (order.step(original, nullptr)) {
      ASSERT_TRUE(copied_order.step(copy, nullptr));
      ASSERT_EQ(copied_order.last(), order.last());
    }
    EXPECT_TRUE(copy == stepped);
  }
}

// Every block waits for all others, in a loop that reads a counter; blocks that have arrived do not
// count against the limit.
TEST(GridBarrier, OverMoreBlocksThanAreResidentCompletes) {
  const int blocks = 3 * kResident + 17;
  const Grid grid{"__device__ volatile int ready[1024];\n__device__ unsigned arrived;\n",
                  R"(  ready[b] = b + 1;
  __threadfence();
  __syncthreads();
  if (t == 0) {
    atomicAdd(&arrived, 1);
    while (*(volatile unsigned*)&arrived < gridDim.x) {}
  }
  __syncthreads();
  if (t == 0) { out[b] = ready[(b + 300) % gridDim.x]; })",
                  blocks, 40};
  for (const auto build : {compile::Build::Step, compile::Build::Fast}) {
    const auto program = program_of_grid(grid, build);
    for (const auto kind : {ScheduleKind::Lockstep, ScheduleKind::Random}) {
      Log log;
      const Machine machine = run_to_the_end(program, {kind, 0, 3}, &log);
      EXPECT_TRUE(machine.done());
      EXPECT_TRUE(log.faults.empty());
      for (int b = 0; b < blocks; ++b) {
        ASSERT_EQ(contents(machine)[static_cast<std::size_t>(b)], (b + 300) % blocks + 1);
      }
    }
  }
}

// All blocks of the first wave wait for later ones.
TEST_P(Residency, LetsBlocksInForWhichOthersWait) {
  const int blocks = 2 * kResident + 50;
  const Grid grid{"__device__ volatile int flags[1024];\n",
                  "  if (b < " + std::to_string(kResident) + ") { while (flags[b + " +
                      std::to_string(kResident + 50) +
                      "] == 0) {} }\n"
                      "  flags[b] = 1;\n"
                      "  out[b] = b + 1;",
                  blocks};
  const auto program = program_of_grid(grid);
  Log log;
  const Machine machine = run_to_the_end(program, schedule(), &log);
  EXPECT_TRUE(machine.done());
  EXPECT_TRUE(log.faults.empty());
  for (int b = 0; b < blocks; ++b) {
    ASSERT_EQ(contents(machine)[static_cast<std::size_t>(b)], b + 1);
  }
}

// `first` blocks wait at barriers that cannot complete.
[[nodiscard]] Grid deadlocked(int first, const std::string& rest) {
  return {"__device__ volatile int late;\n",
          "  if (b < " + std::to_string(first) +
              ") {\n"
              "    if (t < 32) { asm volatile(\"bar.sync 1, 64;\"); }\n"
              "    else { asm volatile(\"bar.sync 2, 64;\"); }\n"
              "  }\n" +
              rest + "  if (t == 0) { out[b] = 1; }",
          2 * kResident, 64};
}

// The others end. Returns the largest number that were running at once.
int run_with_deadlocked(const Grid& grid, int first, const Schedule& schedule) {
  const auto program = program_of_grid(grid);
  Log log;
  Machine machine(program);
  Scheduler scheduler(*program, schedule);
  int most = 0;
  while (scheduler.step(machine, &log)) {
    most = std::max(most, running(machine));
  }
  EXPECT_TRUE(machine.done());
  EXPECT_EQ(log.faults.size(), static_cast<std::size_t>(2 * first));
  for (std::size_t k = 0; k < log.faults.size(); ++k) {
    EXPECT_EQ(log.faults[k].kind, FaultKind::BarrierDeadlock);
    EXPECT_TRUE(log.faults[k].detail.empty());
    EXPECT_LT(log.fault_steps[k].id.block, static_cast<std::uint32_t>(first));
  }
  for (int b = 0; b < grid.blocks; ++b) {
    const bool stands = b < first;
    EXPECT_EQ(machine.block_status(static_cast<std::uint32_t>(b)),
              stands ? BlockStatus::Stopped : BlockStatus::Ended);
    EXPECT_EQ(contents(machine)[static_cast<std::size_t>(b)], stands ? 0 : 1);
  }
  return most;
}

TEST_P(Residency, GoesOnWithTheNextWaveWhenAllResidentBlocksAreDeadlocked) {
  const int first = kResident + 100;
  EXPECT_LE(run_with_deadlocked(deadlocked(first, ""), first, schedule()), kResident)
      << "the deadlocked ones make room";
}

TEST_P(Residency, GoesOnWhenSomeAreDeadlockedAndTheOthersWaitForALaterBlock) {
  const int first = kResident - 3;
  const std::string rest =
      "  if (b == gridDim.x - 1) { late = 1; }\n"
      "  if (t == 0) { while (late == 0) {} }\n";
  (void)run_with_deadlocked(deadlocked(first, rest), first, schedule());
}

TEST(ResidentBlocks, IsLimitedByWhatTheBlocksHold) {
  test::Simulated simulated;
  const auto small = simulated.program("tiled", {16, 16, 16}, 4, compile::Build::Step);
  EXPECT_EQ(resident_blocks(*small), kResidentBlocks);
  const auto large = simulated.program("ordered_products", {16, 16, 16}, 4, compile::Build::Step);
  EXPECT_LT(resident_blocks(*large), kResidentBlocks);
  EXPECT_LE(resident_blocks(*large) * block_bytes(*large->data()), kResidentBytes);
  EXPECT_GT((resident_blocks(*large) + 1) * block_bytes(*large->data()), kResidentBytes);
}

}  // namespace
}  // namespace tilestep::simt
