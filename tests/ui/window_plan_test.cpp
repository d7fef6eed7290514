// The panels that give way when the stage needs room: windows, scales and problems of every kind.
#include "ui/window_plan.h"

#include "screen.h"
#include "ui/stage/stage_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace tilestep::ui {
namespace {

using test::font_of;
using test::Screen;

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

// The shape of the tiled kernel.
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

NumberSizes sizes_of(const StageShape& shape, const Arrangement& stage) {
  const auto number = [&stage](int sheet) {
    return sheet == kNoSheet ? 0.0F : stage.sheets[size(sheet)].number * stage.unit;
  };
  return {number(shape.c), number(shape.threads)};
}

PlanRequest request_of(const Screen& window) {
  PlanRequest request;
  request.font = font_of(window);
  const float bar = 2.6F * request.font;
  request.room = {0.0F, bar, static_cast<float>(window.width),
                  static_cast<float>(window.height) - bar};
  return request;
}

// As the stage requests it: with the numbers of a small launch of the same kernel.
WindowPlan plan_of(const Screen& window, const StageShape& launch, bool keeps_source = false) {
  const StageShape shape = reference_shape(launch);
  const float font = font_of(window);
  PlanRequest request = request_of(window);
  request.keeps_source = keeps_source;
  request.numbers = [&](const WindowPlan& plan) {
    return sizes_of(shape, arrange(shape, {plan.cells.w, plan.cells.h}, cell_font(plan.cells, font),
                                   plan.has(Yield::FewLabels) ? Labels::Few : Labels::All));
  };
  return plan_window(request);
}

NumberSizes numbers_of(const Screen& window, const StageShape& shape, const WindowPlan& plan) {
  return sizes_of(
      shape, arrange(shape, {plan.cells.w, plan.cells.h}, cell_font(plan.cells, font_of(window)),
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
        const Screen window{size[0], size[1], scale};
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

// A lab's source is beside its task where both have room, else only while it is edited.
TEST(WindowPlan, ALabHasItsWholeColumnForTheTaskOrForTheTextInALowWindow) {
  const auto plan = [](const Screen& window, bool edits) {
    PlanRequest request = request_of(window);
    request.has_lesson = request.has_lab = true;
    request.shows_drawer = true;
    request.edits = request.keeps_source = edits;
    request.numbers = [](const WindowPlan&) { return NumberSizes{}; };
    return plan_window(request);
  };
  for (const bool edits : {false, true}) {
    const WindowPlan wide = plan({1280, 720, 1.0F}, edits);
    EXPECT_FALSE(wide.has_strip());
    EXPECT_GT(wide.source.h, wide.lesson.h);
  }
  const WindowPlan task = plan({1280, 720, 2.0F}, false);
  EXPECT_TRUE(task.has_strip());
  EXPECT_FLOAT_EQ(task.lesson.h, task.stage.h);
  EXPECT_FALSE(boxes_overlap(task.source, task.drawer));
  const WindowPlan text = plan({1280, 720, 2.0F}, true);
  EXPECT_FALSE(text.has_strip());
  EXPECT_GT(text.source.h, text.lesson.h);
  EXPECT_FALSE(boxes_overlap(text.source, text.lesson));
}

TEST(WindowPlan, TheOpeningSceneYieldsNothingOnALectureScreen) {
  const Screen window{1920, 1080, 1.0F};
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
    const Screen window{1920, 1080, scale};
    const float now = numbers_of(window, shape, plan_of(window, shape)).block;
    EXPECT_GE(now, 0.85F * before) << "scale " << scale;
    EXPECT_GE(now, 24.0F) << "scale " << scale;
    before = now;
  }
}

TEST(WindowPlan, AtScaleTwoTheNumbersCanStillBeRead) {
  const Screen window{1920, 1080, 2.0F};
  const StageShape shape = product(8, 8, 8, 4);
  const WindowPlan plan = plan_of(window, shape);
  EXPECT_TRUE(plan.has(Yield::SourceStrip));
  const NumberSizes numbers = numbers_of(window, shape, plan);
  EXPECT_GE(numbers.matrices, 14.0F);
  EXPECT_GE(numbers.block, 24.0F);
}

// Dragging the slider moves no panel.
TEST(WindowPlan, SizesAndBlockSizesMoveNoPanel) {
  for (const auto& size : kWindows) {
    for (const float scale : kScales) {
      const Screen window{size[0], size[1], scale};
      const WindowPlan first = plan_of(window, product(8, 8, 8, 4));
      for (const ProblemSize& problem : kSizes) {
        const WindowPlan plan =
            plan_of(window, product(problem.m, problem.n, problem.k, problem.block));
        EXPECT_EQ(plan.yielded, first.yielded);
        EXPECT_EQ(plan.stage, first.stage);
        EXPECT_EQ(plan.cells, first.cells);
      }
    }
  }
}

// An edited text needs lines.
TEST(WindowPlan, TheSourceStaysAColumnWhereItIsWritten) {
  for (const auto& size : kWindows) {
    for (const float scale : kScales) {
      const Screen window{size[0], size[1], scale};
      const WindowPlan plan = plan_of(window, product(32, 32, 32, 16), true);
      EXPECT_FALSE(plan.has_strip());
      EXPECT_GE(plan.source.h, 0.4F * static_cast<float>(window.height));
      EXPECT_FALSE(boxes_overlap(plan.stage, plan.source));
    }
  }
}

TEST(WindowPlan, AWindowWithoutRoomForAnyPlanYieldsEverything) {
  EXPECT_EQ(plan_of({800, 300, 6.0F}, product(8, 8, 8, 4)).yielded, Yield::OneLine);
}

TEST(WindowPlan, WithoutARecordingNothingYields) {
  PlanRequest request;
  request.room = {0.0F, 40.0F, 1920.0F, 1040.0F};
  EXPECT_EQ(plan_window(request).yielded, Yield::Nothing);
}

// One of two stages: the order in which parts are dropped.
TEST(SidePlan, WordsGoBeforeMatricesAndMatricesBeforeTheSum) {
  const Box stage{0.0F, 0.0F, 900.0F, 600.0F};
  // Numbers that are readable from a certain plan on.
  const auto readable_where = [&stage](auto&& is_enough) {
    return plan_side(stage, 18.0F, [&](const WindowPlan& plan) {
      return NumberSizes{0.0F, is_enough(plan) ? 18.0F : 6.0F};
    });
  };
  const WindowPlan full = readable_where([](const WindowPlan&) { return true; });
  EXPECT_FALSE(full.has(Yield::ShortWords) || full.hides_matrices || full.drops_sum);
  const WindowPlan words =
      readable_where([](const WindowPlan& plan) { return plan.has(Yield::ShortWords); });
  EXPECT_TRUE(words.has(Yield::ShortWords));
  EXPECT_FALSE(words.hides_matrices || words.drops_sum);
  const WindowPlan matrices =
      readable_where([](const WindowPlan& plan) { return plan.hides_matrices; });
  EXPECT_TRUE(matrices.hides_matrices);
  EXPECT_FALSE(matrices.has(Yield::ShortWords)) << "nothing is gained by shorter words";
  const WindowPlan sum = readable_where([](const WindowPlan&) { return false; });
  EXPECT_TRUE(sum.drops_sum && sum.hides_matrices);
  EXPECT_GT(sum.cells.h, matrices.cells.h);
  EXPECT_LE(sum.cells.bottom(), stage.bottom());
}

// A lecture: everything is inside the window, nothing overlaps, the stage has at least 60% of it,
// and text grows with it.
TEST(Lecture, TheStageHasMostOfTheWindow_AndNumbersForTheLastRow) {
  const StageShape shape = product(8, 8, 8, 4);
  for (const Screen& window : {Screen{1280, 720}, Screen{1920, 1080}, Screen{2560, 1440}}) {
    const Box whole{0.0F, 0.0F, static_cast<float>(window.width),
                    static_cast<float>(window.height)};
    const LecturePlan lecture = plan_lecture({whole});
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

// The memory view of a lecture has more rows than the cells.
TEST(Lecture, GivesTheCellsTheRoomOfTheLinesAndTheSum) {
  const Box whole{0.0F, 0.0F, 1920.0F, 1080.0F};
  const LecturePlan usual = plan_lecture({.window = whole});
  const LecturePlan line = plan_lecture({.window = whole, .foot = Foot::OneLine});
  const LecturePlan alone = plan_lecture({.window = whole, .foot = Foot::Nothing});
  EXPECT_GT(line.plan.cells.h, usual.plan.cells.h + 5.0F * line.font);
  EXPECT_GE(line.plan.source.h, 1.35F * line.font) << "a line of source";
  EXPECT_FALSE(boxes_overlap(line.plan.cells, line.plan.source));
  EXPECT_GT(alone.plan.cells.h, usual.plan.cells.h + 7.0F * line.font);
  EXPECT_FALSE(boxes_overlap(alone.plan.cells, alone.plan.dots));
  EXPECT_EQ(alone.plan.source.h, 0.0F);
  EXPECT_TRUE(line.plan.drops_sum && alone.plan.drops_sum);
}

// Above the page of one SM: no words and no sum, which the hall has elsewhere.
TEST(Lecture, ABandIsFullOfCells) {
  const Box band{0.0F, 150.0F, 1900.0F, 380.0F};
  const WindowPlan plan = plan_band(band, 27.0F);
  EXPECT_TRUE(within(plan.cells, band));
  EXPECT_GT(plan.cells.h, 0.9F * band.h);
  EXPECT_TRUE(plan.hides_matrices && plan.drops_sum);
}

TEST(WindowPlan, CellsAndSumStandBesideTheInspectorThatALessonOpens) {
  PlanRequest request;
  request.room = {0.0F, 39.0F, 1280.0F, 681.0F};
  request.font = 15.0F;
  request.has_lesson = true;
  request.numbers = [](const WindowPlan&) { return NumberSizes{20.0F, 20.0F}; };
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
