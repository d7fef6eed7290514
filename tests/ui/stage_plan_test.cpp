// Every size up to 64 with every BLOCK_SIZE: readable numbers, a map of the rest, and no empty
// half.
#include "ui/stage/stage_plan.h"

#include "screen.h"
#include "ui/window_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace tilestep::ui {
namespace {

using test::font_of;
using test::Screen;

constexpr int kLargestSize = 64;
constexpr int kLargestBlock = 32;
constexpr float kShareOfWhole = 0.78F;  // of the least number size, if the whole block is visible

Sheet sheet_of(const char* name, SheetKind kind, int side, int digits) {
  Sheet sheet;
  sheet.kind = kind;
  sheet.name = name;
  sheet.rows = sheet.cols = side;
  sheet.count = static_cast<std::size_t>(side) * static_cast<std::size_t>(side);
  sheet.digits = digits;
  return sheet;
}

// The shape of the tiled kernel; block 0: no shared memory.
StageShape product(int n, int block) {
  StageShape shape;
  shape.sheets = {sheet_of("A", SheetKind::Buffer, n, 2), sheet_of("B", SheetKind::Buffer, n, 2),
                  sheet_of("C", SheetKind::Buffer, n, 4)};
  shape.a = 0;
  shape.b = 1;
  shape.c = 2;
  if (block > 0) {
    shape.sheets.push_back(sheet_of("As", SheetKind::Shared, block, 2));
    shape.sheets.push_back(sheet_of("Bs", SheetKind::Shared, block, 2));
    shape.sheets.push_back(sheet_of("acc", SheetKind::Threads, block, 4));
    shape.left = 3;
    shape.top = 4;
    shape.threads = 5;
  }
  return shape;
}

// As find_crop(), without a run: from the first cell on.
ShownOf shown_of(const StageShape& shape) {
  return [&shape](const CellCounts& counts, Matrices matrices) {
    Shown shown;
    const bool is_part = shape.threads == kNoSheet && matrices == Matrices::Map;
    for (std::size_t i = 0; i < shape.sheets.size(); ++i) {
      const int at = static_cast<int>(i);
      const Sheet& sheet = shape.sheets[i];
      CellRange range{0, 0, sheet.rows, sheet.cols};
      if (sheet.kind != SheetKind::Buffer || is_part) {
        range.rows =
            std::min(range.rows, at == shape.b || at == shape.top ? counts.inner : counts.rows);
        range.cols =
            std::min(range.cols, at == shape.a || at == shape.left ? counts.inner : counts.cols);
      }
      shown.push_back(range);
    }
    return shown;
  };
}

// The request for the cells of a window that shows this kernel; `instrument` in lines of text.
StageRequest request_of(const Screen& screen, const StageShape& launch, float instrument = 0.0F) {
  const float font = font_of(screen);
  const float bar = 2.6F * font;
  const StageShape shape = reference_shape(launch);
  const WindowPlan plan =
      plan_window({.room = {0.0F, bar, static_cast<float>(screen.width),
                            static_cast<float>(screen.height) - bar},
                   .font = font,
                   .instrument = instrument * font,
                   .numbers = [&](const WindowPlan& tried) {
                     const Arrangement stage = arrange(
                         shape, {tried.cells.w, tried.cells.h}, cell_font(tried.cells, font),
                         tried.has(Yield::FewLabels) ? Labels::Few : Labels::All);
                     const bool has_block = shape.threads != kNoSheet;
                     return NumberSizes{stage.sheets[2].number * stage.unit,
                                        has_block ? stage.sheets[5].number * stage.unit : 0.0F};
                   }});
  return {.width = plan.cells.w,
          .height = plan.cells.h,
          .font = cell_font(plan.cells, font),
          .least = std::max(font, kLeastNumber),
          .labels = plan.has(Yield::FewLabels) ? Labels::Few : Labels::All};
}

void expect_readable(const Screen& screen, const StageRequest& request, int n, int block) {
  const StageShape shape = product(n, block);
  const ShownOf shown = shown_of(shape);
  const StagePlan plan = plan_stage(shape, request, shown);
  const Arrangement stage = arrange_plan(shape, request, plan, shown);
  const std::string where = std::to_string(screen.width) + "×" + std::to_string(screen.height) +
                            " at " + std::to_string(screen.scale) + ", N " + std::to_string(n) +
                            ", BLOCK_SIZE " + std::to_string(block);
  const int read = block > 0 ? shape.threads : shape.c;
  const Placed& placed = stage.sheets[size(read)];
  const int all = block > 0 ? block : n;
  // Numbers are as large as text, or there are few of them.
  const float number = placed.number * stage.unit;
  const bool is_whole_block = placed.shown.rows == all && placed.shown.cols == all;
  const float share = block > 0 && is_whole_block ? kShareOfWhole : 1.0F;
  EXPECT_GE(number, share * kLeastNumber) << where;
  const bool is_whole = block == 0 && stage.map.empty();
  if (placed.shown.rows > 4 && placed.shown.cols > 4 && !is_whole) {
    EXPECT_GE(number, share * 0.99F * request.least) << where;
  }
  EXPECT_GE(placed.shown.rows, std::min(all, 3)) << where;
  EXPECT_GE(placed.shown.cols, std::min(all, 3)) << where;
  // The whole matrices are visible, with numbers or as a map of some width.
  const Placed& c = stage.map.empty() ? stage.sheets[size(shape.c)] : stage.map[size(shape.c)];
  EXPECT_EQ(c.shown.rows, n) << where;
  EXPECT_EQ(c.shown.cols, n) << where;
  if (!stage.has_map && stage.map.empty()) {
    EXPECT_GE(c.number * stage.unit, is_whole ? kLeastNumber : 0.6F * request.font) << where;
  } else {
    EXPECT_GE(static_cast<float>(n) * c.cell.x * stage.unit,
              static_cast<float>(std::min(n, 3)) * request.font)
        << where;
  }
  // Everything is inside the room, and no half of it is empty.
  const float width = stage.width * stage.unit;
  const float height = stage.height * stage.unit;
  EXPECT_LE(width, request.width + 1.0F) << where;
  EXPECT_LE(height, request.height + 1.0F) << where;
  if (n >= 5) {  // the width of matrices that fill the height and are alone follows from it
    EXPECT_GE(std::max(width / request.width, height / request.height), 0.75F) << where;
    EXPECT_GE(std::min(width / request.width, height / request.height), is_whole ? 0.35F : 0.5F)
        << where;
  }
}

class StagePlans : public ::testing::TestWithParam<Screen> {};

TEST_P(StagePlans, EverySizeWithEveryBlockSizeHasNumbersAndAWhole) {
  const Screen& screen = GetParam();
  const StageRequest request = request_of(screen, product(8, 4));
  for (int n = 1; n <= kLargestSize; ++n) {
    for (int block = 1; block <= kLargestBlock; ++block) {
      expect_readable(screen, request, n, block);
    }
  }
}

// This has priority over larger numbers without its last row.
TEST(StagePlan, ABlockOfEightIsWholeOnTheSmallestScreen) {
  const StageShape shape = product(64, 8);
  const ShownOf shown = shown_of(shape);
  const StageRequest request = request_of({1280, 720, 1.0F}, shape, 4.4F);
  const StagePlan plan = plan_stage(shape, request, shown);
  for (const int sheet : {shape.left, shape.top, shape.threads}) {
    const Placed& placed = arrange_plan(shape, request, plan, shown).sheets[size(sheet)];
    EXPECT_EQ(placed.shown.rows, 8);
    EXPECT_EQ(placed.shown.cols, 8);
  }
}

TEST_P(StagePlans, MatricesThatAreAloneHaveNumbersBesideAMap) {
  const Screen& screen = GetParam();
  const StageRequest request = request_of(screen, product(8, 0));
  for (int n = 1; n <= kLargestSize; ++n) {
    expect_readable(screen, request, n, 0);
  }
}

// Dragging the slider changes only the block.
TEST_P(StagePlans, WhetherTheMatricesAreAMapIsNoMatterOfBlockSize) {
  const StageRequest request = request_of(GetParam(), product(8, 4));
  for (int n = 1; n <= kLargestSize; ++n) {
    const auto matrices = [&](int block) {
      const StageShape shape = product(n, block);
      return plan_stage(shape, request, shown_of(shape)).matrices;
    };
    for (int block = 2; block <= kLargestBlock; ++block) {
      ASSERT_EQ(matrices(block), matrices(1)) << n << " " << block;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Screens, StagePlans,
                         ::testing::Values(Screen{1280, 720, 1.0F}, Screen{1280, 720, 1.5F},
                                           Screen{1280, 720, 2.0F}, Screen{1280, 720, 2.5F},
                                           Screen{1920, 1080, 1.0F}, Screen{1920, 1080, 1.5F},
                                           Screen{1920, 1080, 2.0F}, Screen{1920, 1080, 2.5F},
                                           Screen{2560, 1440, 1.0F}, Screen{2560, 1440, 1.5F},
                                           Screen{2560, 1440, 2.0F}, Screen{2560, 1440, 2.5F}));

TEST(StagePlan, MatricesThatTheStageIsAboutKeepTheirNumbers) {
  const StageShape shape = product(64, 8);
  StageRequest request = request_of({1920, 1080, 1.0F}, shape);
  request.matrices = Matrices::First;
  const StagePlan plan = plan_stage(shape, request, shown_of(shape));
  EXPECT_EQ(plan.matrices, Matrices::First);
  EXPECT_LE(plan.counts.rows, kReadable);
}

}  // namespace
}  // namespace tilestep::ui
