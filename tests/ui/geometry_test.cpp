#include "ui/stage/geometry.h"

#include "ui/stage/camera.h"

#include <gtest/gtest.h>

namespace tilestep::ui {
namespace {

constexpr float kFont = 18.0F;
constexpr ImVec2 kRoom(1000, 640);

Sheet matrix(const char* name, SheetKind kind, int rows, int cols) {
  Sheet sheet;
  sheet.kind = kind;
  sheet.name = name;
  sheet.rows = rows;
  sheet.cols = cols;
  sheet.count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  return sheet;
}

struct Size {
  int m, n, k, block;
};

// As for the textbook kernel; block 0: no shared memory.
StageShape matmul(Size s) {
  StageShape shape;
  shape.sheets = {matrix("A", SheetKind::Buffer, s.m, s.k),
                  matrix("B", SheetKind::Buffer, s.k, s.n),
                  matrix("C", SheetKind::Buffer, s.m, s.n)};
  shape.a = 0;
  shape.b = 1;
  shape.c = 2;
  if (s.block > 0) {
    shape.sheets.push_back(matrix("As", SheetKind::Shared, s.block, s.block));
    shape.sheets.push_back(matrix("Bs", SheetKind::Shared, s.block, s.block));
    shape.sheets.push_back(matrix("acc", SheetKind::Threads, s.block, s.block));
    shape.left = 3;
    shape.top = 4;
    shape.threads = 5;
  }
  return shape;
}

bool overlap(const Box& a, const Box& b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

class EverySize : public ::testing::TestWithParam<Size> {};

TEST_P(EverySize, MatricesMeetAsInTheTextbook) {
  const StageShape shape = matmul(GetParam());
  const Arrangement stage = arrange(shape, kRoom, kFont);
  const Box a = sheet_box(shape, stage, shape.a);
  const Box b = sheet_box(shape, stage, shape.b);
  const Box c = sheet_box(shape, stage, shape.c);
  EXPECT_FLOAT_EQ(a.y, c.y) << "rows of A are rows of C";
  EXPECT_NEAR(a.bottom(), c.bottom(), 1e-4);
  EXPECT_FLOAT_EQ(b.x, c.x) << "columns of B are columns of C";
  EXPECT_NEAR(b.right(), c.right(), 1e-3);
  EXPECT_LT(a.right(), c.x);
  EXPECT_LT(b.bottom(), c.y);
}

TEST_P(EverySize, NothingOverlapsAndEverythingFits) {
  const StageShape shape = matmul(GetParam());
  const Arrangement stage = arrange(shape, kRoom, kFont);
  const float right = kRoom.x / stage.unit;
  const float bottom = kRoom.y / stage.unit;
  for (std::size_t i = 0; i < shape.sheets.size(); ++i) {
    const Box box = sheet_box(shape, stage, static_cast<int>(i));
    EXPECT_GT(box.w, 0.0F);
    EXPECT_GE(box.x, 0.0F);
    EXPECT_GE(box.y, 0.0F);
    EXPECT_LE(box.right(), right * 1.001F) << shape.sheets[i].name;
    EXPECT_LE(box.bottom(), bottom * 1.001F) << shape.sheets[i].name;
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_FALSE(overlap(box, sheet_box(shape, stage, static_cast<int>(j))))
          << shape.sheets[i].name << " and " << shape.sheets[j].name;
    }
  }
  EXPECT_LE(stage.width, right * 1.001F);
  EXPECT_LE(stage.height, bottom * 1.001F);
}

TEST_P(EverySize, TheHeadlinesCornerCoversNoCell) {
  const StageShape shape = matmul(GetParam());
  const Arrangement stage = arrange(shape, kRoom, kFont);
  if (stage.corner) {
    for (std::size_t i = 0; i < shape.sheets.size(); ++i) {
      EXPECT_FALSE(overlap(*stage.corner, sheet_box(shape, stage, static_cast<int>(i))))
          << shape.sheets[i].name;
    }
  }
}

TEST_P(EverySize, EveryCellIsFoundWhereItIsDrawn) {
  const StageShape shape = matmul(GetParam());
  const Arrangement stage = arrange(shape, kRoom, kFont);
  for (std::size_t i = 0; i < shape.sheets.size(); ++i) {
    const Sheet& sheet = shape.sheets[i];
    for (int row = 0; row < sheet.rows; ++row) {
      for (int col = 0; col < sheet.cols; ++col) {
        const Box box = cell_box(stage, static_cast<int>(i), row, col);
        const auto hit = hit_cell(shape, stage, box.x + 0.5F * box.w, box.y + 0.5F * box.h);
        ASSERT_TRUE(hit.has_value());
        ASSERT_EQ(*hit, (CellHit{static_cast<int>(i), row, col}));
      }
    }
  }
  EXPECT_FALSE(hit_cell(shape, stage, -1.0F, -1.0F).has_value());
}

INSTANTIATE_TEST_SUITE_P(Sizes, EverySize,
                         ::testing::Values(Size{8, 8, 8, 4}, Size{1, 1, 1, 1}, Size{8, 8, 8, 0},
                                           Size{3, 20, 7, 4}, Size{20, 3, 7, 4}, Size{5, 5, 20, 8},
                                           Size{16, 16, 1, 16}, Size{64, 64, 64, 16},
                                           Size{8, 8, 8, 32}, Size{64, 64, 64, 0}));

TEST(Arrange, TheOpeningSceneIsLegibleOnBothCommonScreens) {
  const StageShape shape = matmul({8, 8, 8, 4});
  // The room for cells at 1920×1080 and at 1280×720.
  const Arrangement large = arrange(shape, {1320, 640}, 18.0F);
  EXPECT_GE(large.unit, 18.0F) << "numbers of A, B and C";
  EXPECT_GE(large.unit * large.sheets[5].number, 24.0F) << "numbers of the block";
  const Arrangement small = arrange(shape, {1230, 470}, 15.0F);
  EXPECT_GE(small.unit, 14.0F);
  EXPECT_GE(small.unit * small.sheets[5].number, 18.0F);
}

TEST(Arrange, ACellIsAsWideAsItsLongestNumber) {
  StageShape shape = matmul({8, 8, 8, 4});
  const Arrangement narrow = arrange(shape, kRoom, kFont);
  EXPECT_FLOAT_EQ(narrow.sheets[0].cell.x, narrow.sheets[0].number * cell_width(2));
  shape.sheets[2].digits = 5;
  const Arrangement wide = arrange(shape, kRoom, kFont);
  EXPECT_FLOAT_EQ(wide.sheets[2].cell.x, wide.sheets[2].number * cell_width(5));
  EXPECT_FLOAT_EQ(wide.sheets[1].cell.x, wide.sheets[2].cell.x) << "B stands above C";
  EXPECT_FLOAT_EQ(wide.sheets[0].cell.x, wide.sheets[0].number * cell_width(2));
}

TEST(Arrange, FewLabelsLeaveMoreForNumbers) {
  const StageShape shape = matmul({8, 8, 8, 4});
  const ImVec2 room(1800, 480);
  const Arrangement all = arrange(shape, room, 36.0F);
  const Arrangement few = arrange(shape, room, 36.0F, Labels::Few);
  EXPECT_GT(few.unit, 1.2F * all.unit);
}

TEST(Arrange, TheMatricesBecomeAMapBeforeTheBlocksNumbersCannotBeRead) {
  const StageShape shape = matmul({16, 16, 16, 4});
  for (const ImVec2 room : {ImVec2(560, 400), ImVec2(640, 400), ImVec2(760, 360)}) {
    const Arrangement stage = arrange(shape, room, 16.0F, Labels::Few);
    EXPECT_GE(stage.sheets[5].number * stage.unit, kLeastNumber) << room.x;
    EXPECT_LE(stage.width * stage.unit, room.x + 1.0F);
  }
}

TEST(Arrange, WithoutTheMatricesTheBlockHasTheStage) {
  const StageShape shape = matmul({64, 64, 64, 16});
  const auto number = [&](Matrices matrices) {
    const Arrangement all = arrange(shape, {600, 640}, kFont, Labels::All, {}, matrices);
    return all.sheets[5].number * all.unit;
  };
  EXPECT_GT(number(Matrices::None), 1.2F * number(Matrices::Numbers));
  const Arrangement alone = arrange(shape, kRoom, kFont, Labels::All, {}, Matrices::None);
  EXPECT_TRUE(alone.hides_matrices);
  EXPECT_LT(sheet_box(shape, alone, shape.a).right(), 0.0F) << "no window shows it";
  EXPECT_FALSE(
      arrange(matmul({8, 8, 8, 0}), kRoom, kFont, Labels::All, {}, Matrices::None).hides_matrices)
      << "they are all there is";
}

TEST(Arrange, MatricesThatAreFirstAreLargerThanBesideABlock) {
  const StageShape shape = matmul({12, 12, 12, 4});
  const ImVec2 room(880, 700);
  const Arrangement beside = arrange(shape, room, 15.0F);
  const Arrangement first = arrange(shape, room, 15.0F, Labels::All, {}, Matrices::First);
  EXPECT_GT(first.sheets[2].number * first.unit, 1.3F * beside.sheets[2].number * beside.unit);
  EXPECT_LE(first.width * first.unit, room.x + 1.0F);
  EXPECT_GT(first.sheets[5].number, 0.0F) << "the block stays";
}

TEST(Arrange, OfABlockThatIsTooLargeTheMatricesStayVisible) {
  const StageShape shape = matmul({32, 32, 32, 8});
  for (const float width : {500.0F, 700.0F, 900.0F, 1100.0F}) {
    const Arrangement stage = arrange(shape, {width, 380}, 15.0F);
    EXPECT_GE(sheet_box(shape, stage, shape.c).w * stage.unit, 30.0F) << width;
  }
}

TEST(Arrange, WithoutSharedMemoryTheMatricesFillTheStage) {
  const Arrangement tiled = arrange(matmul({8, 8, 8, 4}), kRoom, kFont);
  const Arrangement naive = arrange(matmul({8, 8, 8, 0}), kRoom, kFont);
  EXPECT_GE(naive.unit, tiled.unit);
}

TEST(Arrange, OtherBuffersStandInARowInOrder) {
  StageShape shape;
  shape.sheets = {matrix("input", SheetKind::Buffer, 4, 4), matrix("mask", SheetKind::Buffer, 3, 3),
                  matrix("output", SheetKind::Buffer, 4, 6)};
  const Arrangement stage = arrange(shape, kRoom, kFont);
  EXPECT_LT(sheet_box(shape, stage, 0).right(), sheet_box(shape, stage, 1).x);
  EXPECT_LT(sheet_box(shape, stage, 1).right(), sheet_box(shape, stage, 2).x);
}

TEST(Arrange, ThirdSharedArrayStandsBesideTheOthers) {
  StageShape shape = matmul({8, 8, 8, 4});
  shape.sheets.push_back(matrix("flags", SheetKind::Shared, 1, 4));
  const Arrangement stage = arrange(shape, kRoom, kFont);
  for (int i = 0; i < 6; ++i) {
    EXPECT_FALSE(overlap(sheet_box(shape, stage, 6), sheet_box(shape, stage, i)));
  }
}

TEST(HitCell, TheEndOfAWrappedRowIsNoCell) {
  StageShape shape;
  Sheet sheet = matrix("x", SheetKind::Buffer, 3, 32);
  sheet.count = 70;
  shape.sheets = {sheet};
  const Arrangement stage = arrange(shape, kRoom, kFont);
  const Box last = cell_box(stage, 0, 2, 5);
  const Box beyond = cell_box(stage, 0, 2, 6);
  EXPECT_TRUE(hit_cell(shape, stage, last.x + 0.1F, last.y + 0.1F).has_value());
  EXPECT_FALSE(hit_cell(shape, stage, beyond.x + 0.1F, beyond.y + 0.1F).has_value());
}

class Cameras : public ::testing::Test {
 protected:
  StageShape shape_ = matmul({8, 8, 8, 4});
  StageArea area_{{100, 50}, kRoom, kFont};
  Arrangement stage_ = arrange(shape_, kRoom, kFont);
};

TEST_F(Cameras, FitCentresEverything) {
  const StageView view = view_of({}, stage_, area_);
  EXPECT_FLOAT_EQ(view.scale, stage_.unit);
  const Box all = view.to_window({0, 0, stage_.width, stage_.height});
  EXPECT_NEAR(all.x - 100.0F, 1100.0F - all.right(), 2.0F);
  EXPECT_NEAR(all.y - 50.0F, 690.0F - all.bottom(), 2.0F);
}

TEST_F(Cameras, ZoomKeepsThePointUnderThePointer) {
  const StageView before = view_of({}, stage_, area_);
  const ImVec2 pointer(300, 400);
  const ImVec2 world = before.to_world(pointer);
  const StageView after = view_of(zoomed(before, stage_, area_, pointer, 3.0F), stage_, area_);
  EXPECT_GT(after.scale, before.scale);
  EXPECT_NEAR(after.to_world(pointer).x, world.x, 1e-3);
  EXPECT_NEAR(after.to_world(pointer).y, world.y, 1e-3);
}

TEST_F(Cameras, ZoomingOutEndsAtFit) {
  StageView view = view_of({}, stage_, area_);
  state::Camera camera = zoomed(view, stage_, area_, {300, 400}, 4.0F);
  EXPECT_GT(camera.zoom, 0.0F);
  camera = zoomed(view_of(camera, stage_, area_), stage_, area_, {500, 300}, -5.0F);
  EXPECT_EQ(camera, state::Camera{});
}

TEST_F(Cameras, ZoomEndsAtOneCell) {
  StageView view = view_of({}, stage_, area_);
  for (int i = 0; i < 100; ++i) {
    view = view_of(zoomed(view, stage_, area_, {300, 400}, 2.0F), stage_, area_);
  }
  EXPECT_LE(view.scale * stage_.sheets[5].number, 9.0F * kFont);
  EXPECT_GE(view.scale * stage_.sheets[5].number, 3.0F * kFont);
}

TEST_F(Cameras, AnOverviewIsThereWhileSomethingIsOutOfSight) {
  const StageView all = view_of({}, stage_, area_);
  EXPECT_FALSE(overview_box(stage_, all, area_));
  const StageView near = view_of(zoomed(all, stage_, area_, {300, 400}, 4.0F), stage_, area_);
  const auto overview = overview_box(stage_, near, area_);
  ASSERT_TRUE(overview);
  EXPECT_LE(overview->right(), area_.from.x + area_.size.x);
  EXPECT_LE(overview->bottom(), area_.from.y + area_.size.y);
  EXPECT_NEAR(overview->w / overview->h, stage_.width / stage_.height, 0.02);
}

TEST_F(Cameras, AClickInTheOverviewLooksThere) {
  const StageView all = view_of({}, stage_, area_);
  const StageView near = view_of(zoomed(all, stage_, area_, {300, 400}, 4.0F), stage_, area_);
  const auto overview = overview_box(stage_, near, area_);
  ASSERT_TRUE(overview);
  const ImVec2 pixel(overview->x + 0.25F * overview->w, overview->y + 0.75F * overview->h);
  const state::Camera camera = look_at(stage_, near, area_, *overview, pixel);
  EXPECT_NEAR(camera.x, 0.25F * stage_.width, 1e-3);
  EXPECT_NEAR(camera.y, 0.75F * stage_.height, 1e-3);
  EXPECT_NEAR(camera.zoom, near.scale / area_.font, 1e-3);
}

TEST_F(Cameras, PanMovesByPixels) {
  const StageView before = view_of({}, stage_, area_);
  const StageView after = view_of(panned(before, area_, {30, -12}), stage_, area_);
  EXPECT_NEAR(after.x, before.x + 30.0F, 0.51F);
  EXPECT_NEAR(after.y, before.y - 12.0F, 0.51F);
  EXPECT_NEAR(after.scale, before.scale, 1e-3);
}

}  // namespace
}  // namespace tilestep::ui
