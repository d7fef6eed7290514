#include "ui/stage/waiting_paint.h"

#include "ui/stage/thread_tile.h"

#include <algorithm>
#include <cmath>

namespace tilestep::ui {
namespace {

// Around the cells of the threads from one to another.
Box box_around(const StagePicture& p, std::uint32_t first, std::uint32_t last) {
  const Sheet& sheet = p.shape.sheets[size(p.shape.threads)];
  CellPlace from{sheet.rows, sheet.cols};
  CellPlace to;
  for (int row = 0; row < sheet.rows; ++row) {
    for (int col = 0; col < sheet.cols; ++col) {
      const std::uint32_t thread = cell_thread(p.shape, {row, col});
      if (first <= thread && thread <= last) {
        from = {std::min(from.row, row), std::min(from.col, col)};
        to = {std::max(to.row, row), std::max(to.col, col)};
      }
    }
  }
  const Box a = cell_box(p.arrangement, p.shape.threads, from.row, from.col);
  const Box b = cell_box(p.arrangement, p.shape.threads, to.row, to.col);
  return p.view.to_window({a.x, a.y, b.right() - a.x, b.bottom() - a.y});
}

}  // namespace

void paint_waiting(const StagePicture& p, const record::State& state,
                   const record::Activity* statement) {
  const std::uint32_t block = p.context.state.focus.block;
  if (p.shape.threads == kNoSheet ||
      state.machine().block_status(block) != simt::BlockStatus::Running) {
    return;
  }
  const ImU32 colour = p.context.theme.focus;
  const float width = std::max(2.0F, 0.13F * p.font);
  const bool all_here =
      statement != nullptr &&
      std::any_of(statement->barriers.begin(), statement->barriers.end(), [block](const auto& b) {
        return b.warp.block == block && b.event.whole_block &&
               b.event.action == simt::BarrierAction::Release;
      });
  if (all_here) {
    const Box box = p.view.to_window(sheet_box(p.shape, p.arrangement, p.shape.threads));
    const float thin = std::max(1.5F, 0.08F * p.font);  // the array's name stands right above
    for (const float out : {0.75F * thin, 2.25F * thin}) {
      p.list.AddRect({box.x - out, box.y - out}, {box.right() + out, box.bottom() + out}, colour,
                     0.2F * p.font, 0, thin);
    }
    return;
  }
  const auto warp_size = static_cast<std::uint32_t>(p.program.warp_size());
  const std::uint32_t threads = p.program.threads_per_block();
  for (std::uint32_t warp = 0; warp < p.program.warps_per_block(); ++warp) {
    if (state.machine().warp({block, warp}).status != simt::WarpStatus::AtBarrier) {
      continue;
    }
    const Box box = box_around(p, warp * warp_size, std::min((warp + 1) * warp_size, threads) - 1);
    for (const float out : {0.5F * width, 2.5F * width}) {
      p.list.AddRectFilled({std::round(box.x - out - width), box.y + 1.0F},
                           {std::round(box.x - out), box.bottom() - 1.0F}, colour);
    }
  }
}

}  // namespace tilestep::ui
