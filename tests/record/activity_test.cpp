#include "record/recording.h"
#include "simulated.h"

#include <gtest/gtest.h>

#include <bit>

namespace tilestep::record {
namespace {

class ActivityOf : public testing::Test {
 protected:
  std::shared_ptr<const Recording> record_launch(std::shared_ptr<const simt::Program> program) {
    auto recording = Recording::make(std::move(program), {});
    if (!recording) {
      throw std::runtime_error(recording.error().message);
    }
    return *recording;
  }
  // Activity of the first statement with the line, for the given block's threads.
  static Activity statement(const Recording& recording, std::uint32_t line) {
    const auto starts = recording.statement_starts();
    for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
      if (recording.state_at(starts[i]).line(0, 0) == line) {
        return recording.activity(starts[i], starts[i + 1]);
      }
    }
    return {};
  }

  test::Simulated simulated_;
};

TEST_F(ActivityOf, AMultiplyStatementReadsBothTilesForAllThreads) {
  const auto recording = record_launch(simulated_.program("tiled", {8, 8, 8}, 4));
  const std::uint32_t line = test::line_of(recording->program().launch().source, "acc +=");
  const Activity activity = statement(*recording, line);
  int shared_loads = 0;
  for (const Access& access : activity.accesses) {
    ASSERT_EQ(access.line, line);
    ASSERT_EQ(access.event.kind, simt::AccessKind::Load);
    shared_loads += access.event.space == ptx::Space::Shared ? std::popcount(access.event.mask) : 0;
  }
  EXPECT_EQ(shared_loads, 4 * 16 * 2);  // blocks · threads · (As, Bs)
  ASSERT_EQ(activity.executed.size(), 4U);
  EXPECT_EQ(activity.executed[0].mask, 0xffffU);
  EXPECT_EQ(activity.executed[0].live, 0xffffU);
}

TEST_F(ActivityOf, AGuardedStoreLeavesLanesOut) {
  const auto recording = record_launch(simulated_.program("tiled", {5, 6, 4}, 4));
  const std::uint32_t line =
      test::line_of(recording->program().launch().source, "C[row * N + col] = acc");
  const auto starts = recording->statement_starts();
  std::uint32_t executed = 0;
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    for (const Activity::Executed& e : recording->activity(starts[i], starts[i + 1]).executed) {
      // Block (1,1) covers row 4 and columns 4 and 5 of C: two of its threads.
      if (e.line == line && e.warp.block == 3) {
        executed |= e.mask;
        EXPECT_EQ(e.live, 0xffffU);
      }
    }
  }
  EXPECT_EQ(executed, 0x3U);
}

TEST_F(ActivityOf, APhaseEndsWithItsBarriers) {
  const auto recording = record_launch(simulated_.program("tiled", {8, 8, 8}, 4));
  const Phase& phase = recording->phases_of(1)[0];
  const Activity activity = recording->activity(phase.first_step, phase.last_step);
  int arrived = 0;
  for (const Activity::Barrier& barrier : activity.barriers) {
    arrived += barrier.warp.block == 1 ? std::popcount(barrier.event.mask) : 0;
  }
  EXPECT_EQ(arrived, 16);
}

TEST_F(ActivityOf, AStateThatIsTakenOnTellsTheSameAndIsThere) {
  const auto recording = record_launch(simulated_.program("tiled", {8, 8, 8}, 4));
  State state = recording->state_at(450);
  const Activity a = recording->activity(450, 700);
  const Activity b = recording->advance(state, 700);
  EXPECT_TRUE(state == recording->state_at(700));
  EXPECT_EQ(b.first_step, 450U);
  EXPECT_EQ(b.last_step, 700U);
  ASSERT_EQ(a.accesses.size(), b.accesses.size());
  ASSERT_GT(a.accesses.size(), 0U);
  for (std::size_t i = 0; i < a.accesses.size(); ++i) {
    EXPECT_EQ(a.accesses[i].step, b.accesses[i].step);
    EXPECT_EQ(a.accesses[i].event.addresses, b.accesses[i].event.addresses);
    EXPECT_GE(a.accesses[i].step, 450U);
    EXPECT_LT(a.accesses[i].step, 700U);
  }
}

TEST_F(ActivityOf, FaultsAreKeptWithTheirLineAndStep) {
  test::OwnKernel kernel;
  kernel.source =
      "extern \"C\" __global__ void kernel(float* x) {\n"
      "  x[threadIdx.x] = 1.0f;\n"
      "}\n";
  kernel.buffers = {{"x", 30}};
  const auto recording = record_launch(simulated_.program(test::launch_of(kernel)));
  ASSERT_EQ(recording->faults().size(), 1U);
  const Activity::Fault& fault = recording->faults()[0];
  EXPECT_EQ(fault.event.kind, simt::FaultKind::OutOfRange);
  EXPECT_EQ(fault.event.mask, 0xc0000000U);
  EXPECT_EQ(fault.line, 2U);
  const Activity activity = recording->activity(fault.step, fault.step + 1);
  ASSERT_EQ(activity.faults.size(), 1U);
  EXPECT_EQ(activity.faults[0].step, fault.step);
}

}  // namespace
}  // namespace tilestep::record
