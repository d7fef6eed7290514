// States become scenes: what a change keeps, and what remains after an error.
#include "workspace/workspace.h"

#include "build_tree_paths.h"
#include "temporary_folder.h"
#include "workspace/scene_maker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>

namespace tilestep::workspace {
namespace {

class WorkspaceTest : public ::testing::Test {
 protected:
  WorkspaceTest() { workspace.settle(); }

  void carry_out(const state::Command& command) {
    workspace.update({command}, 0.0);
    workspace.settle();
  }
  [[nodiscard]] const record::Recording& recording() const {
    return *workspace.view().run.scene->recording;
  }
  // The latest phase of the focus block that has begun.
  [[nodiscard]] std::string phase() const {
    const std::uint64_t step = workspace.state().step;
    std::string name;
    for (const record::Phase& at : recording().phases_of(workspace.state().focus.block)) {
      name = at.first_step < step ? *at.name : name;
    }
    return name;
  }

  compile::Compiler compiler{cache_options(test::build_tree_paths())};
  Workspace workspace{test::build_tree_paths(), compiler};
};

TEST_F(WorkspaceTest, OpensTheTiledKernel) {
  ASSERT_NE(workspace.view().run.scene, nullptr) << workspace.view().messages.error;
  EXPECT_EQ(workspace.view().run.scene->launch.id, "tiled");
  EXPECT_EQ(workspace.view().run.scene->accumulator, "acc");
  ASSERT_NE(workspace.view().run.check, nullptr);
  EXPECT_TRUE(workspace.view().run.check->clean());
  ASSERT_NE(workspace.view().run.counters, nullptr);
  EXPECT_GT(workspace.view().run.counters->global_loads.requests, 0U);
}

// In a later wave the first block does not move: a step would change nothing on stage.
TEST_F(WorkspaceTest, TheFocusGoesAlongWithWaves) {
  carry_out(state::SetParameters{{{34, 34, 34}, 2}});
  ASSERT_GT(recording().program().block_count(), simt::kResidentBlocks);
  EXPECT_EQ(workspace.state().focus.block, 0U);
  carry_out(state::SeekStep{recording().step_count() - 1});
  EXPECT_GE(workspace.state().focus.block, simt::kResidentBlocks);
}

// Waits until the stage shows what was requested.
void wait_for_stage(Workspace& workspace) {
  while (workspace.view().jobs.busy) {
    std::this_thread::yield();
    workspace.update({}, 0.0);
  }
}

TEST_F(WorkspaceTest, ALargeGridIsOnStageBeforeAllOfItIsRecorded) {
  carry_out(state::Step{state::Unit::Phase, +1});
  carry_out(state::Step{state::Unit::Phase, +1});
  carry_out(state::Step{state::Unit::Statement, +1});
  ASSERT_EQ(phase(), "load tile 1");
  workspace.update({state::SetParameters{{{48, 48, 48}, 2}}}, 0.0);
  EXPECT_TRUE(workspace.view().jobs.busy);
  wait_for_stage(workspace);
  EXPECT_FALSE(recording().is_whole());
  EXPECT_TRUE(recording().part().holds(workspace.state().focus.block));
  EXPECT_TRUE(workspace.view().jobs.completing);
  EXPECT_EQ(phase(), "load tile 1");
  workspace.settle();
  EXPECT_TRUE(recording().is_whole());
  EXPECT_FALSE(workspace.view().jobs.completing);
  EXPECT_EQ(phase(), "load tile 1");
  EXPECT_NE(workspace.view().run.check, nullptr);
}

// Its blocks need each other, so none can be shown alone.
TEST_F(WorkspaceTest, ALongRunIsOnStageByItsStart) {
  carry_out(state::SelectKernel{"shared_last_wave"});
  workspace.update({state::SetParameters{{{64, 64, 64}, 4}}}, 0.0);
  wait_for_stage(workspace);
  EXPECT_TRUE(recording().is_whole());
  EXPECT_FALSE(recording().is_complete());
  EXPECT_TRUE(workspace.view().jobs.completing);
  const std::uint64_t steps = recording().step_count();
  workspace.settle();
  EXPECT_TRUE(recording().is_complete());
  EXPECT_GT(recording().step_count(), steps);
  EXPECT_EQ(phase(), "load all tiles") << "never empty tiles";
  EXPECT_TRUE(workspace.view().narration.shows_phase);
  EXPECT_FALSE(workspace.view().jobs.completing);
}

// If the start of the run does not reach the stage's place, the old stage stays.
TEST_F(WorkspaceTest, AMoveInALongRunKeepsThePlace) {
  carry_out(state::SelectKernel{"shared_last_wave"});
  carry_out(state::SetParameters{{{64, 64, 64}, 4}});
  carry_out(state::Step{state::Unit::Statement, +1});
  const std::string here = phase();
  workspace.update({state::SetParameters{{{64, 64, 48}, 4}}}, 0.0);
  wait_for_stage(workspace);
  EXPECT_FALSE(recording().is_complete());
  EXPECT_EQ(here, "multiply, part 1 of 2");
  EXPECT_EQ(phase(), "multiply tile 0") << "nothing says yet that one phase loads all tiles";
  workspace.settle();
  EXPECT_TRUE(recording().is_complete());
  EXPECT_EQ(phase(), here);

  carry_out(state::SeekEnd{});
  workspace.update({state::SetParameters{{{64, 64, 64}, 4}}}, 0.0);
  wait_for_stage(workspace);
  EXPECT_TRUE(recording().is_complete());
  EXPECT_EQ(recording().program().launch().parameters.problem.K, 64);
  EXPECT_EQ(workspace.state().step, recording().step_count());
  workspace.settle();
  EXPECT_NE(workspace.view().run.check, nullptr);
}

TEST_F(WorkspaceTest, AGridTooLargeForARecordingIsShownPartByPart) {
  carry_out(state::SelectKernel{"double_buffered"});
  carry_out(state::SetParameters{{{64, 64, 64}, 1}});
  EXPECT_TRUE(workspace.view().messages.error.empty()) << workspace.view().messages.error;
  ASSERT_FALSE(recording().is_whole());
  EXPECT_FALSE(workspace.view().jobs.completing);
  for (int i = 0; i < 5; ++i) {
    carry_out(state::Step{state::Unit::Phase, +1});
  }
  const std::string here = phase();
  ASSERT_FALSE(here.empty());
  carry_out(state::FocusThread{4000, 0});
  EXPECT_EQ(workspace.state().focus.block, 4000U);
  EXPECT_TRUE(recording().part().holds(4000));
  EXPECT_EQ(phase(), here);
  EXPECT_NE(workspace.view().run.accumulation, nullptr);
}

// Sessions and scenes count their steps from the start of the whole run.
TEST_F(WorkspaceTest, AStepThatIsSetIsOneOfTheWholeRun) {
  state::AppState state = workspace.state();
  state.parameters = {{48, 48, 48}, 2};
  state.step = 1'000'003;
  workspace.set_state(state);
  workspace.settle();
  ASSERT_TRUE(recording().is_whole());
  EXPECT_EQ(workspace.state().step, 1'000'003U);
}

TEST_F(WorkspaceTest, AnotherSizeKeepsThePhase) {
  carry_out(state::Step{state::Unit::Phase, +1});
  carry_out(state::Step{state::Unit::Phase, +1});
  carry_out(state::Step{state::Unit::Statement, +1});
  ASSERT_EQ(phase(), "load tile 1");
  carry_out(state::SetParameters{{{12, 12, 12}, 4}});
  EXPECT_EQ(workspace.view().run.scene->launch.parameters.problem.M, 12);
  EXPECT_EQ(phase(), "load tile 1");
}

TEST_F(WorkspaceTest, ANewSizeAtTheStartShowsTheFirstLoad) {
  ASSERT_EQ(workspace.state().step, 0U);
  carry_out(state::SetParameters{{{12, 12, 12}, 6}});
  EXPECT_EQ(phase(), "load tile 0");
  EXPECT_TRUE(workspace.view().narration.shows_phase);
  carry_out(state::Step{state::Unit::Phase, +1});
  carry_out(state::SelectKernel{"tiled_padded"});
  EXPECT_EQ(phase(), "multiply tile 0");
  EXPECT_TRUE(workspace.view().narration.shows_phase);
  carry_out(state::Undo{});
  EXPECT_EQ(workspace.state().kernel, "tiled");
  EXPECT_EQ(phase(), "multiply tile 0");
}

// A window that looks ahead has recorded the neighbors: the stage is ready in the same update.
TEST_F(WorkspaceTest, NeighboursAreOnStageInTheSameFrame) {
  workspace.look_ahead();
  carry_out(state::SetParameters{{{16, 16, 16}, 4}});
  for (const int block_size : {5, 6, 8, 7, 9, 16, 4}) {
    workspace.update({state::SetParameters{{{16, 16, 16}, block_size}}}, 0.0);
    EXPECT_FALSE(workspace.view().jobs.busy) << block_size;
    EXPECT_EQ(workspace.view().run.scene->launch.parameters.block_size, block_size);
    EXPECT_EQ(phase(), "load tile 0");
    workspace.settle();
  }
  EXPECT_GT(workspace.view().jobs.kept_bytes, 0U);
  EXPECT_LE(workspace.view().jobs.kept_bytes, kKeptBytes);
  for (const int n : {17, 16, 32, 31}) {
    workspace.update({state::SetParameters{{{n, n, n}, 4}}}, 0.0);
    EXPECT_FALSE(workspace.view().jobs.busy) << n;
    workspace.settle();
  }
  workspace.update({state::SetParameters{{{16, 16, 16}, 4}}}, 0.0);
  workspace.settle();
  // Not a neighbor: recorded on request.
  workspace.update({state::SetParameters{{{16, 16, 16}, 27}}}, 0.0);
  EXPECT_TRUE(workspace.view().jobs.busy);
  workspace.settle();
  EXPECT_EQ(workspace.view().run.scene->launch.parameters.block_size, 27);
}

// Following the block takes long; meanwhile the statement has a sentence, and later a longer one.
TEST_F(WorkspaceTest, ASceneComesWithASentence) {
  carry_out(state::SetParameters{{{64, 64, 64}, 16}});
  workspace.look_ahead();
  workspace.settle();
  workspace.update({state::SetParameters{{{64, 64, 64}, 31}}}, 0.0);
  while (workspace.view().jobs.busy) {
    workspace.update({}, 0.0);
  }
  ASSERT_NE(workspace.view().narration.narrator, nullptr);
  const auto first = workspace.view().narration.narrator;
  workspace.settle();
  ASSERT_NE(workspace.view().narration.narrator, nullptr);
  EXPECT_NE(workspace.view().narration.narrator, first);
}

TEST_F(WorkspaceTest, BothSidesPrepareTheirNeighboursWithinOneBound) {
  workspace.look_ahead();
  carry_out(state::SetParameters{{{24, 24, 24}, 4}});
  state::Comparison comparison{.on = true, .second = setup_of(workspace.state())};
  comparison.second.parameters.block_size = 8;
  carry_out(state::Compare{comparison});
  for (const int block_size : {9, 8, 6, 5}) {
    comparison.second.parameters.block_size = block_size;
    workspace.update({state::Compare{comparison}}, 0.0);
    const auto& beside = workspace.view().beside;
    ASSERT_NE(beside, nullptr);
    EXPECT_FALSE(beside->view.jobs.busy) << block_size;
    EXPECT_EQ(beside->view.run.scene->launch.parameters.block_size, block_size);
    workspace.settle();
    EXPECT_GT(beside->view.jobs.kept_bytes, 0U);
    EXPECT_LE(workspace.view().jobs.kept_bytes + beside->view.jobs.kept_bytes, kKeptBytes);
  }
}

TEST_F(WorkspaceTest, OtherInputsKeepTheStep) {
  carry_out(state::Step{state::Unit::Phase, +1});
  const std::uint64_t step = workspace.state().step;
  problem::InputSpec ramp;
  ramp.pattern = problem::Pattern::Ramp;
  carry_out(state::SetInput{ramp});
  EXPECT_EQ(workspace.state().step, step);
}

// Blocks that take long to follow get their sums in the background.
TEST_F(WorkspaceTest, EveryBlockInFocusGetsItsSums) {
  carry_out(state::SetParameters{{{64, 64, 64}, 32}});
  for (const std::uint32_t block : {3U, 1U, 0U, 2U}) {
    carry_out(state::FocusThread{block, 5});
    ASSERT_NE(workspace.view().run.sums, nullptr) << block;
    EXPECT_EQ(workspace.view().run.sums->block(), block);
    EXPECT_EQ(workspace.view().run.sums->sums().size(), 1024U);
  }
}

// By default the growing sum is written out. A chosen one stays.
TEST_F(WorkspaceTest, TheSumThatGrowsIsWrittenOut) {
  carry_out(state::SelectKernel{"register_tile_2d"});
  const auto own_of = [&] {
    return workspace.view().run.sums->of_thread(workspace.state().focus.thread);
  };
  std::set<std::size_t> shown;
  for (int i = 0; i < 400; ++i) {
    carry_out(state::Step{state::Unit::Statement, +1});
    ASSERT_TRUE(workspace.view().run.sum);
    const std::size_t sum = *workspace.view().run.sum;
    if (sum != own_of().first) {
      EXPECT_GE(workspace.view().run.sums->now(sum, workspace.state().step).step,
                workspace.view().run.statement->first_step);
    }
    shown.insert(sum - own_of().first);
  }
  EXPECT_EQ(shown.size(), own_of().size()) << "each had its turn";
  carry_out(state::FocusSum{2});
  for (int i = 0; i < 20; ++i) {
    carry_out(state::Step{state::Unit::Statement, -1});
    EXPECT_EQ(*workspace.view().run.sum, own_of().first + 2);
  }
}

// A request stops following; a stage that stays is followed after all.
TEST_F(WorkspaceTest, ARefusedChangeLosesNoSums) {
  carry_out(state::SetParameters{{{64, 64, 64}, 32}});
  workspace.update({state::FocusThread{2, 5}}, 0.0);
  workspace.update({state::EditSource{"__global__ void broken("}}, 0.0);
  workspace.settle();
  EXPECT_FALSE(workspace.view().messages.error.empty());
  carry_out(state::Step{state::Unit::Statement, +1});
  ASSERT_NE(workspace.view().run.sums, nullptr);
  EXPECT_EQ(workspace.view().run.sums->block(), 2U);
}

TEST_F(WorkspaceTest, AnEditThatDoesNotCompileKeepsTheLastGoodScene) {
  if (!compile::Compiler({{}, {}}).nvrtc().found) {
    GTEST_SKIP() << "skipped: no NVRTC here to compile an edited text";
  }
  const workspace::Generation generation = workspace.view().run.scene->generation;
  carry_out(state::EditSource{"__global__ void matmul_tiled( { }"});
  EXPECT_EQ(workspace.view().run.scene->generation, generation);
  EXPECT_FALSE(workspace.view().messages.error.empty());
  ASSERT_FALSE(workspace.view().source.diagnostics.empty());
  EXPECT_EQ(workspace.view().source.diagnostics.front().line, 1);
  carry_out(state::StopEditing{false});
  EXPECT_TRUE(workspace.view().messages.error.empty());
}

TEST_F(WorkspaceTest, ARefusedLaunchSaysWhyAndKeepsTheStage) {
  carry_out(state::SelectKernel{"float4_loads"});
  ASSERT_EQ(workspace.view().run.scene->launch.id, "float4_loads");
  carry_out(state::SetParameters{{{8, 8, 8}, 5}});
  EXPECT_NE(workspace.view().messages.error.find("BLOCK_SIZE must be a multiple of 4"),
            std::string::npos)
      << workspace.view().messages.error;
  EXPECT_EQ(workspace.view().run.scene->launch.parameters.block_size, 4);
}

TEST_F(WorkspaceTest, TheNewestOfManyChangesWins) {
  for (int size = 1; size <= 16; ++size) {
    workspace.update({state::SetParameters{{{size, size, size}, 4}}}, 0.0);
  }
  workspace.settle();
  EXPECT_EQ(workspace.view().run.scene->launch.parameters.problem.M, 16);
}

TEST_F(WorkspaceTest, PlayingStepsAtItsPaceAndStopsAtTheEnd) {
  carry_out(state::SetPace{10.0F});
  workspace.update({state::Play{true}}, 1.0);
  workspace.update({}, 1.25);
  EXPECT_EQ(workspace.state().step, recording().statement_starts()[2]);
  for (double now = 1.45; workspace.state().playing && now < 1000.0; now += 0.2) {
    workspace.update({}, now);
  }
  EXPECT_EQ(workspace.state().step, recording().step_count());
  EXPECT_FALSE(workspace.state().playing);
}

TEST_F(WorkspaceTest, AMissingCsvIsASentenceAndLeavesTheInput) {
  const problem::InputSpec before = workspace.state().input;
  carry_out(state::OpenFile{"no_such_matrix.csv"});
  EXPECT_NE(workspace.view().messages.refusal.find("no_such_matrix.csv"), std::string::npos);
  EXPECT_EQ(workspace.state().input, before);
}

TEST_F(WorkspaceTest, TheAdversaryMakesTheMissingBarrierVisible) {
  carry_out(state::SelectKernel{"tiled_missing_barrier"});
  carry_out(state::SetWarpSize{4});
  EXPECT_EQ(workspace.view().run.check->comparison.wrong, 0U) << "lockstep hides it";
  EXPECT_FALSE(workspace.view().run.check->findings.empty()) << "the check does not";
  carry_out(state::SetSchedule{{simt::ScheduleKind::RunAhead, 0, 1}});
  EXPECT_GT(workspace.view().run.check->comparison.wrong, 0U);
}

TEST_F(WorkspaceTest, AChartIsMadeOnceForAViewOfItsData) {
  EXPECT_EQ(workspace.view().timing.shown, nullptr) << "the Timing tab is not open";
  state::TimingView view;
  view.predict = false;
  workspace.update({state::SetTab{state::Tab::Timing}, state::SetTimingView{view}}, 0.0);
  const auto& shown = workspace.view().timing.shown;
  ASSERT_NE(shown, nullptr);
  ASSERT_FALSE(shown->chart.is_empty());
  EXPECT_EQ(shown->problems.size(),
            analysis::measured_problems(*workspace.view().timing.dataset).size());
  const analysis::Curve* const curves = shown->chart.curves.data();
  workspace.update({}, 1.0);
  EXPECT_EQ(workspace.view().timing.shown->chart.curves.data(), curves) << "the very same";

  const std::string title = shown->chart.title;
  view.page = state::TimingPage::Ladder;
  workspace.update({state::SetTimingView{view}}, 2.0);
  EXPECT_NE(workspace.view().timing.shown->chart.title, title);
  workspace.update({state::SetTimedBlockSize{7}}, 3.0);
  EXPECT_EQ(workspace.view().timing.shown->chart.title, "Kernels at BLOCK_SIZE 7");
  workspace.update({state::SetTab{state::Tab::Step}}, 4.0);
  EXPECT_EQ(workspace.view().timing.shown, nullptr);
}

TEST_F(WorkspaceTest, AChartIsMadeAnewWhenALaunchIsCounted) {
  state::TimingView view;
  view.problem = {256, 256, 256};
  view.predict = false;
  view.selected_kernel = "tiled";
  view.selected_block_size = 16;
  workspace.update({state::SetTab{state::Tab::Timing}, state::SetTimingView{view}}, 0.0);
  EXPECT_GT(workspace.view().timing.uncounted, 0U);
  const problem::Parameters selected{view.problem, 16};
  EXPECT_EQ(
      analysis::find_facts(workspace.view().timing.shown->request.facts, "tiled", selected, 0),
      nullptr);
  workspace.settle();
  EXPECT_EQ(workspace.view().timing.uncounted, 0U);
  const auto facts = workspace.view().timing.shown->request.facts;
  ASSERT_EQ(facts.size(), workspace.view().timing.facts->size());
  EXPECT_NE(analysis::find_facts(facts, "tiled", selected, 0), nullptr);
}

TEST(WorkspaceFiles, ABrokenDataSetIsNamedAndTheOthersAreThere) {
  const test::TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "timings");
  std::ofstream(folder.path() / "timings" / "broken.json") << "{\"format\": 7}";
  Paths paths = test::build_tree_paths();
  paths.user_data = folder.path();
  compile::Compiler compiler(cache_options(paths));
  Workspace workspace(paths, compiler);
  workspace.settle();
  const FrameView& view = workspace.view();
  EXPECT_TRUE(view.timing.is_read);
  EXPECT_NE(view.timing.unread_files.find("broken"), std::string::npos) << view.timing.unread_files;
  EXPECT_EQ(view.messages.error, "") << "the stage has no fault";
  ASSERT_EQ(view.timing.datasets->size(), 3U);
  EXPECT_EQ(view.timing.datasets->front().name, "h200");
  EXPECT_EQ(view.timing.datasets->back().name, "rungs_h200");
}

}  // namespace
}  // namespace tilestep::workspace
