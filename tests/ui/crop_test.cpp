// Cropping of large arrays: the visible part contains the focus thread's elements.
#include "stage_scene.h"
#include "ui/stage/stage_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace tilestep::ui {
namespace {
using test::StageScene;

CellCounts square(int side) {
  return {side, side, side, true};
}
const CellCounts kCounts[] = {{},        {.one_part = true}, square(12),     square(8),
                              square(4), square(2),          {3, 9, 2, true}};

const CellRange& range(const StageScene& scene, const Shown& shown, const char* name) {
  return shown[size(scene.sheet(name))];
}

TEST(Crop, WithoutCountsEverythingIsShown) {
  StageScene scene("tiled", {32, 32, 32}, 32);
  scene.go_to_end_of_phase(1);
  EXPECT_TRUE(find_crop(scene.inputs(), scene.content()).empty());
}

// Beside a block they are a map, unless they are the subject of the stage.
TEST(Crop, OfMatricesBesideABlock_IsAroundItsTilesWhereAskedFor) {
  StageScene scene("tiled", {64, 64, 64}, 4);
  scene.block = 16 * 2 + 3;
  scene.go_to(0);
  scene.go_to_end_of_phase(3);  // multiply tile 1
  const Shown map = find_crop(scene.inputs(), scene.content(), square(8));
  EXPECT_EQ(range(scene, map, "A"), (CellRange{0, 0, 64, 64}));
  const Shown shown = find_crop(scene.inputs(), scene.content(), square(8), true);
  EXPECT_EQ(range(scene, shown, "A"), (CellRange{6, 2, 8, 8}));
  EXPECT_EQ(range(scene, shown, "B"), (CellRange{2, 10, 8, 8}));
  EXPECT_EQ(range(scene, shown, "C"), (CellRange{6, 10, 8, 8}));
  EXPECT_EQ(range(scene, shown, "As"), (CellRange{0, 0, 4, 4}));
}

TEST(Crop, KeepsItsSizeAtEveryTile_AndHoldsWhatTheBlockTouches) {
  for (const char* kernel : {"tiled", "register_tile_2d", "naive"}) {
    StageScene scene(kernel, {32, 32, 32}, 4);
    scene.thread = 5;
    scene.go_to(0);
    const Shown first = find_crop(scene.inputs(), scene.content(), square(12), true);
    ASSERT_FALSE(first.empty()) << kernel;
    const std::size_t phases = scene.recording().phases_of(0).size();
    for (std::size_t phase = 0; phase < phases; ++phase) {
      scene.go_to_end_of_phase(phase);
      const Shown shown = find_crop(scene.inputs(), scene.content(), square(12), true);
      for (std::size_t i = 0; i < shown.size(); ++i) {
        EXPECT_EQ(shown[i].rows, first[i].rows) << kernel << " phase " << phase;
        EXPECT_EQ(shown[i].cols, first[i].cols) << kernel << " phase " << phase;
      }
      const auto result = scene.content().focus_result;
      ASSERT_TRUE(result);
      EXPECT_TRUE(shown[size(result->sheet)].has(result->row, result->col));
    }
  }
}

// A scratch buffer of 1024 elements beside matrices of 256 must not make these small.
TEST(Crop, BuffersBesideTheMatricesTakeNoMoreRoomThanC) {
  StageScene scene("shared_last_wave_teaching", {16, 16, 16}, 16);
  scene.go_to_end_of_phase(1);
  ASSERT_GT(scene.shape().sheets[size(scene.sheet("parts"))].cols, 16);
  for (const Shown& shown :
       {find_crop(scene.inputs(), scene.content()), find_crop_of_map(scene.inputs())}) {
    ASSERT_FALSE(shown.empty());
    EXPECT_LE(range(scene, shown, "parts").cols, 16);
    EXPECT_LE(range(scene, shown, "parts").rows, 16);
    EXPECT_EQ(range(scene, shown, "A"), (CellRange{0, 0, 16, 16}));
  }
}

TEST(Crop, OfALargeBlock_IsAroundTheFocusThread) {
  StageScene scene("tiled", {32, 32, 32}, 32);
  scene.thread = 17 * 32 + 30;
  scene.go_to_end_of_phase(1);
  const Shown shown = find_crop(scene.inputs(), scene.content(), square(12));
  const CellRange& threads = shown[size(scene.shape().threads)];
  EXPECT_TRUE(threads.has(17, 30));
  EXPECT_EQ(threads.rows, 12);
  EXPECT_EQ(range(scene, shown, "As").row, threads.row);
  EXPECT_EQ(range(scene, shown, "Bs").col, threads.col);
  EXPECT_EQ(range(scene, shown, "As").col, range(scene, shown, "Bs").row) << "the same products";
}

// In a small window fewer cells of the block are shown, and the same ones of all its arrays.
TEST(Crop, OfABlockInASmallWindow_IsAroundTheFocusThread) {
  StageScene scene("tiled", {16, 16, 16}, 8);
  scene.thread = 5 * 8 + 6;
  scene.go_to_end_of_phase(1);
  for (const CellCounts& counts : kCounts) {
    const Shown shown = find_crop(scene.inputs(), scene.content(), counts);
    if (counts == CellCounts{}) {
      EXPECT_TRUE(shown.empty());
      continue;
    }
    const CellRange& threads = shown[size(scene.shape().threads)];
    EXPECT_EQ(threads.rows, std::min(counts.rows, 8));
    EXPECT_EQ(threads.cols, std::min(counts.cols, 8));
    EXPECT_EQ(range(scene, shown, "As").cols, std::min(counts.inner, 8));
    EXPECT_TRUE(threads.has(5, 6));
    EXPECT_EQ(range(scene, shown, "As").row, threads.row);
    EXPECT_EQ(range(scene, shown, "As").col, range(scene, shown, "Bs").row);
    EXPECT_EQ(range(scene, shown, "Bs").col, threads.col);
    EXPECT_EQ(range(scene, shown, "A"), (CellRange{0, 0, 16, 16})) << "A becomes a map instead";
  }
}

// As[k][m] beside Bs[k][n]: both show the current k.
TEST(Crop, OfATurnedArray_ShowsTheSameRowsAsTheOther) {
  StageScene scene("warp_tile_teaching", {8, 8, 8}, 4);
  const record::Phase& multiply = scene.recording().phases_of(0)[1];
  std::set<int> firsts;
  for (std::uint64_t step = multiply.first_step; step < multiply.last_step; step += 7) {
    scene.go_to(step);
    ASSERT_TRUE(std::ranges::any_of(scene.content().sources, &Source::is_turned));
    const Shown shown = find_crop(scene.inputs(), scene.content(), square(2));
    EXPECT_EQ(range(scene, shown, "As").row, range(scene, shown, "Bs").row) << step;
    firsts.insert(range(scene, shown, "As").row);
  }
  EXPECT_GT(firsts.size(), 1U) << "k moves on";
}

// A kernel without shared memory has no other numbers.
TEST(Crop, OfMatricesThatAreAlone_IsAroundTheFocusThreadsElement) {
  StageScene scene("naive", {16, 16, 16}, 8);
  scene.thread = 5 * 8 + 6;
  scene.go_to_end_of_phase(0);
  EXPECT_TRUE(find_crop(scene.inputs(), scene.content()).empty());
  const Shown shown = find_crop(scene.inputs(), scene.content(), square(4));
  EXPECT_EQ(range(scene, shown, "C").rows, 4);
  EXPECT_TRUE(range(scene, shown, "C").has(5, 6));
  EXPECT_EQ(range(scene, shown, "A").row, range(scene, shown, "C").row);
  EXPECT_EQ(range(scene, shown, "A").col, range(scene, shown, "B").row) << "the same products";
}

// The visible part exists, whatever the focus thread and the place in the run.
TEST(Crop, IsWithinEverySheet) {
  for (const char* const kernel : {"register_tile_vectorised", "register_tile_2d", "tiled",
                                   "double_buffered", "naive", "sliced_k_teaching"}) {
    StageScene scene(kernel, {16, 16, 16}, 4);
    const std::uint32_t threads = scene.recording().program().threads_per_block();
    for (std::size_t phase = 0; phase < scene.recording().phases_of(0).size(); ++phase) {
      for (scene.thread = 0; scene.thread < threads; ++scene.thread) {
        scene.show_phase(phase);
        for (const CellCounts& counts : kCounts) {
          const Shown shown = find_crop(scene.inputs(), scene.content(), counts);
          for (std::size_t i = 0; i < shown.size(); ++i) {
            const Sheet& sheet = scene.shape().sheets[i];
            ASSERT_GE(shown[i].row, 0) << kernel << sheet.name;
            ASSERT_GE(shown[i].col, 0) << kernel << sheet.name;
            ASSERT_LE(shown[i].row + shown[i].rows, sheet.rows) << kernel << sheet.name << phase;
            ASSERT_LE(shown[i].col + shown[i].cols, sheet.cols) << kernel << sheet.name << phase;
          }
        }
      }
    }
  }
}

// For a double buffer the current tile is shown, not half of each.
TEST(Crop, OfADoubleBuffer_IsInTheBufferThatIsRead) {
  StageScene scene("double_buffered", {32, 32, 32}, 8);
  int read = 0;
  for (std::size_t phase = 0; phase < 6; ++phase) {
    scene.show_phase(phase);
    const Shown shown = find_crop(scene.inputs(), scene.content(), square(4));
    for (const char* const name : {"As", "Bs"}) {
      const Sheet& sheet = scene.shape().sheets[size(scene.sheet(name))];
      ASSERT_EQ(sheet.parts, 2) << name;
      const CellRange& range = shown[size(scene.sheet(name))];
      const int part_rows = sheet.rows / sheet.parts;
      EXPECT_EQ(range.row / part_rows, (range.row + range.rows - 1) / part_rows) << name << phase;
      const auto& cells = scene.content().sheets[size(scene.sheet(name))].cells;
      if (std::ranges::any_of(cells, &Cell::is_read)) {
        EXPECT_TRUE(cells[cell_index(sheet, {range.row, range.col})].is_read) << name << phase;
        ++read;
      }
    }
  }
  EXPECT_GE(read, 4);
}

TEST(Crop, OfManyColumnsOfPadding_AFewAreShown) {
  StageScene scene("tiled_padded", {8, 8, 8}, 4);
  scene.show_phase(1);
  ASSERT_EQ(scene.content().sheets[size(scene.sheet("As"))].padding, 8);
  const Shown shown = find_crop(scene.inputs(), scene.content());
  EXPECT_EQ(range(scene, shown, "As"), (CellRange{0, 0, 4, 6}));
  EXPECT_EQ(range(scene, shown, "Bs"), (CellRange{0, 0, 4, 6}));
  EXPECT_EQ(range(scene, shown, "A"), (CellRange{0, 0, 8, 8}));
  EXPECT_EQ(find_crop(scene.inputs(), scene.content(), square(2))[size(scene.sheet("As"))].cols, 2);
}

}  // namespace
}  // namespace tilestep::ui
