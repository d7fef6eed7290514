#include "problem/launch/reference.h"
#include "ui/stage_scene.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace tilestep::ui {
namespace {

using test::StageScene;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// tiled.cu's phases: load and multiply alternate, then the write back.
std::size_t load_phase(int tile) {
  return static_cast<std::size_t>(2 * tile);
}
std::size_t multiply_phase(int tile) {
  return static_cast<std::size_t>(2 * tile + 1);
}
std::uint32_t tiled_line(const std::string& part) {
  return test::line_of(test::repository_catalog().find("tiled")->source, part);
}

// A padded row has more places than elements.
TEST(StageContent, EveryThreadShowsItsSum_WhereTheOutputsRowsArePadded) {
  test::StageScene scene("submatrix_width_for_stride", {8, 8, 8}, 4);
  scene.block = 1;
  scene.go_to_end_of_phase(1);
  ASSERT_FALSE(scene.shape().tile);
  EXPECT_EQ(scene.content().sums.size(), 16U);
  const auto& threads = scene.content().sheets[size(scene.shape().threads)].cells;
  EXPECT_TRUE(std::ranges::all_of(threads,
                                  [](const Cell& cell) { return cell.state == CellState::Value; }));
}

TEST(StageContent, TilesAreWhatTheBlockLoaded) {
  StageScene scene("tiled", {8, 8, 8}, 4);
  scene.block = 1;  // (1, 0): rows 0..3 of A, columns 4..7 of B
  for (int tile = 0; tile < 2; ++tile) {
    for (const std::size_t phase : {load_phase(tile), multiply_phase(tile)}) {
      scene.go_to_end_of_phase(phase);
      EXPECT_THAT(scene.frame(FrameKind::Tile, "A"), ElementsAre(0, 4 * tile, 4, 4));
      EXPECT_THAT(scene.frame(FrameKind::Tile, "B"), ElementsAre(4 * tile, 4, 4, 4));
    }
  }
  EXPECT_THAT(scene.frame(FrameKind::Visited, "A"), ElementsAre(0, 0, 4, 8));
  EXPECT_THAT(scene.frame(FrameKind::Visited, "B"), ElementsAre(0, 4, 8, 4));
}

TEST(StageContent, NothingIsFramedBeforeItIsLoaded) {
  StageScene scene("tiled", {8, 8, 8}, 4);
  scene.go_to(0);
  EXPECT_THAT(scene.frame(FrameKind::Tile, "A"), IsEmpty());
  EXPECT_THAT(scene.frame(FrameKind::Tile, "B"), IsEmpty());
  scene.go_to_line(tiled_line("As[ty][tx] ="));
  EXPECT_THAT(scene.frame(FrameKind::Tile, "A"), ElementsAre(0, 0, 4, 4));
  EXPECT_THAT(scene.frame(FrameKind::Tile, "B"), IsEmpty()) << "B comes with the next statement";
}

TEST(StageContent, TilesEndAtTheMatrixEdge) {
  StageScene scene("tiled", {5, 6, 7}, 4);
  scene.block = 3;  // (1, 1): row 4 of A, columns 4 and 5 of B
  scene.go_to_end_of_phase(load_phase(1));
  EXPECT_THAT(scene.frame(FrameKind::Tile, "A"), ElementsAre(4, 4, 1, 3));
  EXPECT_THAT(scene.frame(FrameKind::Tile, "B"), ElementsAre(4, 4, 3, 2));
}

TEST(StageContent, SharedCellsFillAsThreadsStore) {
  StageScene scene("tiled", {8, 8, 8}, 4);
  scene.go_to(0);
  EXPECT_EQ(scene.cell("As", 1, 2).state, CellState::Empty);
  scene.go_to_line(tiled_line("As[ty][tx] ="));
  for (int row = 0; row < 4; ++row) {
    for (int col = 0; col < 4; ++col) {
      const Cell& cell = scene.cell("As", row, col);
      EXPECT_EQ(cell.state, CellState::Value);
      EXPECT_TRUE(cell.is_written);
      EXPECT_EQ(cell.value, scene.cell("A", row, col).value);
      EXPECT_TRUE(scene.cell("A", row, col).is_read);
      EXPECT_EQ(scene.cell("Bs", row, col).state, CellState::Empty);
    }
  }
}

TEST(StageContent, TheFocusThreadsReadsGrowAlongItsRowAndColumn) {
  StageScene scene("tiled", {8, 8, 8}, 4);
  scene.thread = 6;  // (2, 1)
  const std::uint32_t line = tiled_line("acc += ");
  for (int e = 0; e < 4; ++e) {
    scene.go_to_line(line, e);
    EXPECT_THAT(scene.frame(FrameKind::FocusReads, "As"), ElementsAre(1, 0, 1, e + 1));
    EXPECT_THAT(scene.frame(FrameKind::FocusReads, "Bs"), ElementsAre(0, 2, e + 1, 1));
    EXPECT_TRUE(scene.cell("As", 1, e).by_focus_thread);
    EXPECT_FALSE(scene.cell("As", 2, e).by_focus_thread);
    EXPECT_TRUE(scene.cell("As", 2, e).is_read);
    EXPECT_FALSE(scene.cell("As", 1, (e + 1) % 4).is_read);
  }
  scene.go_to_end_of_phase(load_phase(1));
  EXPECT_THAT(scene.frame(FrameKind::FocusReads, "As"), IsEmpty()) << "a new phase starts over";
}

TEST(StageContent, AccumulatorsAreWrittenByWhoAddsEvenZero) {
  // A is the identity: the second product of row 0 is zero, its accumulators stay B's first row.
  problem::InputSpec identity;
  identity.pattern = problem::Pattern::Identity;
  StageScene scene(test::launch_of("tiled", {4, 4, 4}, 4, identity));
  scene.go_to_line(tiled_line("acc += "), 1);
  EXPECT_EQ(scene.cell("acc", 0, 0).value, scene.cell("B", 0, 0).value);
  for (int row = 0; row < 4; ++row) {
    for (int col = 0; col < 4; ++col) {
      EXPECT_TRUE(scene.cell("acc", row, col).is_written);
    }
  }
  scene.go_to_line(tiled_line("no thread loads"));
  EXPECT_FALSE(scene.cell("acc", 0, 0).is_written);
}

TEST(StageContent, AccumulatorsAreWrittenWhereEveryProductIsZero) {
  problem::InputSpec zeros;
  zeros.pattern = problem::Pattern::Constant;
  zeros.constant = 0.0;
  StageScene scene(test::launch_of("tiled", {4, 4, 4}, 4, zeros));
  for (int e = 0; e < 4; ++e) {
    scene.go_to_line(tiled_line("acc += "), e);
    EXPECT_EQ(scene.cell("acc", 1, 2).value, 0.0);
    EXPECT_TRUE(scene.cell("acc", 1, 2).is_written) << "product " << e;
  }
  for (const char* const other : {"As[ty][tx] =", "__syncthreads", "no thread loads"}) {
    scene.go_to_line(tiled_line(other));
    EXPECT_FALSE(scene.cell("acc", 1, 2).is_written) << other;
  }
}

TEST(StageContent, CShowsAccumulatorsUntilTheyAreStored) {
  StageScene scene("tiled", {8, 8, 8}, 4);
  scene.go_to_end_of_phase(multiply_phase(0));
  EXPECT_EQ(scene.cell("C", 1, 2).state, CellState::Pending);
  EXPECT_EQ(scene.cell("C", 1, 2).value, scene.cell("acc", 1, 2).value);
  EXPECT_EQ(scene.content().sheets[2].pending, 64U);
  scene.go_to(scene.recording().step_count());
  EXPECT_EQ(scene.cell("C", 1, 2).state, CellState::Value);
  EXPECT_EQ(scene.content().sheets[2].stored, 64U);
  EXPECT_EQ(scene.content().sheets[2].pending, 0U);
}

TEST(StageContent, EveryBlockOwnsWhatItStores) {
  StageScene scene("tiled", {5, 6, 7}, 4);
  const auto& owners = scene.owners().cells[2];
  for (int row = 0; row < 5; ++row) {
    for (int col = 0; col < 6; ++col) {
      const Owner owner = owners[static_cast<std::size_t>(row * 6 + col)];
      EXPECT_EQ(owner.block, static_cast<std::uint32_t>(row / 4 * 2 + col / 4));
      EXPECT_EQ(owner.thread, static_cast<std::uint32_t>(row % 4 * 4 + col % 4));
    }
  }
  scene.block = 3;
  scene.go_to(0);
  EXPECT_THAT(scene.frame(FrameKind::Block, "C"), ElementsAre(4, 4, 1, 2));
}

TEST(StageContent, ResultsStoredInAMultiplyPhaseHaveOwners) {
  StageScene scene("tiled_missing_barrier", {8, 8, 8}, 4);
  scene.block = 1;
  scene.go_to(0);
  EXPECT_THAT(scene.frame(FrameKind::Block, "C"), ElementsAre(0, 4, 4, 4));
}

TEST(StageContent, HalvesOfAWordHaveTheirOwnOwners) {
  test::OwnKernel kernel;
  kernel.source =
      "__global__ void kernel(unsigned short* x) { x[threadIdx.x] = (unsigned short)threadIdx.x; }";
  kernel.buffers = {{"x", 32}};
  problem::Launch launch = test::launch_of(kernel);
  launch.buffers[0].type = problem::ElementType::U16;
  launch.buffers[0].contents.resize(64);
  const StageScene scene(launch);
  for (std::uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(scene.owners().cells[0][i].thread, i);
  }
}

TEST(StageContent, ThreadsBeyondTheEdgeAreMaskedWhenCIsStored) {
  StageScene scene("tiled", {5, 6, 7}, 4);
  scene.block = 3;
  scene.go_to_line(tiled_line("C[row * N + col] = acc"));
  EXPECT_FALSE(scene.cell("acc", 0, 1).is_masked);
  EXPECT_TRUE(scene.cell("acc", 0, 2).is_masked);
  EXPECT_TRUE(scene.cell("acc", 1, 0).is_masked);
}

TEST(StageContent, TransfersSayWhereSharedCellsCameFrom) {
  StageScene scene("tiled", {8, 8, 8}, 4);
  scene.block = 2;  // (0, 1): rows 4..7 of A
  scene.go_to_line(tiled_line("As[ty][tx] ="), 1);
  ASSERT_EQ(scene.content().moving.size(), 16U);
  for (const Transfer& move : scene.content().moving) {
    EXPECT_EQ(move.from.sheet, scene.sheet("A"));
    EXPECT_EQ(move.from.row, move.to.row + 4);
    EXPECT_EQ(move.from.col, move.to.col + 4);
  }
  scene.go_to_end_of_phase(multiply_phase(1));
  ASSERT_EQ(scene.content().sources.size(), 2U);
  EXPECT_EQ(scene.content().sources[0].from.row, 4);
  EXPECT_EQ(scene.content().sources[0].from.col, 4);
}

TEST(StageContent, AnotherBlocksSharedMemoryIsNotShown) {
  simt::Schedule sequential;
  sequential.kind = simt::ScheduleKind::Sequential;
  StageScene scene("tiled", {8, 8, 8}, 4, sequential);
  scene.block = 3;
  scene.go_to(scene.recording().phases_of(0)[multiply_phase(0)].last_step);
  EXPECT_EQ(scene.cell("As", 0, 0).state, CellState::Empty);
  EXPECT_FALSE(scene.cell("As", 0, 0).is_read);
}

TEST(StageContent, WithoutSharedMemoryReadsAreLitInTheMatrices) {
  StageScene scene("naive", {8, 8, 8}, 4);
  EXPECT_EQ(scene.shape().threads, kNoSheet);
  scene.thread = 6;
  const std::string& source = test::repository_catalog().find("naive")->source;
  scene.go_to_line(test::line_of(source, "acc += "), 2);
  EXPECT_TRUE(scene.cell("A", 1, 2).by_focus_thread);
  EXPECT_TRUE(scene.cell("B", 2, 2).by_focus_thread);
  EXPECT_TRUE(scene.cell("A", 7, 2).is_read);
  EXPECT_FALSE(scene.cell("A", 7, 2).by_focus_block);
}

TEST(StageContent, AccessesOutsideAreDrawnBeyondTheEdge) {
  test::OwnKernel kernel;
  kernel.source = "__global__ void kernel(float* x) { x[threadIdx.x + 30] = 1.0f; }";
  kernel.entry = "kernel";
  kernel.buffers = {{"x", 32}};
  StageScene scene(test::launch_of(kernel));
  scene.thread = 5;
  scene.go_to_line(1, 0);
  while (scene.content().strays.empty() &&
         scene.inputs().state.step() < scene.recording().step_count()) {
    scene.go_to(scene.inputs().state.step() + 1);
  }
  ASSERT_FALSE(scene.content().strays.empty());
  const Stray& first = scene.content().strays.front();
  EXPECT_FALSE(first.place.inside);
  EXPECT_TRUE(first.is_store);
  EXPECT_EQ(first.place.row, 4) << "behind the only row, which is drawn as four";
  EXPECT_EQ(first.place.col, 0);
  EXPECT_EQ(first.name, "x[32]") << "thread 2 is the first that leaves the array";
  EXPECT_EQ(scene.content().strays.size(), 30U);
  EXPECT_FALSE(first.by_focus_thread);
  EXPECT_TRUE(scene.content().strays[3].by_focus_thread);
  EXPECT_TRUE(scene.cell("x", 3, 7).is_written) << "two threads stay inside";
}

// A store to the gap between two shared arrays has no cell; the sanitizers once saw it mark a cell
// that does not exist.
TEST(StageContent, AStoreBehindASharedArray_HasNoCell) {
  StageScene scene("full_strip_unrounded_k", {4, 4, 5}, 2);
  std::size_t strays = 0;
  for (const std::uint64_t start : scene.recording().statement_starts()) {
    scene.go_to(start);
    strays = std::max(strays, scene.content().strays.size());
  }
  EXPECT_GT(strays, 0U);
}

TEST(Shape, OneLongRowIsWrapped) {
  test::OwnKernel kernel;
  kernel.source =
      "__global__ void kernel(float* x) { __shared__ float s[100]; s[threadIdx.x] = x[0]; "
      "__syncthreads(); x[threadIdx.x] = s[99 - threadIdx.x]; }";
  kernel.entry = "kernel";
  kernel.buffers = {{"x", 70}};
  const StageScene scene(test::launch_of(kernel));
  const Sheet& x = scene.shape().sheets[0];
  EXPECT_TRUE(x.wrapped);
  EXPECT_EQ(x.rows, 5);
  EXPECT_EQ(x.cols, 16);
  EXPECT_EQ(x.count, 70U);
  const Sheet& s = scene.shape().sheets[static_cast<std::size_t>(scene.sheet("s"))];
  EXPECT_EQ(s.kind, SheetKind::Shared);
  EXPECT_EQ(s.rows, 7);
  EXPECT_EQ(s.count, 100U);
}

TEST(Shape, SharedArraysHaveTheirDeclaredRowsAndColumns) {
  test::OwnKernel kernel;
  kernel.source =
      "__global__ void kernel(float* x) { __shared__ int tile[2][3][5]; "
      "tile[threadIdx.x % 2][1][2] = 1; __syncthreads(); x[0] = tile[1][1][2]; }";
  kernel.entry = "kernel";
  kernel.buffers = {{"x", 1}};
  const StageScene scene(test::launch_of(kernel));
  const Sheet& tile = scene.shape().sheets[static_cast<std::size_t>(scene.sheet("tile"))];
  EXPECT_EQ(tile.rows, 6);
  EXPECT_EQ(tile.cols, 5);
  EXPECT_EQ(tile.element, problem::ElementType::S32);
}

TEST(CellStory, NamesWriterTimeAndOriginOfASharedCell) {
  StageScene scene("tiled", {8, 8, 8}, 4);
  scene.block = 1;
  scene.go_to_end_of_phase(multiply_phase(1));
  const CellStory story = cell_story(scene.inputs(), scene.content(), {scene.sheet("Bs"), 2, 1});
  EXPECT_THAT(story.title, ::testing::StartsWith("Bs[2][1] = "));
  EXPECT_THAT(story.lines, ::testing::Contains("stored by thread (1,2) of block (1,0)"));
  EXPECT_THAT(story.lines, ::testing::Contains("loaded from B[6][5]"));
  EXPECT_THAT(story.lines, ::testing::Contains(::testing::StartsWith(
                               "line " + std::to_string(tiled_line("Bs[ty][tx] =")))));
}

TEST(CellStory, SaysThatAResultIsNotStoredYet) {
  StageScene scene("tiled", {8, 8, 8}, 4);
  scene.go_to_end_of_phase(multiply_phase(0));
  const CellStory story = cell_story(scene.inputs(), scene.content(), {scene.sheet("C"), 5, 6});
  EXPECT_EQ(story.title, "C[5][6]");
  EXPECT_THAT(story.lines, ::testing::Contains("not stored yet"));
  EXPECT_THAT(story.lines,
              ::testing::Contains(::testing::EndsWith("in thread (2,1) of block (1,1)")));
}

TEST(Headline, SaysThePhaseAndWhatTheStatementDid) {
  StageScene scene("tiled", {8, 8, 8}, 4);
  scene.block = 1;
  scene.go_to_line(tiled_line("As[ty][tx] ="), 1);
  Headline headline = make_headline(scene.inputs(), scene.content());
  EXPECT_EQ(headline.where, "Phase 3 of 5 · tile 1 (of tiles 0 to 1) · block (1,0)");
  EXPECT_EQ(headline.phase, "load tile 1");
  EXPECT_THAT(headline.sentence,
              ::testing::MatchesRegex("16 threads copy 16 numbers of A into As. Thread .0,0. "
                                      "copies A.0..4. = .+ to As.0..0.\\."));
  scene.go_to_line(tiled_line("acc += "));
  headline = make_headline(scene.inputs(), scene.content());
  EXPECT_THAT(headline.sentence,
              ::testing::StartsWith("16 threads read a column of As and a row of Bs. "
                                    "Thread (0,0) adds "));
  EXPECT_EQ(headline.verdict, Verdict::None);
}

TEST(Headline, SaysAtTheEndWhetherCIsRight) {
  simt::Schedule run_ahead;
  run_ahead.kind = simt::ScheduleKind::RunAhead;
  const problem::Launch launch = test::launch_of("tiled_missing_barrier", {8, 8, 8}, 8);
  for (const simt::Schedule& schedule : {simt::Schedule{}, run_ahead}) {
    StageScene scene(launch, schedule);
    scene.expected = problem::expected_outputs(launch);
    ASSERT_EQ(scene.expected.size(), 1U);
    scene.go_to(scene.recording().step_count());
    EXPECT_EQ(make_headline(scene.inputs(), scene.content()).sentence,
              "The run is complete: C matches the reference.")
        << "one tile only: nothing can be overwritten";
    scene.expected[0].values.values[3] += 1.0;
    scene.expected[0].values.values[5] = std::nan("");
    scene.go_to(scene.recording().step_count());
    const Headline headline = make_headline(scene.inputs(), scene.content());
    EXPECT_EQ(headline.sentence,
              "The run is complete: 2 of 64 elements of C differ from the reference.");
    EXPECT_EQ(headline.verdict, Verdict::Wrong);
  }
}

TEST(Verdict, EveryOutputIsComparedWithItsOwnExpectation) {
  test::OwnKernel kernel;
  kernel.source =
      "__global__ void kernel(float* x, float* y) { int i = threadIdx.x; x[i] = i; y[i] = 2 * i; }";
  kernel.block = {70, 1, 1};
  kernel.buffers = {{"x", 70}, {"y", 70}};
  const problem::Launch launch = test::launch_of(kernel);
  StageScene scene(launch);
  problem::Numbers once{1, 70, {}};
  problem::Numbers twice{1, 70, {}};
  for (int i = 0; i < 70; ++i) {
    once.values.push_back(i);
    twice.values.push_back(2.0 * i);
  }
  scene.expected = {{0, once, 0.0}, {1, twice, 0.0}};
  scene.go_to(scene.recording().step_count());
  EXPECT_EQ(make_headline(scene.inputs(), scene.content()).sentence,
            "The run is complete: x and y match the reference.");
  scene.expected[1].values.values[66] += 1.0;
  scene.go_to(scene.recording().step_count());
  EXPECT_EQ(make_headline(scene.inputs(), scene.content()).sentence,
            "The run is complete: 1 of 70 elements of y differ from the reference.");
  const Sheet& y = scene.shape().sheets[1];
  ASSERT_TRUE(y.wrapped);
  EXPECT_TRUE(scene.content().sheets[1].cells[66].is_wrong);
  EXPECT_FALSE(scene.content().sheets[0].cells[66].is_wrong);
}

TEST(Verdicts, APartOfASumThatIsStoredOnTheWayIsNotWrong) {
  StageScene scene("tiled_store_inside_loop", {8, 8, 8}, 4);
  const auto c = static_cast<std::size_t>(scene.sheet("C"));
  scene.go_to(scene.recording().step_count());
  problem::Numbers result{8, 8, {}};
  for (const Cell& cell : scene.content().sheets[c].cells) {
    result.values.push_back(cell.value);
  }
  scene.expected = {{2, result, 0.0}};
  const auto wrong_on_the_way = [&] {
    scene.go_to_end_of_phase(2);
    return std::ranges::count_if(scene.content().sheets[c].cells, &Cell::is_wrong);
  };
  ASSERT_NE(scene.content().sheets[c].cells[0].value, 0.0);
  EXPECT_EQ(wrong_on_the_way(), 0);
  scene.expected[0].values.values[9] += 1.0;
  EXPECT_EQ(wrong_on_the_way(), 1);
}

TEST(Transfers, OfVectorsGoElementByElement) {
  StageScene scene("pipelined_tiles_teaching", {16, 16, 16}, 4);
  scene.go_to_end_of_phase(0);
  const std::vector<Transfer> moves = transfers(scene.inputs().log.phase(0), scene.shape());
  scene.go_to_end_of_phase(1);  // all of them have arrived
  const auto value = [&scene](const SheetPlace& at) {
    const auto sheet = static_cast<std::size_t>(at.sheet);
    return scene.content()
        .sheets[sheet]
        .cells[cell_index(scene.shape().sheets[sheet], {at.row, at.col})]
        .value;
  };
  std::size_t beside = 0;
  for (std::size_t i = 0; i < moves.size(); ++i) {
    EXPECT_EQ(value(moves[i].from), value(moves[i].to)) << i;
    beside += i > 0 && moves[i].thread == moves[i - 1].thread && moves[i].step == moves[i - 1].step;
  }
  EXPECT_GT(moves.size(), 64U);
  EXPECT_GT(beside, moves.size() / 4);  // of B, four in one copy
}

TEST(Headline, SaysWhyABlockDoesNothing) {
  simt::Schedule sequential;
  sequential.kind = simt::ScheduleKind::Sequential;
  StageScene scene("tiled", {8, 8, 8}, 4, sequential);
  scene.block = 3;
  scene.go_to(scene.recording().phases_of(0)[0].last_step);
  EXPECT_EQ(make_headline(scene.inputs(), scene.content()).sentence,
            "Block (1,1) has not started yet; another block is running.");
  scene.block = 0;
  scene.go_to(scene.recording().phases_of(1)[0].last_step);
  EXPECT_EQ(make_headline(scene.inputs(), scene.content()).sentence,
            "Block (0,0) has ended; another block is running.");
}

TEST(Headline, NamesTheLineThatStoppedTheRun) {
  test::OwnKernel kernel;
  kernel.source =
      "__global__ void kernel(float* x) {\n"
      "  x[0] = 1.0f;\n"
      "  asm volatile(\"trap;\");\n"
      "}\n";
  kernel.buffers = {{"x", 1}};
  StageScene scene(test::launch_of(kernel));
  scene.go_to(scene.recording().step_count());
  EXPECT_EQ(make_headline(scene.inputs(), scene.content()).sentence,
            "A fault at line 3 stopped the run. See the Findings tab.");
}

// The statement that completes the finding marks the cell, whether or not it changes a value.
TEST(StageContent, AFindingMarksItsCell) {
  StageScene scene("tiled_missing_barrier", {8, 8, 8}, 4);
  const auto finding_at = [](std::uint64_t step) {
    insight::Finding finding;
    finding.element = "As[1][2]";
    finding.parties.resize(2);
    finding.parties.back().block = {0, 0, 0};
    finding.parties.back().step = step;
    return finding;
  };
  scene.go_to_line(tiled_line("As[ty][tx] =") - 1, 1);
  const auto marks = [&scene] {
    return std::ranges::count(scene.content().frames, FrameKind::Finding, &CellFrame::kind);
  };
  ASSERT_EQ(marks(), 0);
  const std::uint64_t now = scene.inputs().statement->first_step;
  scene.findings = {finding_at(now), finding_at(now - 1)};
  scene.go_to(scene.inputs().state.step());
  EXPECT_EQ(marks(), 1);
  EXPECT_THAT(scene.frame(FrameKind::Finding, "As"), ElementsAre(1, 2, 1, 1));
}

}  // namespace
}  // namespace tilestep::ui
