// A phase that is shown as a whole: every kind of event in it is visible. A picture without it has
// other pixels.
#include "app/harness.h"
#include "ui/paint/painters.h"
#include "ui/stage_scene.h"
#include "ui/theme.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>

namespace tilestep::test {
namespace {

using ui::Cell;
using ui::FrameKind;
using ui::StageContent;

class PhasePicture {
 public:
  PhasePicture()
      : compiler_(workspace::cache_options(build_tree_paths())),
        workspace_(build_tree_paths(), compiler_),
        window_(off_screen(1280, 720)) {
    state::AppState state;
    state.focus.block = 1;
    state.focus.thread = 6;
    workspace_.set_state(state);
    workspace_.settle();
    scene_.block = 1;
    scene_.thread = 6;
  }

  void show_phase(std::size_t phase) { scene_.show_phase(phase); }
  [[nodiscard]] const StageContent& content() const { return scene_.content(); }

  // The number of pixels that differ after `without` has removed something.
  [[nodiscard]] std::size_t pixels_of(const std::function<void(StageContent&)>& without) {
    const platform::Image whole = draw(scene_.content());
    StageContent less_content = scene_.content();
    without(less_content);
    const platform::Image less = draw(less_content);
    return different_pixels(whole, less);
  }

 private:
  platform::Image draw(const StageContent& content) {
    ui::Memory memory;
    for (int i = 0; i < 2; ++i) {
      window_.frame(0.0, [&] {
        const ui::Context context{workspace_.state(),
                                  workspace_.view(),
                                  ui::theme(workspace_.state().theme),
                                  window_.fonts(),
                                  &window_.cells(),
                                  memory,
                                  0.0};
        const float font = ImGui::GetFontSize();
        const ui::Arrangement arrangement = ui::arrange(scene_.shape(), {1240.0F, 680.0F}, font);
        const ui::StageView view{arrangement.unit, 20.0F, 20.0F};
        const ui::StagePicture picture{context,
                                       scene_.shape(),
                                       arrangement,
                                       content,
                                       scene_.recording().program(),
                                       view,
                                       *ImGui::GetBackgroundDrawList(),
                                       {0.0F, 0.0F, 1280.0F, 720.0F},
                                       font};
        std::vector<ui::CellInstance> instances;
        ui::paint_block_card(picture);
        ui::paint_ribbons(picture);
        ui::paint_brought(picture);
        ui::paint_cells(picture, instances);
        ui::paint_sums_before(picture);
        ui::paint_frames(picture, instances);
        ui::paint_fault_line(picture);
      });
    }
    return window_.read_pixels();
  }

  compile::Compiler compiler_;
  workspace::Workspace workspace_;
  platform::Window window_;
  StageScene scene_{"tiled", {8, 8, 8}, 4};
};

std::function<void(StageContent&)> every_cell(const std::function<void(Cell&)>& change) {
  return [change](StageContent& content) {
    for (ui::SheetContent& sheet : content.sheets) {
      std::ranges::for_each(sheet.cells, change);
    }
  };
}

std::function<void(StageContent&)> no_frames(FrameKind kind) {
  return [kind](StageContent& content) {
    std::erase_if(content.frames,
                  [kind](const ui::CellFrame& frame) { return frame.kind == kind; });
  };
}

TEST(PhasePicture, ALoadIsSeenWithAllThatBelongsToIt) {
  PhasePicture picture;
  picture.show_phase(2);
  EXPECT_EQ(picture.pixels_of([](StageContent&) {}), 0U);
  EXPECT_GT(picture.pixels_of(every_cell([](Cell& cell) { cell.is_read = false; })), 2000U);
  EXPECT_GT(picture.pixels_of(every_cell([](Cell& cell) { cell.is_written = false; })), 10000U);
  EXPECT_GT(picture.pixels_of([](StageContent& content) { content.ribbons.clear(); }), 2000U);
  EXPECT_GT(picture.pixels_of([](StageContent& content) { content.moving.clear(); }), 300U);
  EXPECT_GT(picture.pixels_of(no_frames(FrameKind::LastTile)), 300U);
  EXPECT_GT(picture.pixels_of(no_frames(FrameKind::FocusCell)), 300U);
  EXPECT_GT(picture.pixels_of([](StageContent& content) { content.fault_line = true; }), 500U);
}

TEST(PhasePicture, AMultiplyIsSeenWithAllThatBelongsToIt) {
  PhasePicture picture;
  picture.show_phase(3);
  EXPECT_GT(picture.pixels_of(every_cell([](Cell& cell) { cell.is_read = false; })), 2000U);
  EXPECT_GT(picture.pixels_of(every_cell([](Cell& cell) { cell.is_written = false; })), 5000U);
  EXPECT_GT(picture.pixels_of(no_frames(FrameKind::FocusReads)), 300U);
}

TEST(PhasePicture, AWriteBackIsSeen) {
  PhasePicture picture;
  picture.show_phase(4);
  EXPECT_GT(picture.pixels_of(every_cell([](Cell& cell) { cell.is_written = false; })), 3000U);
}

}  // namespace
}  // namespace tilestep::test
