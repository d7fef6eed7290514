// Who yields when the stage needs room: windows, scales and problems of every kind.
#include "ui/window_plan.h"

#include "ui/stage/crop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace tilestep::ui {
namespace {

Sheet sheet_of(const char* name, SheetKind kind, int rows, int cols, int digits) {
  Sheet sheet;
  sheet.kind = kind;
  sheet.name = name;
  sheet.rows = rows;
  sheet.cols = cols;
  sheet.count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  sheet.digits = digits;
  return sheet;
}

// The tiled kernel's.
StageShape product(int m, int n, int k, int block) {
  StageShape shape;
  shape.sheets = {sheet_of("A", SheetKind::Buffer, m, k, 2),
                  sheet_of("B", SheetKind::Buffer, k, n, 2),
                  sheet_of("C", SheetKind::Buffer, m, n, 3),
                  sheet_of("As", SheetKind::Shared, block, block, 2),
                  sheet_of("Bs", SheetKind::Shared, block, block, 2),
                  sheet_of("acc", SheetKind::Threads, block, block, 3)};
  shape.a = 0;
  shape.b = 1;
  shape.c = 2;
  shape.left = 3;
  shape.top = 4;
  shape.threads = 5;
  return shape;
}

struct Window {
  int width = 1920;
  int height = 1080;
  float scale = 1.0F;
};

float font_of(const Window& window) {
  return 18.0F * window.scale * std::min(1.0F, static_cast<float>(window.height) / 900.0F);
}

NumberSizes sizes_of(const Arrangement& stage) {
  return {stage.sheets[2].number * stage.unit, stage.sheets[5].number * stage.unit};
}

WindowPlan plan_of(const Window& window, const StageShape& shape, bool keeps_source = false) {
  const float font = font_of(window);
  const float bar = 2.6F * font;
  PlanRequest request;
  request.room = {0.0F, bar, static_cast<float>(window.width),
                  static_cast<float>(window.height) - bar};
  request.font = font;
  request.keeps_source = keeps_source;
  request.numbers = [&](const WindowPlan& plan) {
    const Labels labels = plan.has(Yield::FewLabels) ? Labels::Few : Labels::All;
    NumberSizes numbers = sizes_of(arrange(shape, {plan.cells.w, plan.cells.h}, font, labels));
    if (plan.crops && numbers.block < kLeastNumber) {  // eight rows and columns of the block
      StageShape part = shape;
      for (std::size_t i = 3; i < part.sheets.size(); ++i) {
        part.sheets[i].rows = std::min(part.sheets[i].rows, 8);
        part.sheets[i].cols = std::min(part.sheets[i].cols, 8);
      }
      numbers = sizes_of(arrange(part, {plan.cells.w, plan.cells.h}, font, labels));
      numbers.crop = 1;
    }
    return numbers;
  };
  return plan_window(request);
}

NumberSizes numbers_of(const Window& window, const StageShape& shape, const WindowPlan& plan) {
  return sizes_of(arrange(shape, {plan.cells.w, plan.cells.h}, font_of(window),
                          plan.has(Yield::FewLabels) ? Labels::Few : Labels::All));
}

bool boxes_overlap(const Box& a, const Box& b) {
  return a.x < b.right() - 0.5F && b.x < a.right() - 0.5F && a.y < b.bottom() - 0.5F &&
         b.y < a.bottom() - 0.5F;
}

bool within(const Box& inner, const Box& outer) {
  return inner.x >= outer.x - 0.5F && inner.y >= outer.y - 0.5F &&
         inner.right() <= outer.right() + 0.5F && inner.bottom() <= outer.bottom() + 0.5F;
}

const int kWindows[][2] = {{1024, 640},  {1280, 720},  {1366, 768}, {1920, 1080},
                           {2560, 1440}, {3840, 2160}, {1080, 1920}};
const float kScales[] = {0.8F, 1.0F, 1.25F, 1.5F, 2.0F, 2.5F};
struct ProblemSize {
  int m, n, k, block;
};
const ProblemSize kSizes[] = {{2, 4, 3, 2},    {8, 8, 8, 4},     {7, 5, 6, 4},
                              {16, 16, 16, 4}, {32, 32, 32, 16}, {64, 64, 64, 16}};

TEST(WindowPlan, NothingOverlapsAndNothingIsOutOfReachInAnyWindow) {
  for (const auto& size : kWindows) {
    for (const float scale : kScales) {
      for (const ProblemSize& problem : kSizes) {
        const Window window{size[0], size[1], scale};
        const WindowPlan plan =
            plan_of(window, product(problem.m, problem.n, problem.k, problem.block));
        const std::string where = std::to_string(window.width) + "×" +
                                  std::to_string(window.height) + " scale " + std::to_string(scale);
        const Box all{0.0F, 0.0F, static_cast<float>(window.width),
                      static_cast<float>(window.height)};
        for (const Box& box : {plan.stage, plan.source, plan.timeline, plan.drawer}) {
          EXPECT_TRUE(within(box, all)) << where;
        }
        for (const Box& box : {plan.narration, plan.cells, plan.sum}) {
          EXPECT_TRUE(within(box, plan.stage)) << where;
          EXPECT_FALSE(boxes_overlap(box, plan.source)) << where;
        }
        EXPECT_FALSE(boxes_overlap(plan.narration, plan.cells)) << where;
        EXPECT_FALSE(boxes_overlap(plan.cells, plan.sum)) << where;
        EXPECT_FALSE(boxes_overlap(plan.stage, plan.timeline)) << where;
        EXPECT_EQ(boxes_overlap(plan.stage, plan.source), plan.has_strip()) << where;
      }
    }
  }
}

TEST(WindowPlan, TheOpeningSceneYieldsNothingOnALectureScreen) {
  const Window window{1920, 1080, 1.0F};
  const StageShape shape = product(8, 8, 8, 4);
  const WindowPlan plan = plan_of(window, shape);
  EXPECT_EQ(plan.yielded, Yield::Nothing);
  const NumberSizes numbers = numbers_of(window, shape, plan);
  EXPECT_GE(numbers.matrices, 18.0F);
  EXPECT_GE(numbers.block, 24.0F);
}

// Enlarging enlarges the lesson first.
TEST(WindowPlan, ALargerScaleNeverMakesTheBlocksNumbersSmaller) {
  const StageShape shape = product(8, 8, 8, 4);
  float before = 0.0F;
  for (const float scale : {1.0F, 1.25F, 1.5F, 1.75F}) {
    const Window window{1920, 1080, scale};
    const float now = numbers_of(window, shape, plan_of(window, shape)).block;
    EXPECT_GE(now, 0.85F * before) << "scale " << scale;
    EXPECT_GE(now, 24.0F) << "scale " << scale;
    before = now;
  }
}

TEST(WindowPlan, AtScaleTwoTheNumbersCanStillBeRead) {
  const Window window{1920, 1080, 2.0F};
  const StageShape shape = product(8, 8, 8, 4);
  const WindowPlan plan = plan_of(window, shape);
  EXPECT_TRUE(plan.has(Yield::SourceStrip));
  const NumberSizes numbers = numbers_of(window, shape, plan);
  EXPECT_GE(numbers.matrices, 14.0F);
  EXPECT_GE(numbers.block, 24.0F);
}

// A larger BLOCK_SIZE takes no panel away.
TEST(WindowPlan, ALargeBlockIsShownInPartBeforeTheSourceYields) {
  for (const int n : {16, 20}) {
    const WindowPlan plan = plan_of({1920, 1080, 1.0F}, product(n, n, n, 16));
    EXPECT_TRUE(plan.crops) << n;
    EXPECT_FALSE(plan.has(Yield::SourceStrip)) << n;
  }
}

// Nothing yields for numbers that are large already.
TEST(WindowPlan, SmallTilesOfManyKeepTheSource) {
  const WindowPlan plan = plan_of({1920, 1080, 1.0F}, product(16, 16, 16, 4));
  EXPECT_FALSE(plan.crops);
  EXPECT_FALSE(plan.has(Yield::SourceStrip));
}

// What is typed needs lines.
TEST(WindowPlan, TheSourceStaysAColumnWhereItIsWritten) {
  for (const auto& size : kWindows) {
    for (const float scale : kScales) {
      const Window window{size[0], size[1], scale};
      const WindowPlan plan = plan_of(window, product(32, 32, 32, 16), true);
      EXPECT_FALSE(plan.has_strip());
      EXPECT_GE(plan.source.h, 0.4F * static_cast<float>(window.height));
      EXPECT_FALSE(boxes_overlap(plan.stage, plan.source));
    }
  }
}

// Of a kernel without shared memory: the matrices have all the numbers there are.
WindowPlan plan_of_matrices(const Window& window, int n, NumberSizes& numbers) {
  PlanRequest request;
  request.font = font_of(window);
  const float bar = 2.6F * request.font;
  request.room = {0.0F, bar, static_cast<float>(window.width),
                  static_cast<float>(window.height) - bar};
  request.numbers = [&](const WindowPlan& plan) {
    const Labels labels = plan.has(Yield::FewLabels) ? Labels::Few : Labels::All;
    for (std::size_t i = 0; i < (plan.crops ? kBlockCrops.size() : 1); ++i) {
      const int shown = n > kBlockCrops[i].above ? kBlockCrops[i].to : n;
      StageShape shape = product(shown, shown, shown, 1);
      shape.sheets.resize(3);
      shape.left = shape.top = shape.threads = kNoSheet;
      const Arrangement stage =
          arrange(shape, {plan.cells.w, plan.cells.h}, cell_font(plan.cells, request.font), labels);
      numbers = {stage.sheets[2].number * stage.unit, 0.0F, static_cast<int>(i)};
      if (numbers.matrices >= least_matrix_number(cell_font(plan.cells, request.font))) {
        break;
      }
    }
    return numbers;
  };
  return plan_window(request);
}

TEST(WindowPlan, MatricesThatStandAloneCanBeRead) {
  for (const auto& size : {std::pair(1280, 720), std::pair(1920, 1080), std::pair(2560, 1440)}) {
    for (const float scale : {1.0F, 1.5F, 2.0F, 2.5F}) {
      for (const int n : {8, 16, 64}) {
        NumberSizes numbers;
        const Window window{size.first, size.second, scale};
        plan_of_matrices(window, n, numbers);
        EXPECT_GE(numbers.matrices, std::min(14.0F, font_of(window)))
            << size.first << "×" << size.second << " at " << scale << ", N = " << n;
      }
    }
  }
}

TEST(WindowPlan, MatricesThatStandAloneAreShownInPartBeforeTheSourceYields) {
  NumberSizes numbers;
  EXPECT_FALSE(plan_of_matrices({1920, 1080, 1.0F}, 16, numbers).has(Yield::SourceStrip));
  EXPECT_EQ(numbers.crop, 1) << "eight rows and columns";
}

TEST(WindowPlan, AWindowWithoutRoomForAnyPlanShowsTheBlockInPart) {
  const WindowPlan plan = plan_of({800, 300, 6.0F}, product(8, 8, 8, 4));
  EXPECT_EQ(plan.yielded, Yield::OneLine);
  EXPECT_TRUE(plan.crops);
}

TEST(WindowPlan, WithoutARecordingNothingYields) {
  PlanRequest request;
  request.room = {0.0F, 40.0F, 1920.0F, 1040.0F};
  EXPECT_EQ(plan_window(request).yielded, Yield::Nothing);
}

// A hall: everything within the window, nothing over anything, the stage at least 60 % of it, and
// text that grows with it.
// One of two stages: what goes first, and what is kept.
TEST(SidePlan, WordsGoBeforeMatricesAndMatricesBeforeCells) {
  const Box stage{0.0F, 0.0F, 900.0F, 600.0F};
  // Numbers that are readable from some plan on.
  const auto readable_where = [&stage](auto&& is_enough) {
    return plan_side(stage, 18.0F, [&](const WindowPlan& plan) {
      const float number = is_enough(plan) ? 18.0F : 6.0F;
      return NumberSizes{0.0F, number, plan.crops ? 1 : 0};
    });
  };
  const WindowPlan full = readable_where([](const WindowPlan&) { return true; });
  EXPECT_FALSE(full.has(Yield::ShortWords) || full.hides_matrices || full.crops);
  const WindowPlan words =
      readable_where([](const WindowPlan& plan) { return plan.has(Yield::ShortWords); });
  EXPECT_FALSE(words.hides_matrices || words.crops);
  const WindowPlan matrices =
      readable_where([](const WindowPlan& plan) { return plan.hides_matrices; });
  EXPECT_FALSE(matrices.crops);
  const WindowPlan crops = readable_where([](const WindowPlan& plan) { return plan.crops; });
  EXPECT_TRUE(crops.crops && crops.hides_matrices);
  EXPECT_FALSE(crops.has(Yield::ShortWords)) << "nothing is gained by shorter words";
}

TEST(SidePlan, TheSumGoesWhereNotEvenFourRowsCanBeRead) {
  const Box stage{0.0F, 0.0F, 600.0F, 460.0F};
  const auto with_crops = [&stage](int with_sum, int without) {
    return plan_side(stage, 30.0F, [=](const WindowPlan& plan) {
      return NumberSizes{0.0F, 12.0F, plan.drops_sum ? without : with_sum};
    });
  };
  const WindowPlan more = with_crops(5, 4);
  EXPECT_TRUE(more.drops_sum);
  EXPECT_GT(more.cells.h, with_crops(3, 3).cells.h);
  EXPECT_LE(more.cells.bottom(), stage.bottom());
  EXPECT_FALSE(with_crops(5, 5).drops_sum) << "nothing is gained";
  EXPECT_FALSE(with_crops(3, 2).drops_sum) << "four rows and columns are enough";
}

TEST(Lecture, TheStageHasMostOfTheWindow_AndNumbersForTheLastRow) {
  const StageShape shape = product(8, 8, 8, 4);
  for (const Window& window : {Window{1280, 720}, Window{1920, 1080}, Window{2560, 1440}}) {
    const Box whole{0.0F, 0.0F, static_cast<float>(window.width),
                    static_cast<float>(window.height)};
    const LecturePlan lecture = plan_lecture(whole);
    const WindowPlan& plan = lecture.plan;
    const std::vector<Box> parts{plan.narration, plan.cells, plan.source, plan.sum, plan.dots};
    for (std::size_t i = 0; i < parts.size(); ++i) {
      EXPECT_TRUE(within(parts[i], whole)) << i;
      for (std::size_t j = 0; j < i; ++j) {
        EXPECT_FALSE(boxes_overlap(parts[i], parts[j])) << i << " " << j;
      }
    }
    EXPECT_GE(plan.cells.w * plan.cells.h, 0.6F * whole.w * whole.h);
    const float of_1080 = whole.h / 1080.0F;
    EXPECT_GE(lecture.font, 26.5F * of_1080 - 1.0F);
    const Arrangement stage =
        arrange(shape, {plan.cells.w, plan.cells.h}, lecture.font, Labels::Few);
    EXPECT_GE(stage.sheets[2].number * stage.unit, 24.0F * of_1080);
    EXPECT_GE(stage.sheets[5].number * stage.unit, 40.0F * of_1080);
  }
}

TEST(WindowPlan, CellsAndSumStandBesideTheInspectorThatALessonOpens) {
  PlanRequest request;
  request.room = {0.0F, 39.0F, 1280.0F, 681.0F};
  request.font = 15.0F;
  request.has_lesson = true;
  request.numbers = [](const WindowPlan&) { return NumberSizes{20.0F, 20.0F, 0}; };
  const WindowPlan over = plan_window(request);
  EXPECT_GT(over.cells.right(), over.drawer.x);
  request.shows_drawer = true;
  const WindowPlan beside = plan_window(request);
  EXPECT_LE(beside.cells.right(), beside.drawer.x);
  EXPECT_LE(beside.sum.right(), beside.drawer.x);
  request.room.w = 800.0F;  // no room for both
  EXPECT_GT(plan_window(request).cells.right(), plan_window(request).drawer.x);
}

}  // namespace
}  // namespace tilestep::ui
