// Sums on stage: their cells, the chosen one, and its text.
#include "ui/stage/thread_tile.h"
#include "ui/stage_scene.h"
#include "ui/sum_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace tilestep::ui {
namespace {

using test::StageScene;

std::size_t middle(const StageScene& scene) {
  return scene.recording().step_count() / 2;
}

std::vector<CellFrame> focus_frames(const StageScene& scene) {
  std::vector<CellFrame> frames;
  std::ranges::copy_if(scene.content().frames, std::back_inserter(frames),
                       [&scene](const CellFrame& f) {
                         return f.kind == FrameKind::FocusSum && f.sheet == scene.sheet("C");
                       });
  return frames;
}

SumStory story(const StageScene& scene, const insight::BlockSums& sums, int number,
               std::uint64_t step) {
  return sum_story({.recording = scene.recording(),
                    .sums = &sums,
                    .chosen = sums.of_thread(scene.thread, number),
                    .thread = scene.thread,
                    .step = step});
}

// Blocks of the last wave leave their parts of a tile in another buffer. Their threads are arranged
// as in a block that stores the tile.
TEST(Sums, OfABlockThatStoresNoTileStandWhereOthersHoldThem) {
  StageScene scene("shared_last_wave_teaching", {16, 16, 32}, 4);
  scene.block = 4;
  scene.thread = 2;
  scene.go_to_end_of_phase(2);
  const int threads = scene.shape().threads;
  ASSERT_TRUE(scene.shape().tile);
  ASSERT_FALSE(scene.shape().tile->corners.contains(4U));
  std::size_t shown = 0;
  for (const Cell& cell : scene.content().sheets[size(threads)].cells) {
    shown += cell.state == CellState::Value ? 1U : 0U;
  }
  EXPECT_EQ(shown, 64U);
  for (const SumCell& sum : scene.content().sums) {
    if (sum.thread != scene.thread || !sum.cell) {
      continue;
    }
    const auto row = size(sum.cell->row % 4);
    const auto col = size(sum.cell->col % 4);
    const auto held = scene.inputs().state.variable(4, scene.thread, "acc");
    ASSERT_TRUE(held);
    float number = 0.0F;
    std::memcpy(&number, held->bytes.data() + (4 * row + col) * sizeof number, sizeof number);
    EXPECT_EQ(sum.now.value, number) << row << ", " << col;
  }
}

TEST(Sums, OfARegisterTileGrowWhereTheyLand) {
  StageScene scene("register_tile_2d", {16, 16, 8}, 4);
  scene.thread = 6;  // (2, 1)
  scene.sum = 5;     // acc[1][1]
  scene.go_to(middle(scene));
  const insight::BlockSums sums(scene.recording(), 0);
  const auto sum_at = [&](const insight::ElementRef& element) {
    std::size_t sum = sums.of_thread(6).first;
    while (!(sums.sums()[sum].at == element)) {
      ++sum;
    }
    return sum;
  };
  EXPECT_EQ(scene.content().sums.size(), 256U);
  EXPECT_EQ(scene.content().sheets[2].pending, 256U);
  const std::vector<CellFrame> frames = focus_frames(scene);
  ASSERT_EQ(frames.size(), 16U);
  for (std::size_t i = 0; i < 16; ++i) {
    const auto row = static_cast<int>(1 + i / 4 * 4);
    const auto col = static_cast<int>(2 + i % 4 * 4);
    EXPECT_EQ(frames[i].row, row);
    EXPECT_EQ(frames[i].col, col);
    const auto now = sums.now(sum_at({2, row, col}), middle(scene));
    EXPECT_EQ(scene.cell("C", row, col).state, CellState::Pending);
    EXPECT_EQ(scene.cell("C", row, col).value, static_cast<double>(now.value));
  }
  ASSERT_TRUE(scene.content().focus_result);
  EXPECT_EQ(scene.content().focus_result->row, 5);
  EXPECT_EQ(scene.content().focus_result->col, 6);
  ASSERT_TRUE(scene.content().focus_cell);
  EXPECT_EQ(*scene.content().focus_cell, (CellPlace{5, 6})) << "the chosen sum";
  EXPECT_EQ(sum_number(scene.owners(), scene.sheet("C"), 5 * 16 + 6), 5);
}

// The block's own L has a cell for every element, in the thread that stores it.
TEST(Sums, OfARegisterTileStandTogetherInTheBlock) {
  StageScene scene("register_tile_2d", {16, 16, 8}, 4);
  scene.go_to(middle(scene));
  const StageShape& shape = scene.shape();
  ASSERT_TRUE(shape.tile);
  const Sheet& threads = shape.sheets[size(shape.threads)];
  EXPECT_EQ(threads.rows, 16);
  EXPECT_EQ(threads.cols, 16);
  for (int row = 0; row < 16; ++row) {
    for (int col = 0; col < 16; ++col) {
      EXPECT_EQ(scene.cell("acc", row, col).value, scene.cell("C", row, col).value);
      EXPECT_EQ(cell_thread(shape, {row, col}), static_cast<std::uint32_t>(row % 4 * 4 + col % 4));
      EXPECT_EQ(output_cell(shape, 0, {row, col})->row, row);
    }
  }
  EXPECT_EQ(thread_cell(shape, 6), std::optional(CellPlace{1, 2}));
  EXPECT_FALSE(thread_cell(shape, 16)) << "there is no such thread";
}

TEST(Sums, OfATileAtTheEdgeLeaveCellsOut) {
  StageScene scene("register_tile_2d", {20, 24, 8}, 4);
  scene.block = 3;
  scene.go_to(middle(scene));
  ASSERT_TRUE(scene.shape().tile);
  EXPECT_EQ(scene.cell("acc", 3, 7).value, scene.cell("C", 19, 23).value);
  EXPECT_EQ(scene.cell("acc", 4, 0).state, CellState::Unused);
  EXPECT_EQ(scene.cell("acc", 0, 8).state, CellState::Unused);
  EXPECT_FALSE(output_cell(scene.shape(), 3, {4, 0}));
}

// The result of a tensor unit is a number without a history: the sum of two such results continues
// the one that was summed before, whichever is larger.
TEST(Sums, OfATensorUnitGrowWithEveryTile) {
  StageScene scene("tensor_tf32x3_teaching", {16, 16, 16}, 16);
  scene.go_to_end_of_phase(1);
  const StageContent& content = scene.content();
  ASSERT_FALSE(content.sums.empty());
  for (const SumCell& sum : content.sums) {
    EXPECT_TRUE(sum.now.assigned) << sum.place.row << ", " << sum.place.col;
  }
  const auto role = [&scene](const char* name) {
    return scene.shape().sheets[size(scene.sheet(name))].role;
  };
  EXPECT_EQ(role("As"), insight::ValueRole::A);
  EXPECT_EQ(role("Bs"), insight::ValueRole::B);
}

// One sum per thread in the threads' order, or threads that store nothing: one cell per thread.
TEST(Sums, OfOneAThreadKeepTheThreadsPlaces) {
  EXPECT_FALSE(StageScene("tiled", {8, 8, 8}, 4).shape().tile);
  EXPECT_FALSE(StageScene("tiled_transposed", {8, 8, 8}, 4).shape().tile);
  EXPECT_FALSE(StageScene("pitched", {8, 8, 8}, 4).shape().tile);
  EXPECT_FALSE(StageScene("tiled", {5, 7, 3}, 4).shape().tile);
}

// The other blocks' sums are read from their variable: the same numbers.
TEST(Sums, OfOtherBlocksAreThoseThatTheyFollow) {
  for (const char* const kernel : {"tiled", "register_tile_2d", "float4_loads", "naive"}) {
    StageScene scene(kernel, {32, 32, 8}, 4);
    scene.go_to(middle(scene));
    const std::uint32_t last = scene.recording().program().block_count() - 1;
    const insight::BlockSums sums(scene.recording(), last);
    std::size_t compared = 0;
    for (std::size_t i = 0; i < sums.sums().size(); ++i) {
      const insight::ElementRef at = sums.sums()[i].at;
      const Cell& cell = scene.cell("C", at.row, at.col);
      EXPECT_EQ(cell.state, CellState::Pending) << kernel;
      EXPECT_EQ(cell.value, static_cast<double>(sums.now(i, middle(scene)).value)) << kernel;
      ++compared;
    }
    EXPECT_GE(compared, 16U);
  }
}

// A variable that serves one element after another identifies none of them.
TEST(Sums, ThatShareAVariableAreNotShownForOtherBlocks) {
  StageScene scene("pitched", {3, 100, 4}, 6);
  scene.block = 1;
  scene.go_to(middle(scene));
  for (int col = 0; col < 100; ++col) {
    EXPECT_NE(scene.cell("C", 0, col).state, CellState::Pending);
    EXPECT_NE(scene.cell("C", 2, col).state, CellState::Pending);
  }
  const auto pending = scene.content().sheets[2].pending;
  EXPECT_GT(pending, 0U);
  EXPECT_LE(pending, 36U) << "one a thread at a time, besides those that are grown but not stored";
}

TEST(Sums, OfAnEdgeBlockLandInside) {
  StageScene scene("register_tile_2d", {5, 6, 7}, 2);
  for (std::uint32_t block = 0; block < scene.recording().program().block_count(); ++block) {
    scene.block = block;
    scene.go_to(middle(scene));
    for (const SumCell& sum : scene.content().sums) {
      EXPECT_LT(sum.place.row, 5);
      EXPECT_LT(sum.place.col, 6);
      const Owner owner =
          scene.owners().cells[2][static_cast<std::size_t>(sum.place.row * 6 + sum.place.col)];
      EXPECT_EQ(owner.block, block);
      EXPECT_EQ(owner.thread, sum.thread);
    }
  }
}

TEST(SumStories, TellTheChosenSumAndTheOthersInShort) {
  StageScene scene("register_tile_1d", {16, 4, 8}, 4);
  scene.thread = 6;
  const insight::BlockSums sums(scene.recording(), 0);
  const SumStory first = story(scene, sums, 0, middle(scene));
  EXPECT_EQ(first.title, "acc[0] → C[1][2] · 1 of 4");
  ASSERT_TRUE(first.sum);
  EXPECT_EQ(first.sum->head, "acc[0] =");
  ASSERT_EQ(first.others.size(), 3U);
  EXPECT_THAT(first.others[0].text, ::testing::StartsWith("acc[1] "));
  const SumStory last = story(scene, sums, 99, middle(scene));
  EXPECT_EQ(last.title, "acc[3] → C[13][2] · 4 of 4") << "beyond the last is the last";
  EXPECT_EQ(story(scene, sums, 0, 0).sentence, "acc[0] has no value yet.");
}

TEST(SumStories, NameThePlacesOfTheLatestProductOnlyInItsPhase) {
  StageScene scene("tiled", {8, 8, 8}, 4);
  const insight::BlockSums sums(scene.recording(), 0);
  const auto phases = scene.recording().phases_of(0);
  const auto at_end_of = [&](std::size_t phase) {
    return *story(scene, sums, 0, phases[phase].last_step).sum;
  };
  EXPECT_THAT(at_end_of(1).last, ::testing::StartsWith("+ As[0][3]·Bs[3][0]"));
  const SumText loaded = at_end_of(2);  // As[0][3] holds a number of the next tile
  EXPECT_EQ(loaded.last, loaded.last_numbers);
  EXPECT_EQ(loaded.result, "= " + loaded.value);
  EXPECT_EQ(loaded.value, at_end_of(1).value);
}

// The cell shows the sum, and in small digits the rounding error so far.
TEST(Sums, OfACompensatedSumShowWhatIsLost) {
  problem::InputSpec input;
  input.pattern = problem::Pattern::Random;
  const problem::LaunchSpec& spec = *test::repository_catalog().find("tiled_kahan_bounds");
  StageScene scene(*problem::evaluate(spec, {{5, 6, 7}, 4}, input));
  scene.go_to(middle(scene));
  EXPECT_EQ(scene.content().compensation, "comp");
  const record::State state = scene.recording().state_at(middle(scene));
  int lost = 0;
  for (std::uint32_t thread = 0; thread < 16; ++thread) {
    const auto comp = state.variable(0, thread, "comp");
    ASSERT_TRUE(comp && comp->bytes.size() == sizeof(float));
    float value = 0.0F;
    std::memcpy(&value, comp->bytes.data(), sizeof value);
    const Cell& cell =
        scene.cell("results", static_cast<int>(thread / 4), static_cast<int>(thread % 4));
    ASSERT_TRUE(cell.compensation) << thread;
    EXPECT_EQ(*cell.compensation, static_cast<double>(value)) << thread;
    lost += value != 0.0F ? 1 : 0;
  }
  EXPECT_GT(lost, 0) << "nothing was lost: the test shows nothing";
  StageScene plain("tiled", {4, 4, 4}, 4);
  plain.go_to(middle(plain));
  EXPECT_FALSE(plain.cell("acc", 0, 0).compensation);
}

TEST(SumStories, SayWhatIsLostAndWhyThereIsNoSum) {
  StageScene kahan("naive_1d_kahan", {5, 3, 4}, 4);
  const insight::BlockSums sums(kahan.recording(), 0);
  EXPECT_EQ(story(kahan, sums, 0, kahan.recording().step_count()).also,
            "rounded off so far: y = 0");

  StageScene edge("tiled", {3, 5, 4}, 4);
  edge.block = 1;
  edge.thread = 5;
  const insight::BlockSums of_edge(edge.recording(), 1);
  const SumStory none = story(edge, of_edge, 0, middle(edge));
  EXPECT_EQ(none.sentence, "This thread stores nothing, so it has no sum.");
  EXPECT_TRUE(none.title.empty());
  edge.go_to(middle(edge));
  EXPECT_FALSE(edge.content().focus_result);
  EXPECT_EQ(edge.cell("acc", 1, 1).state, CellState::Value) << "what its register holds";
  EXPECT_EQ(edge.cell("acc", 1, 1).value, 0.0) << "of products with padding";
}

// y = alpha · sum + beta · y: operations after the products are not later products.
TEST(SumStories, CountTheProductsBeforeTheSumIsScaled) {
  test::OwnKernel kernel;
  kernel.source =
      "__global__ void kernel(const float* a, const float* b, float* y) {\n"
      "  float sum = 0.0f;\n"
      "  for (int k = 0; k < 4; ++k) {\n"
      "    sum += a[k] * b[k];\n"
      "  }\n"
      "  y[threadIdx.x] = 2.0f * sum + 3.0f * y[threadIdx.x];\n"
      "}\n";
  kernel.block = {2, 1, 1};
  kernel.buffers = {{"a", 4}, {"b", 4}, {"y", 2}};
  StageScene scene(test::launch_of(kernel));
  const insight::BlockSums sums(scene.recording(), 0);
  EXPECT_EQ(count_products({.recording = scene.recording(), .sums = &sums, .chosen = 0}), 4U);
  scene.go_to_line(4, 1);
  EXPECT_EQ(story(scene, sums, 0, scene.inputs().state.step()).progress, "2 of 4 products");
  EXPECT_EQ(story(scene, sums, 0, scene.inputs().state.step()).to_come, 2U);
  EXPECT_EQ(story(scene, sums, 0, scene.recording().step_count()).to_come, 0U);
}

// Zeros that pad a tile are products, too, and are described as such.
TEST(SumStories, TellZerosBeyondTheMatrices) {
  StageScene scene("tiled", {4, 4, 6}, 4);
  const insight::BlockSums sums(scene.recording(), 0);
  EXPECT_EQ(story(scene, sums, 0, scene.recording().step_count()).progress,
            "8 of 8 products, 2 of them 0·0");
}

TEST(SumStories, OfOtherKernelsTellTheLastOperation) {
  test::OwnKernel kernel;
  kernel.source =
      "__global__ void kernel(float* x, float* y) { int i = threadIdx.x; float s = x[i] + 3.0f; "
      "y[i] = s; }";
  kernel.block = {2, 1, 1};
  kernel.buffers = {{"x", 2}, {"y", 2}};
  StageScene scene(test::launch_of(kernel));
  const insight::BlockSums sums(scene.recording(), 0);
  const SumStory end = story(scene, sums, 0, scene.recording().step_count());
  EXPECT_EQ(end.title, "s → y[0]");
  EXPECT_EQ(end.sentence, "s: 0 + 3 = 3");
  EXPECT_FALSE(end.sum);
}

}  // namespace
}  // namespace tilestep::ui
