// Steps of a recording on the clocks of an SM, and the schedule that follows them.
#include "clock/places.h"

#include "catalog_launch.h"
#include "clock/sm_table.h"
#include "folders.h"
#include "kept_outputs.h"
#include "loading/prepare.h"
#include "problem/describe/catalog.h"
#include "record/recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace tilestep::clock {
namespace {

using testing::HasSubstr;

struct Both {
  std::shared_ptr<const record::Recording> recording;
  std::vector<CodedInstruction> code;
  SmRun run;
  std::shared_ptr<const Places> places;
};

class PlacesTest : public testing::Test {
 protected:
  PlacesTest()
      : compiler_(test::kept_outputs()),
        table_(load_sm_table(test::source_folder() / "assets" / "clock", "H200").value()) {}

  Result<loading::Prepared> prepare(const std::string& kernel, problem::Problem size,
                                    int block_size, compile::Build build) {
    const auto launch = problem::evaluate(*test::repository_catalog().find(kernel),
                                          {size, block_size}, problem::InputSpec{});
    TILESTEP_RETURN_IF_ERROR(launch);
    auto prepared = loading::prepare(compiler_, *launch, {build});
    if (!prepared) {
      return tl::unexpected(prepared.error().error);
    }
    return *std::move(prepared);
  }

  Result<Both> both(const std::string& kernel, problem::Problem size, int block_size,
                    compile::Build build, bool follows_sm = false) {
    auto stage = prepare(kernel, size, block_size, build);
    TILESTEP_RETURN_IF_ERROR(stage);
    const auto machine = prepare(kernel, size, block_size, compile::Build::Machine);
    TILESTEP_RETURN_IF_ERROR(machine);
    auto launch = TimedLaunch::make(*machine, table_, 1);
    TILESTEP_RETURN_IF_ERROR(launch);
    auto run = run_whole(*launch, table_);
    TILESTEP_RETURN_IF_ERROR(run);
    simt::Schedule schedule;
    if (follows_sm) {
      schedule.kind = simt::ScheduleKind::OnSm;
      schedule.clocks = statement_clocks(stage->program, launch->tracer().code(), *run);
    }
    auto recording = record::Recording::make(stage->program, schedule);
    TILESTEP_RETURN_IF_ERROR(recording);
    Both result{*std::move(recording), launch->tracer().code(), *std::move(run), nullptr};
    result.places = Places::make(*result.recording, result.code, result.run);
    return result;
  }

  compile::Compiler compiler_;
  SmTable table_;
};

// The steps of all warps, in order.
class Steps final : public simt::Observer {
 public:
  [[nodiscard]] bool wants_steps() const override { return true; }
  void before_step(const simt::StepInfo& info) override { warps.push_back(info.id); }
  std::vector<simt::WarpId> warps;
};

TEST_F(PlacesTest, EveryStepOfMachineCodeIsFoundInTimeAndBack) {
  const problem::Catalog& catalog = test::repository_catalog();
  int kernels = 0;
  for (const problem::LaunchSpec& spec : catalog.kernels) {
    const auto of = both(spec.id, spec.default_problem.value_or(problem::Problem{16, 16, 16}), 4,
                         compile::Build::Machine);
    if (!of) {
      continue;  // its instructions have no times, or it is too long
    }
    ++kernels;
    SCOPED_TRACE(spec.id);
    ASSERT_NE(of->places, nullptr);
    EXPECT_TRUE(of->places->is_exact());
    Steps steps;
    of->recording->replay(0, of->recording->step_count(), steps);
    std::size_t wrong = 0;
    for (std::uint64_t step = 0; step < steps.warps.size(); ++step) {
      const simt::WarpId warp = steps.warps[step];
      const std::int64_t clock = of->places->clock_at(warp, step + 1);
      const std::uint64_t back = of->places->step_at(warp, clock);
      // A translated step may be a part of an instruction, so the place may be before it; before
      // the first instruction it is after it.
      const bool is_first = clock == of->places->clock_at(warp, 0);
      wrong += back == 0 || (back > step + 1 && !is_first) ? 1 : 0;
      wrong += of->places->clock_at(warp, back) != clock ? 1 : 0;
    }
    EXPECT_EQ(wrong, 0U) << "of " << steps.warps.size();
    for (const WarpLife& life : of->run.lives) {
      const simt::WarpId warp{life.block, life.warp};
      EXPECT_GE(of->places->clock_at(warp, 0), life.start);
      EXPECT_EQ(of->places->clock_at(warp, of->recording->step_count()) + 1, life.end);
    }
  }
  EXPECT_GE(kernels, 30);
}

TEST_F(PlacesTest, PhasesOfTheStepBuildFollowEachOtherInTime) {
  const auto of = both("tiled", {8, 8, 8}, 4, compile::Build::Step);
  ASSERT_TRUE(of) << of.error().message;
  EXPECT_FALSE(of->places->is_exact());
  std::int64_t last = -1;
  for (const record::Phase& phase : of->recording->phases_of(0)) {
    const std::int64_t clock = of->places->clock_at({0, 0}, phase.last_step);
    EXPECT_GT(clock, last) << *phase.name;
    last = clock;
  }
}

TEST_F(PlacesTest, LinesThatPtxasHasMovedDoNotLeadAwayFromTheClock) {
  const auto of = both("tiled", {16, 16, 16}, 8, compile::Build::Step);
  ASSERT_TRUE(of) << of.error().message;
  std::uint64_t last = 0;
  for (std::int64_t clock = 0; clock < of->run.clocks; ++clock) {
    const std::uint64_t step = of->places->step_at({1, 0}, clock);
    EXPECT_GE(step, last) << clock;
    last = step;
  }
  // The warp waits for the loads of the first tile: not later than its products.
  const auto phases = of->recording->phases_of(1);
  EXPECT_GE(of->places->step_at({1, 0}, of->run.clocks / 4), phases[0].first_step);
  EXPECT_LE(of->places->step_at({1, 0}, of->run.clocks / 4), phases[1].last_step);
}

TEST_F(PlacesTest, TheScheduleAsOnTheSmExecutesStatementsInTheOrderOfTheirClocks) {
  for (const compile::Build build : {compile::Build::Machine, compile::Build::Step}) {
    const auto plain = both("tiled", {16, 16, 16}, 8, build);
    const auto of = both("tiled", {16, 16, 16}, 8, build, true);
    ASSERT_TRUE(of) << of.error().message;
    Steps steps;
    of->recording->replay(0, of->recording->step_count(), steps);
    std::vector<std::size_t> done(of->recording->schedule().clocks->size(), 0);
    std::vector<std::int64_t> clocks;
    const auto starts = of->recording->statement_starts();
    for (std::size_t k = 0; k + 1 < starts.size(); ++k) {
      const simt::WarpId warp = steps.warps[starts[k]];
      const std::size_t index = warp.block * of->recording->program().warps_per_block() + warp.warp;
      const auto& of_warp = of->recording->schedule().clocks->at(index);
      if (done[index] < of_warp.size()) {
        clocks.push_back(of_warp[done[index]++]);
      }
    }
    std::size_t backwards = 0;
    for (std::size_t k = 1; k < clocks.size(); ++k) {
      backwards += clocks[k] < clocks[k - 1] ? 1 : 0;
    }
    // Lines that ptxas has moved over each other go backwards within a warp.
    EXPECT_LE(backwards, build == compile::Build::Machine ? 0 : clocks.size() / 4);
    EXPECT_EQ(of->recording->step_count(), plain->recording->step_count());
    const auto end = [](const Both& one) {
      const record::State state = one.recording->state_at(one.recording->step_count());
      const auto bytes = state.machine().buffer(2);
      return std::vector<std::byte>(bytes.begin(), bytes.end());
    };
    EXPECT_EQ(end(*of), end(*plain));
  }
}

TEST_F(PlacesTest, ALaunchThatIsTooLongToShowSaysSo) {
  const auto of = both("naive", {256, 256, 256}, 16, compile::Build::Machine);
  ASSERT_FALSE(of);
  EXPECT_THAT(of.error().message, HasSubstr("Choose a smaller problem"));
}

}  // namespace
}  // namespace tilestep::clock
