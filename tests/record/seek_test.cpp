// The promise of a recording: state_at(k) equals a replay from 0, for every k.
#include "record/recording.h"
#include "simulated.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <random>
#include <thread>

namespace tilestep::record {
namespace {

struct Case {
  const char* kernel;
  simt::Schedule schedule;
};

const simt::Schedule kSchedules[] = {{simt::ScheduleKind::Lockstep},
                                     {simt::ScheduleKind::Sequential},
                                     {simt::ScheduleKind::RunAhead, 0},
                                     {simt::ScheduleKind::Random, 0, 7},
                                     {simt::ScheduleKind::OnSm}};
const char* const kKernels[] = {"naive", "tiled", "tiled_missing_barrier", "submatrix"};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const char* kernel : kKernels) {
    for (const simt::Schedule& schedule : kSchedules) {
      cases.push_back({kernel, schedule});
    }
  }
  return cases;
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
  return std::string(info.param.kernel) + "_" + std::string(word_of(info.param.schedule.kind).file);
}

std::shared_ptr<const Recording> record_launch(std::shared_ptr<const simt::Program> program,
                                               const simt::Schedule& schedule,
                                               std::uint64_t keyframe_steps) {
  Options options;
  options.keyframe_steps = keyframe_steps;
  auto recording = Recording::make(std::move(program), schedule, options);
  return recording ? *recording : nullptr;
}

// Steps from the start, its only keyframe: other results are compared with this.
class Replay {
 public:
  Replay(std::shared_ptr<const simt::Program> program, const simt::Schedule& schedule)
      : recording_(record_launch(std::move(program), schedule, std::uint64_t{1} << 40)),
        state_(recording_->state_at(0)) {}

  const State& to(std::uint64_t k) {
    while (state_.step() < k) {
      // Short distances leave no states behind to start from.
      state_ = recording_->state_at(std::min(k, state_.step() + 10'000), std::move(state_));
    }
    return state_;
  }

 private:
  std::shared_ptr<const Recording> recording_;
  State state_;
};

class Seek : public testing::TestWithParam<Case> {
 protected:
  test::Simulated simulated_;
};

INSTANTIATE_TEST_SUITE_P(Kernels, Seek, testing::ValuesIn(all_cases()), name_of);

TEST_P(Seek, ToEveryStepGivesWhatReplayFromTheStartGives) {
  const auto program = simulated_.program(GetParam().kernel, {8, 8, 8}, 4);
  const auto recording = record_launch(program, GetParam().schedule, 97);
  ASSERT_NE(recording, nullptr);
  ASSERT_GT(recording->step_count(), 900U);
  Replay replay(program, GetParam().schedule);
  for (std::uint64_t k = 0; k <= recording->step_count(); ++k) {
    const State& replayed = replay.to(k);
    ASSERT_EQ(replayed.step(), k);
    ASSERT_TRUE(recording->state_at(k) == replayed) << "step " << k;
  }
  EXPECT_TRUE(replay.to(recording->step_count()).machine().done());
}

TEST_P(Seek, AtALargerSizeGivesWhatReplayFromTheStartGives) {
  const auto program = simulated_.program(GetParam().kernel, {32, 32, 32}, 16);
  const auto recording = record_launch(program, GetParam().schedule, 5000);
  ASSERT_NE(recording, nullptr);
  std::mt19937 random(3);
  Replay replay(program, GetParam().schedule);
  for (std::uint64_t k = 0; k < recording->step_count(); k += 1 + random() % 4000) {
    ASSERT_TRUE(recording->state_at(k) == replay.to(k)) << "step " << k;
  }
}

TEST_P(Seek, RefinedMeanwhileGivesWhatReplayFromTheStartGives) {
  const auto program = simulated_.program(GetParam().kernel, {32, 32, 32}, 16);
  const auto recording = record_launch(program, GetParam().schedule, 30'000);
  ASSERT_NE(recording, nullptr);
  std::thread refiner([&] { EXPECT_TRUE(recording->refine()); });
  std::mt19937 random(5);
  for (int round = 0; round < 2; ++round) {
    Replay replay(program, GetParam().schedule);
    for (std::uint64_t k = 0; k < recording->step_count(); k += 1 + random() % 9000) {
      EXPECT_TRUE(recording->state_at(k) == replay.to(k)) << "step " << k;
    }
    if (round == 0) {
      refiner.join();
    }
  }
}

TEST(Refine, StopsWhenCancelled) {
  test::Simulated simulated;
  const auto recording = record_launch(simulated.program("tiled", {32, 32, 32}, 16), {}, 0);
  ASSERT_NE(recording, nullptr);
  const std::atomic<bool> cancelled{true};
  EXPECT_FALSE(recording->refine(&cancelled));
}

// More blocks than are resident: keyframes hold some that have ended and some that have not
// started.
TEST(SeekInWaves, GivesWhatReplayFromTheStartGives) {
  test::Simulated simulated;
  const auto program = simulated.program("tiled", {34, 34, 34}, 2);
  ASSERT_GT(program->block_count(), simt::kResidentBlocks);
  for (const auto kind : {simt::ScheduleKind::Lockstep, simt::ScheduleKind::Random}) {
    const auto recording = record_launch(program, {kind, 0, 7}, 9'000);
    ASSERT_NE(recording, nullptr);
    std::mt19937 random(4);
    Replay replay(program, {kind, 0, 7});
    for (std::uint64_t k = 0; k < recording->step_count(); k += 1 + random() % 30'000) {
      const State& replayed = replay.to(k);
      const State sought = recording->state_at(k);
      ASSERT_TRUE(sought == replayed) << "step " << k;
      const auto block = static_cast<std::uint32_t>(random() % program->block_count());
      ASSERT_EQ(sought.line(block, 3), replayed.line(block, 3));
      ASSERT_EQ(sought.variables(block, 3).size(), replayed.variables(block, 3).size());
    }
    EXPECT_TRUE(recording->state_at(recording->step_count()).machine().done());
  }
}

TEST(SeekWithATightBudget, DropsKeyframesAndStaysTrue) {
  test::Simulated simulated;
  Options options;
  options.keyframe_steps = 50;
  options.keyframe_bytes = 400'000;
  const auto program = simulated.program("tiled", {8, 8, 8}, 4);
  const auto recording = Recording::make(program, {}, options);
  ASSERT_TRUE(recording);
  Replay replay(program, {});
  for (std::uint64_t k = 0; k <= (*recording)->step_count(); k += 37) {
    ASSERT_TRUE((*recording)->state_at(k) == replay.to(k));
  }
}

// A comparison that always holds would make every test above worthless.
TEST(StateEquality, TellsNeighbouringStepsApart) {
  test::Simulated simulated;
  const auto recording = record_launch(simulated.program("tiled", {8, 8, 8}, 4), {}, 0);
  for (std::uint64_t k = 0; k < recording->step_count(); k += 13) {
    ASSERT_FALSE(recording->state_at(k) == recording->state_at(k + 1));
  }
}

// While a lesson changes pages, the window asks for a thread of the next launch.
TEST(State, OfAThreadOrBlockThatTheLaunchLacks_IsThatOfTheLast) {
  test::Simulated simulated;
  const auto recording = record_launch(simulated.program("tiled", {8, 8, 8}, 4), {}, 0);
  const State state = recording->state_at(recording->step_count() / 2);
  EXPECT_EQ(state.line(0, 288), state.line(0, 15));
  EXPECT_EQ(state.line(99, 288), state.line(3, 15));
  EXPECT_EQ(state.variables(0, 288).size(), state.variables(0, 15).size());
  EXPECT_TRUE(state.variable(0, 1U << 20U, "acc"));
}

TEST(Hint, FromAnotherRecordingIsNotTrusted) {
  test::Simulated simulated;
  const auto program = simulated.program("tiled", {8, 8, 8}, 4);
  const auto lockstep = record_launch(program, {}, 0);
  const auto random = record_launch(program, {simt::ScheduleKind::Random, 0, 3}, 0);
  const State hint = random->state_at(500);
  EXPECT_TRUE(lockstep->state_at(700, hint) == lockstep->state_at(700));
}

TEST(Hint, LaterThanTheStepIsNotUsed) {
  test::Simulated simulated;
  const auto recording = record_launch(simulated.program("tiled", {8, 8, 8}, 4), {}, 0);
  const State hint = recording->state_at(900);
  EXPECT_TRUE(recording->state_at(700, hint) == recording->state_at(700));
  EXPECT_TRUE(recording->state_at(700, recording->state_at(900)) == recording->state_at(700));
}

TEST(Statements, CoverTheRunWithoutGaps) {
  test::Simulated simulated;
  for (const simt::Schedule& schedule : kSchedules) {
    const auto recording = record_launch(simulated.program("tiled", {8, 8, 8}, 4), schedule, 0);
    const auto starts = recording->statement_starts();
    ASSERT_GT(starts.size(), 40U);
    EXPECT_EQ(starts.front(), 0U);
    EXPECT_EQ(starts.back(), recording->step_count());
    for (std::size_t i = 1; i < starts.size(); ++i) {
      ASSERT_LT(starts[i - 1], starts[i]);
    }
    EXPECT_EQ(recording->statement_of(0), 0U);
    EXPECT_EQ(recording->statement_of(starts[3]), 3U);
    EXPECT_EQ(recording->statement_of(starts[3] - 1), 2U);
    EXPECT_EQ(recording->statement_of(recording->step_count()), starts.size() - 1);
  }
}

TEST(Limits, ALongRunIsRefusedWithTheCure) {
  test::Simulated simulated;
  Options options;
  options.max_steps = 700;
  const auto recording = Recording::make(simulated.program("tiled", {8, 8, 8}, 4),
                                         {simt::ScheduleKind::Sequential}, options);
  ASSERT_FALSE(recording);
  EXPECT_EQ(
      recording.error().message,
      "This launch needs more than 700 steps, the limit of a recording (1 of 4 blocks had ended). "
      "Choose a smaller size or fewer blocks, or use `tilestep check`, which does not record.");
}

TEST(Limits, ACancelledRecordingSaysSo) {
  test::Simulated simulated;
  const std::atomic<bool> cancel = true;
  std::atomic<std::uint64_t> progress = 0;
  Options options;
  options.cancel = &cancel;
  options.progress = &progress;
  const auto recording = Recording::make(simulated.program("tiled", {32, 32, 32}, 8), {}, options);
  ASSERT_FALSE(recording);
  EXPECT_NE(recording.error().message.find("canceled"), std::string::npos);
  EXPECT_GT(progress.load(), 0U);
}

// A block executed alone, in its recorded order, ends like the same block among the others.
TEST(StepsOfABlock, ExecuteItByItself) {
  test::Simulated simulated;
  for (const simt::Schedule& schedule : kSchedules) {
    const auto program = simulated.program("tiled", {8, 8, 8}, 4, compile::Build::Step, 8);
    const auto recording = record_launch(program, schedule, 0);
    simt::Machine machine(program);
    std::uint64_t last = 0;
    recording->visit_steps_of(2, [&](const Recording::BlockStep& step) {
      EXPECT_GE(step.step, last);
      last = step.step;
      machine.step({2, step.warp}, nullptr);
      return true;
    });
    EXPECT_EQ(machine.block_status(2), simt::BlockStatus::Ended);
    const State end = recording->state_at(recording->step_count());
    for (std::size_t row = 4; row < 8; ++row) {
      for (std::size_t col = 0; col < 4; ++col) {
        const std::size_t at = (row * 8 + col) * 4;
        EXPECT_EQ(
            std::memcmp(machine.buffer(2).data() + at, end.machine().buffer(2).data() + at, 4), 0);
      }
    }
  }
}

}  // namespace
}  // namespace tilestep::record
