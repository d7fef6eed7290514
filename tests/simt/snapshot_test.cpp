// A copy of a machine is a snapshot: it continues exactly like the original.
#include "matrix_kernels.h"
#include "own_kernels.h"

#include <gtest/gtest.h>

namespace tilestep::simt {
namespace {

class Snapshots : public testing::TestWithParam<ScheduleKind> {
 protected:
  MatrixKernels kernels_;
};

TEST_P(Snapshots, GoOnAsTheOriginal) {
  const std::pair<const char*, problem::Problem> launches[] = {
      {"tiled", {9, 7, 10}},
      {"naive", {9, 7, 10}},
      {"submatrix", {8, 8, 8}},
      {"tiled_missing_barrier", {9, 7, 10}}};
  OperandBits random(83);
  for (const auto& [id, size] : launches) {
    const auto program = kernels_.program(id, size, 4, compile::Build::Step, 8);
    Machine machine(program);
    Scheduler scheduler(*program, {GetParam(), 1, 4});
    std::uint64_t total = 0;
    while (scheduler.step(machine, nullptr)) {
      ++total;
    }
    for (int trial = 0; trial < 12; ++trial) {
      const std::uint64_t at = random.next() % total;
      Machine original(program);
      Scheduler order(*program, {GetParam(), 1, 4});
      for (std::uint64_t k = 0; k < at; ++k) {
        order.step(original, nullptr);
      }
      Machine copy = original;
      Scheduler copied_order = order;
      EXPECT_TRUE(copy == original);
      EXPECT_TRUE(copied_order == order);
      run_to_end(original, order, nullptr);
      EXPECT_FALSE(copy == original) << "the copy has not moved";
      while (copied_order.step(copy, nullptr)) {
      }
      EXPECT_TRUE(copy == original) << id << " copied at step " << at;
      EXPECT_TRUE(copy == machine);
      EXPECT_TRUE(copied_order == scheduler);
    }
  }
}

TEST_P(Snapshots, CanBeTakenOverAnother) {
  const auto program = kernels_.program("tiled", {8, 8, 8}, 4, compile::Build::Step);
  Machine machine(program);
  Scheduler scheduler(*program, {GetParam()});
  const Machine start = machine;
  for (int step = 0; step < 200; ++step) {
    scheduler.step(machine, nullptr);
  }
  const Machine middle = machine;
  EXPECT_FALSE(start == middle);
  machine = start;
  EXPECT_TRUE(machine == start);
  Scheduler again(*program, {GetParam()});
  for (int step = 0; step < 200; ++step) {
    again.step(machine, nullptr);
  }
  EXPECT_TRUE(machine == middle);
}

INSTANTIATE_TEST_SUITE_P(EverySchedule, Snapshots,
                         testing::Values(ScheduleKind::Lockstep, ScheduleKind::Sequential,
                                         ScheduleKind::RunAhead, ScheduleKind::Random));

TEST(Footprint, OfBlocksThatHaveNotStartedOrHaveEndedIsNothing) {
  MatrixKernels kernels;
  const auto program = kernels.program("tiled", {64, 64, 64}, 16, compile::Build::Step);
  Machine machine(program);
  const std::size_t idle = machine.footprint();
  EXPECT_LT(idle, 2000U);
  machine.step({0, 0}, nullptr);
  const std::size_t one_block = machine.footprint();
  EXPECT_GT(one_block, idle + 2048U);
  machine.step({1, 0}, nullptr);
  EXPECT_NEAR(static_cast<double>(machine.footprint() - one_block),
              static_cast<double>(one_block - idle), 64.0);
  Scheduler scheduler(*program, {ScheduleKind::Sequential});
  run_to_end(machine, scheduler, nullptr);
  EXPECT_LT(machine.footprint(), idle + 64 * 64 * 4 + 1000) << "what was stored: C";
}

TEST(Packed, MachinesTakeLittleRoomAndTheirCopiesGoOnAsTheOriginal) {
  MatrixKernels kernels;
  for (const int block_size : {2, 8, 16}) {
    const auto program = kernels.program("tiled", {32, 32, 32}, block_size, compile::Build::Step);
    Machine machine(program);
    Scheduler scheduler(*program, {ScheduleKind::Lockstep});
    for (int step = 0; step < 30'000; ++step) {
      scheduler.step(machine, nullptr);
    }
    const Machine packed = machine.packed();
    EXPECT_LT(packed.footprint() * 4, machine.footprint()) << block_size;
    Machine copy = packed;
    EXPECT_EQ(copy.footprint(), machine.footprint());
    EXPECT_TRUE(copy == machine);
    Scheduler order = scheduler;
    run_to_end(machine, scheduler, nullptr);
    run_to_end(copy, order, nullptr);
    EXPECT_TRUE(copy == machine);
  }
}

[[nodiscard]] std::uint32_t line_at(const Machine& machine) {
  const WarpView view = machine.warp({1, 0});
  return ptx::statement_line(machine.program().entry(), view.pc);
}

TEST(Registers, ShowEachLanesValue) {
  MatrixKernels kernels;
  const auto program = kernels.program("tiled", {8, 8, 8}, 4, compile::Build::Step);
  const ptx::Function& entry = program->entry();
  const auto reg = [&](const std::string& name) {
    for (std::size_t k = 0; k < entry.registers.size(); ++k) {
      if (entry.register_names[k] == name) {
        return entry.registers[k];
      }
    }
    throw std::runtime_error(name);
  };
  Machine machine(program);
  while (line_at(machine) != 19) {
    machine.step({1, 0}, nullptr);
  }
  for (int lane = 0; lane < 16; ++lane) {
    EXPECT_EQ(machine.register_lane({1, 0}, reg("%r1"), lane),
              static_cast<std::uint64_t>(lane % 4));
    EXPECT_EQ(machine.register_lane({1, 0}, reg("%r2"), lane),
              static_cast<std::uint64_t>(lane / 4));
    EXPECT_EQ(machine.register_lane({1, 0}, reg("%rd1"), lane), kGlobalWindow);
  }
}

}  // namespace
}  // namespace tilestep::simt
