#include "ui/stage/flow_paint.h"

#include "insight/names.h"
#include "ui/stage/shape.h"
#include "ui/stage/thread_tile.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace tilestep::ui {
namespace {

std::optional<SheetPlace> stage_place(const StageShape& shape, const simt::Program& program,
                                      std::uint64_t address) {
  const auto place = sheet_place(shape, program, program.locate(address, 1));
  return place && place->inside ? place : std::nullopt;
}

CellFrame one_cell(const SheetPlace& place) {
  return {FrameKind::FocusReads, place.sheet, place.row, place.col, 1, 1, 0};
}

// The rectangle of all of them, where they fill it.
std::optional<CellFrame> rectangle_of(const std::vector<SheetPlace>& cells) {
  CellFrame all = one_cell(cells.front());
  int last_row = all.row;
  int last_col = all.col;
  for (const SheetPlace& cell : cells) {
    all.row = std::min(all.row, cell.row);
    all.col = std::min(all.col, cell.col);
    last_row = std::max(last_row, cell.row);
    last_col = std::max(last_col, cell.col);
  }
  all.rows = last_row - all.row + 1;
  all.cols = last_col - all.col + 1;
  return size(all.rows) * size(all.cols) == cells.size() ? std::optional(all) : std::nullopt;
}

void add_frame(const StagePicture& p, const CellFrame& frame, ImU32 colour,
               std::vector<CellInstance>& out) {
  const float width = std::max(2.0F, 0.14F * p.font);
  const Box box = p.window_box(frame);
  out.push_back(outline({std::round(box.x) - 0.5F * width, std::round(box.y) - 0.5F * width,
                         std::round(box.w) + width, std::round(box.h) + width},
                        colour, width, 0.2F * p.font));
}

// Of a cell that is left out, what is at the torn edge.
Box box_of(const StagePicture& p, const SheetPlace& place) {
  const CellRange& shown = p.arrangement.sheets[size(place.sheet)].shown;
  const int row = std::clamp(place.row, shown.row, std::max(shown.row + shown.rows - 1, shown.row));
  const int col = std::clamp(place.col, shown.col, std::max(shown.col + shown.cols - 1, shown.col));
  return p.view.to_window(cell_box(p.arrangement, place.sheet, row, col));
}

// Where the way from a cell's middle to another one's leaves it.
ImVec2 edge_of(const Box& box, const Box& other) {
  const ImVec2 middle(box.x + 0.5F * box.w, box.y + 0.5F * box.h);
  const float x = other.x + 0.5F * other.w - middle.x;
  const float y = other.y + 0.5F * other.h - middle.y;
  const float by_width = x == 0.0F ? 1.0F : 0.5F * box.w / std::abs(x);
  const float by_height = y == 0.0F ? 1.0F : 0.5F * box.h / std::abs(y);
  const float share = std::min({by_width, by_height, 1.0F});
  return {middle.x + share * x, middle.y + share * y};
}

// From cell to cell and over neither: a head would hide the number's sign.
void paint_arrow(const StagePicture& p, const Box& first, const Box& second, ImU32 colour) {
  const ImVec2 from = edge_of(first, second);
  const ImVec2 to = edge_of(second, first);
  const float length = std::hypot(to.x - from.x, to.y - from.y);
  if (length < p.font) {
    return;
  }
  const ImVec2 along((to.x - from.x) / length, (to.y - from.y) / length);
  const float head = 0.6F * p.font;
  const ImVec2 neck(to.x - head * along.x, to.y - head * along.y);
  // What lies below can be read through the shaft.
  p.list.AddLine(from, neck, with_alpha(colour, 0.55F), std::max(2.0F, 0.1F * p.font));
  p.list.AddTriangleFilled(to, {neck.x - 0.5F * head * along.y, neck.y + 0.5F * head * along.x},
                           {neck.x + 0.5F * head * along.y, neck.y - 0.5F * head * along.x},
                           colour);
}

bool is_shared(const StagePicture& p, const SheetPlace& place) {
  return p.shape.sheets[size(place.sheet)].kind == SheetKind::Shared;
}

// From the element to the cells of shared memory that hold it, or from there to here.
void paint_arrows(const StagePicture& p, const insight::CellFlow& flow, const SheetPlace& cell) {
  const ImU32 colour = p.context.theme.accent_text;
  for (const std::uint64_t address : is_shared(p, cell) ? flow.sources : flow.uses) {
    const auto other = stage_place(p.shape, p.program, address);
    if (!other || is_shared(p, *other) == is_shared(p, cell)) {
      continue;
    }
    const bool to_cell = is_shared(p, cell);
    paint_arrow(p, box_of(p, to_cell ? *other : cell), box_of(p, to_cell ? cell : *other), colour);
  }
}

}  // namespace

std::vector<CellFrame> flow_frames(const StageShape& shape, const simt::Program& program,
                                   const std::vector<std::uint64_t>& addresses) {
  std::vector<std::vector<SheetPlace>> by_sheet(shape.sheets.size());
  for (const std::uint64_t address : addresses) {
    if (const auto place = stage_place(shape, program, address)) {
      by_sheet[size(place->sheet)].push_back(*place);
    }
  }
  std::vector<CellFrame> frames;
  for (const std::vector<SheetPlace>& cells : by_sheet) {
    if (cells.empty()) {
      continue;
    }
    if (const auto all = rectangle_of(cells)) {
      frames.push_back(*all);
      continue;
    }
    for (const SheetPlace& cell : cells) {
      frames.push_back(one_cell(cell));
    }
  }
  return frames;
}

void paint_flow(const StagePicture& p, const insight::CellFlow& flow,
                std::vector<CellInstance>& instances) {
  const auto cell = insight::find_cell(p.program, flow.cell);
  const auto place =
      cell ? stage_place(p.shape, p.program, cell->address) : std::optional<SheetPlace>();
  if (!place) {
    return;
  }
  const ImU32 colour = p.context.theme.accent_text;
  instances.clear();
  for (const auto* addresses : {&flow.sources, &flow.uses}) {
    for (const CellFrame& frame : flow_frames(p.shape, p.program, *addresses)) {
      add_frame(p, frame, colour, instances);
    }
  }
  if (p.shape.threads != kNoSheet) {
    for (const std::uint32_t thread : flow.readers) {
      if (const auto at = thread_cell(p.shape, thread)) {
        add_frame(p, one_cell({p.shape.threads, at->row, at->col, true}), colour, instances);
      }
    }
  }
  add_frame(p, one_cell(*place), p.context.theme.focus, instances);
  if (p.context.cells != nullptr) {
    p.context.cells->draw(p.list, instances, p.clip);
  }
  paint_arrows(p, flow, *place);
}

}  // namespace tilestep::ui
