// Two runs in one workspace: side 2 follows side 1, and both are on one timeline.
#include "workspace/second_side.h"

#include "build_tree_paths.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tilestep::workspace {
namespace {

class Sides : public ::testing::Test {
 protected:
  void compare(state::AppState state, const std::string& kernel) {
    state.comparison = {.on = true, .second = setup_of(state)};
    state.comparison.second.kernel = kernel;
    workspace.set_state(std::move(state));
    workspace.settle();
  }
  void carry_out(const state::Command& command) {
    workspace.update({command}, 0.0);
    workspace.settle();
  }
  // Warp 0 of 4 lanes runs ahead.
  static state::AppState ahead() {
    state::AppState state;
    state.schedule = {simt::ScheduleKind::RunAhead, 0};
    state.warp_size = 4;
    return state;
  }
  [[nodiscard]] const Beside& beside() const { return *workspace.view().beside; }
  [[nodiscard]] bool is_at_a_stop() const {
    const auto stops = beside().joint->stops();
    return std::ranges::find(stops, record::JointTimeline::Stop{workspace.state().step,
                                                                workspace.state().second_step}) !=
           stops.end();
  }

  compile::Compiler compiler{cache_options(test::build_tree_paths())};
  Workspace workspace{test::build_tree_paths(), compiler};
};

TEST_F(Sides, AreOneWhereNothingIsCompared) {
  workspace.settle();
  EXPECT_EQ(workspace.view().beside, nullptr);
}

TEST_F(Sides, StandTogetherAtEveryStopInBothDirections) {
  compare({}, "naive");
  ASSERT_NE(workspace.view().beside, nullptr);
  ASSERT_NE(beside().joint, nullptr);
  EXPECT_EQ(beside().state.kernel, "naive");
  std::vector<std::uint64_t> seen;
  const std::size_t last = beside().joint->stops().size() - 1;
  for (std::size_t i = 0; i < last; ++i) {
    seen.push_back(workspace.state().second_step);
    carry_out(state::Step{});
    ASSERT_TRUE(is_at_a_stop()) << workspace.state().step;
    EXPECT_EQ(beside().view.run.state->step(), workspace.state().second_step);
  }
  EXPECT_EQ(workspace.state().step, workspace.view().run.scene->recording->step_count());
  for (std::size_t i = last; i > 0; --i) {
    carry_out(state::Step{state::Unit::Statement, -1});
    EXPECT_EQ(workspace.state().second_step, seen[i - 1]);
  }
  EXPECT_EQ(workspace.state().step, 0U);
}

TEST_F(Sides, GoToTheFirstDifferenceAndToTheThreadThatHasIt) {
  compare(ahead(), "tiled_missing_barrier");
  ASSERT_NE(beside().sums, nullptr);
  ASSERT_FALSE(beside().sums->differences.empty());
  carry_out(state::GoToDifference{});
  EXPECT_TRUE(is_at_a_stop());
  const insight::SumDifference& first = beside().sums->differences.front();
  EXPECT_EQ(workspace.state().focus.thread, first.sides[0].thread);
  EXPECT_EQ(beside().state.focus.thread, first.sides[0].thread);
  EXPECT_GE(workspace.state().second_step, first.sides[1].step);
  // Both threads have just added that product.
  ASSERT_NE(beside().view.run.accumulation, nullptr);
  EXPECT_EQ(beside().view.run.accumulation->terms.size(), first.sides[1].product + 1);
  ASSERT_NE(workspace.view().run.accumulation, nullptr);
  EXPECT_EQ(workspace.view().run.accumulation->terms.size(), first.sides[0].product + 1);
}

TEST_F(Sides, SayWhereNothingDiffers) {
  compare({}, "naive");
  carry_out(state::GoToDifference{});
  EXPECT_EQ(workspace.view().messages.event, "No sum differs: both runs add the same products.");
}

TEST_F(Sides, SwapAndTheSecondCanStandAlone) {
  compare({}, "naive");
  for (int i = 0; i < 9; ++i) {
    carry_out(state::Step{});
  }
  const std::uint64_t first = workspace.state().step;
  const std::uint64_t second = workspace.state().second_step;
  carry_out(state::SwapSides{});
  EXPECT_EQ(workspace.state().kernel, "naive");
  EXPECT_EQ(beside().state.kernel, "tiled");
  EXPECT_EQ(workspace.state().step, second);
  EXPECT_EQ(workspace.state().second_step, first);
  carry_out(state::OpenSecond{});
  EXPECT_EQ(workspace.state().kernel, "tiled");
  EXPECT_EQ(workspace.state().step, first);
  EXPECT_EQ(workspace.view().beside, nullptr);
}

// The focus is one element of C, not one thread index.
TEST_F(Sides, OfDifferentBlockSizesLookAtTheSameElement) {
  state::AppState state;
  state.focus.block = 3;
  state.focus.thread = 6;  // (2,1) of block (1,1): C[5][6]
  state.comparison = {.on = true, .second = setup_of(state)};
  state.comparison.second.parameters.block_size = 2;
  workspace.set_state(state);
  workspace.settle();
  EXPECT_EQ(beside().state.focus.block, 2U * 4 + 3);
  EXPECT_EQ(beside().state.focus.thread, 2U);
}

// The same text in both builds: the compiler's two versions add the same products.
TEST_F(Sides, MayBeTheTwoBuildsOfOneText) {
  state::AppState state;
  state.comparison = {.on = true, .second = setup_of(state)};
  state.comparison.second.build = problem::Build::Fast;
  for (const char* kernel : {"tiled", "naive", "register_tile_2d"}) {
    SCOPED_TRACE(kernel);
    state.kernel = kernel;
    state.comparison.second.kernel = kernel;
    if (state.kernel == "register_tile_2d") {
      state.parameters = {{16, 16, 16}, 4};
      state.comparison.second.parameters = state.parameters;
    }
    workspace.set_state(state);
    workspace.settle();
    ASSERT_NE(beside().joint, nullptr);
    ASSERT_NE(beside().view.run.scene, nullptr) << beside().view.messages.error;
    EXPECT_TRUE(workspace.view().run.scene->recording->program().module().is_debug);
    EXPECT_FALSE(beside().view.run.scene->recording->program().module().is_debug);
    EXPECT_EQ(beside().view.run.scene->kernel.build, problem::Build::Fast);
    EXPECT_GT(beside().sums->products, 0U);
    EXPECT_TRUE(beside().sums->differences.empty());
    ASSERT_NE(workspace.view().run.check, nullptr);
    ASSERT_NE(beside().view.run.check, nullptr);
    EXPECT_GT(workspace.view().run.check->counters.warp_instructions,
              beside().view.run.check->counters.warp_instructions)
        << "it is optimised";
    EXPECT_EQ(workspace.view().run.check->counters.global_stores.sectors,
              beside().view.run.check->counters.global_stores.sectors);
    carry_out(state::Step{state::Unit::Phase, +1});
    EXPECT_GT(workspace.state().second_step, 0U);
    carry_out(state::SwapSides{});
    EXPECT_EQ(workspace.state().build, problem::Build::Fast);
    EXPECT_FALSE(workspace.view().run.scene->recording->program().module().is_debug);
  }
}

TEST_F(Sides, TakeTheSumsThatTheWorkspacesHave) {
  compare({}, "naive");
  ASSERT_NE(beside().sums, nullptr);
  EXPECT_EQ(beside().sums->products, 128U);
}

TEST_F(Sides, ABarrierThatIsSwitchedOffIsToldOf) {
  workspace.settle();
  const int line = 31;
  carry_out(state::ToggleBarrier{line});
  EXPECT_NE(workspace.state().edited_source.find("// off: __syncthreads();"), std::string::npos);
  EXPECT_EQ(workspace.view().messages.event,
            "The barrier at line 31 is disabled. Lockstep may hide the effect: press A to let warp "
            "0 run ahead.");
  carry_out(state::ToggleBarrier{line});
  EXPECT_EQ(workspace.state().edited_source, "") << "the file's own text";
  EXPECT_EQ(workspace.view().messages.event, "The barrier at line 31 is enabled.");
}

}  // namespace
}  // namespace tilestep::workspace
