#include "insight/names.h"
#include "ui/paint/painters.h"
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

// The cells as one rectangle, if they fill it.
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

// The box of a cell; for a cell that is left out, the box at the torn edge.
Box box_of(const StagePicture& p, const SheetPlace& place) {
  const CellRange& shown = p.arrangement.sheets[size(place.sheet)].shown;
  const int row = std::clamp(place.row, shown.row, std::max(shown.row + shown.rows - 1, shown.row));
  const int col = std::clamp(place.col, shown.col, std::max(shown.col + shown.cols - 1, shown.col));
  return p.window_box(place.sheet, row, col);
}

// The point where the line to another box's center leaves the box.
ImVec2 edge_of(const Box& box, const Box& other) {
  const ImVec2 middle(box.x + 0.5F * box.w, box.y + 0.5F * box.h);
  const float x = other.x + 0.5F * other.w - middle.x;
  const float y = other.y + 0.5F * other.h - middle.y;
  const float by_width = x == 0.0F ? 1.0F : 0.5F * box.w / std::abs(x);
  const float by_height = y == 0.0F ? 1.0F : 0.5F * box.h / std::abs(y);
  const float share = std::min({by_width, by_height, 1.0F});
  return {middle.x + share * x, middle.y + share * y};
}

// Draws from cell to cell without covering either: an arrowhead would hide the number's sign.
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
  // The shaft is translucent.
  p.list.AddLine(from, neck, with_alpha(colour, 0.55F), std::max(2.0F, 0.1F * p.font));
  p.list.AddTriangleFilled(to, {neck.x - 0.5F * head * along.y, neck.y + 0.5F * head * along.x},
                           {neck.x + 0.5F * head * along.y, neck.y - 0.5F * head * along.x},
                           colour);
}

bool is_shared(const StagePicture& p, const SheetPlace& place) {
  return p.shape.sheets[size(place.sheet)].kind == SheetKind::Shared;
}

// Draws arrows between the element and the shared cells that hold it.
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

// Sizes in lines of text.
constexpr float kPointLine = 0.13F;
constexpr float kPointLabel = 0.9F;
constexpr float kPointPad = 0.3F;
constexpr float kPointArrow = 0.9F;
constexpr float kAboveSheet = 1.2F;
constexpr float kBelowSheet = 1.3F;
constexpr float kLeftOfSheet = 0.9F;

// Cost of a pixel that a label hides; a number's pixel costs 1.
constexpr float kNumberCost = 1.0F;
constexpr float kBlankCost = 0.15F;
constexpr float kIndexCost = 0.5F;
constexpr float kCardCost = 0.3F;
constexpr float kFrameCost = 0.6F;
constexpr float kLabelCost = 8.0F;
constexpr float kOutsideCost = 20.0F;

int sheet_named(const StageShape& shape, const std::string& name) {
  const auto found = std::ranges::find(shape.sheets, name, &Sheet::name);
  return found == shape.sheets.end() ? kNoSheet : static_cast<int>(found - shape.sheets.begin());
}

// The overlap in pixels.
float overlap_of(const Box& a, const Box& b) {
  const float w = std::min(a.right(), b.right()) - std::max(a.x, b.x);
  const float h = std::min(a.bottom(), b.bottom()) - std::max(a.y, b.y);
  return w > 0.0F && h > 0.0F ? w * h : 0.0F;
}

class Pointer {
 public:
  Pointer(const StagePicture& picture, std::vector<CellInstance>& out) : p_(picture), out_(out) {}

  void frame(const lesson::Annotation& point) {
    const int sheet = sheet_named(p_.shape, point.of);
    if (sheet == kNoSheet) {
      boxes_.push_back({});
      return;
    }
    const Box box = p_.window_box({FrameKind::FocusReads, sheet, point.first_row, point.first_col,
                                   point.last_row - point.first_row + 1,
                                   point.last_col - point.first_col + 1, 0});
    const bool is_shown = box.x > p_.clip.x - box.w && box.y > p_.clip.y - box.h;
    boxes_.push_back(is_shown ? box : Box{});
    if (!is_shown || !point.has_frame) {
      return;
    }
    const float width = std::max(2.0F, kPointLine * p_.font);
    out_.push_back(outline({std::round(box.x) - width, std::round(box.y) - width,
                            std::round(box.w) + 2.0F * width, std::round(box.h) + 2.0F * width},
                           p_.context.theme.text, width, 0.25F * p_.font));
  }

  void label(std::size_t index, const lesson::Annotation& point, const std::string& words) {
    const Box& box = boxes_[index];
    if (words.empty() || box.w <= 0.0F || box.h <= 0.0F) {
      return;
    }
    const float size = kPointLabel * p_.font;
    const float pad = kPointPad * p_.font;
    const ImVec2 text = p_.context.fonts.bold->CalcTextSizeA(size, 1e6F, 0.0F, words.c_str());
    const ImVec2 tag(text.x + 2.0F * pad, 1.35F * size);
    const Box place = point.has_frame ? place_of(box, tag, index)
                                      : inside({box.x + 0.5F * (box.w - tag.x),
                                                box.y + 0.5F * (box.h - tag.y), tag.x, tag.y});
    paint_arrow_to(box, place);
    p_.list.AddRectFilled({place.x, place.y}, {place.right(), place.bottom()},
                          p_.context.theme.raised, 0.25F * p_.font);
    p_.list.AddRect({place.x, place.y}, {place.right(), place.bottom()}, p_.context.theme.text,
                    0.25F * p_.font, ImDrawFlags_None, std::max(1.0F, 0.06F * p_.font));
    p_.write(p_.context.fonts.bold, size, {place.x + pad, place.y + 0.5F * (tag.y - size)},
             p_.context.theme.text, words);
    taken_.push_back(place);
  }

 private:
  // Chooses the label's box across the frame's upper edge, below it, beside it or inside: where it
  // hides least.
  [[nodiscard]] Box place_of(const Box& box, ImVec2 tag, std::size_t own) const {
    const float x = box.x + 0.5F * (box.w - tag.x);
    const float y = box.y + 0.5F * (box.h - tag.y);
    const float gap = kPointArrow * p_.font;
    const Box places[] = {{x, box.y - 0.85F * tag.y, tag.x, tag.y},
                          {x, box.bottom() - 0.15F * tag.y, tag.x, tag.y},
                          {x, box.y - tag.y - gap, tag.x, tag.y},
                          {x, box.bottom() + gap, tag.x, tag.y},
                          {box.right() + gap, y, tag.x, tag.y},
                          {box.right() + gap, box.y, tag.x, tag.y},
                          {box.x - tag.x - gap, y, tag.x, tag.y},
                          {box.x - tag.x - gap, box.y, tag.x, tag.y},
                          {x, y, tag.x, tag.y}};
    Box best = inside(places[0]);
    float least = hidden_by(places[0], own);
    for (const Box& place : places) {
      if (const float hidden = hidden_by(place, own); hidden < least - 1.0F) {
        least = hidden;
        best = place;
      }
    }
    return inside(best);
  }

  // Pixels, weighted by what they show.
  [[nodiscard]] float hidden_by(const Box& place, std::size_t own) const {
    const Box view{p_.clip.x, p_.clip.y, p_.clip.z - p_.clip.x, p_.clip.w - p_.clip.y};
    float hidden = kOutsideCost * (place.w * place.h - overlap_of(place, view));
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      hidden += i == own ? 0.0F : kFrameCost * overlap_of(place, boxes_[i]);
    }
    for (const Box& label : taken_) {
      hidden += kLabelCost * overlap_of(place, label);
    }
    if (p_.arrangement.block_group) {  // the block's labels
      hidden += kCardCost * overlap_of(place, p_.view.to_window(*p_.arrangement.block_group));
    }
    for (std::size_t i = 0; i < p_.shape.sheets.size(); ++i) {
      hidden += hidden_of_sheet(place, static_cast<int>(i));
    }
    return hidden;
  }

  [[nodiscard]] float hidden_of_sheet(const Box& place, int sheet) const {
    const CellRange& shown = p_.arrangement.sheets[size(sheet)].shown;
    if (shown.rows <= 0 || shown.cols <= 0) {
      return 0.0F;
    }
    const Box all = p_.window_box({.sheet = sheet,
                                   .row = shown.row,
                                   .col = shown.col,
                                   .rows = shown.rows,
                                   .cols = shown.cols});
    // Its column numbers and name, and its row numbers.
    const Box above{all.x, all.y - kAboveSheet * p_.font, all.w, kAboveSheet * p_.font};
    const Box left{all.x - kLeftOfSheet * p_.font, all.y, kLeftOfSheet * p_.font, all.h};
    const Box below{all.x, all.bottom(), all.w, kBelowSheet * p_.font};  // its name or note
    float hidden = kIndexCost *
                   (overlap_of(place, above) + overlap_of(place, left) + overlap_of(place, below));
    const ImVec2 cell = p_.cell_size(sheet);
    for (int row = shown.row; row < shown.row + shown.rows; ++row) {
      const float y = all.y + cell.y * static_cast<float>(row - shown.row);
      if (y + cell.y <= place.y || y >= place.bottom()) {
        continue;
      }
      for (int col = shown.col; col < shown.col + shown.cols; ++col) {
        const float x = all.x + cell.x * static_cast<float>(col - shown.col);
        if (x + cell.x > place.x && x < place.right()) {
          hidden += cost_of(sheet, {row, col}) * overlap_of(place, {x, y, cell.x, cell.y});
        }
      }
    }
    return hidden;
  }

  [[nodiscard]] float cost_of(int sheet, CellPlace at) const {
    const Sheet& s = p_.shape.sheets[size(sheet)];
    const std::size_t index = cell_index(s, at);
    const auto& cells = p_.content.sheets[size(sheet)].cells;
    const bool is_blank = index >= cells.size() || cells[index].state == CellState::Empty ||
                          cells[index].state == CellState::Unused;
    return is_blank ? kBlankCost : kNumberCost;
  }

  [[nodiscard]] Box inside(Box place) const {
    place.x = std::clamp(place.x, p_.clip.x, std::max(p_.clip.x, p_.clip.z - place.w));
    place.y = std::clamp(place.y, p_.clip.y, std::max(p_.clip.y, p_.clip.w - place.h));
    return place;
  }

  // If the label does not touch its target.
  void paint_arrow_to(const Box& box, const Box& place) const {
    if (overlap_of(box, place) > 0.0F) {
      return;
    }
    const ImVec2 from(place.x + 0.5F * place.w, place.y + 0.5F * place.h);
    const ImVec2 to(std::clamp(from.x, box.x, box.right()),
                    std::clamp(from.y, box.y, box.bottom()));
    const float length = std::hypot(to.x - from.x, to.y - from.y);
    const ImVec2 along((to.x - from.x) / length, (to.y - from.y) / length);
    const float head = 0.45F * p_.font;
    const ImVec2 neck(to.x - head * along.x, to.y - head * along.y);
    const ImU32 ink = p_.context.theme.text;
    p_.list.AddLine(from, neck, ink, std::max(2.0F, 0.1F * p_.font));
    p_.list.AddTriangleFilled(to, {neck.x - 0.5F * head * along.y, neck.y + 0.5F * head * along.x},
                              {neck.x + 0.5F * head * along.y, neck.y - 0.5F * head * along.x},
                              ink);
  }

  const StagePicture& p_;
  std::vector<CellInstance>& out_;
  std::vector<Box> boxes_;  // by point; empty: no cell, or none of it is visible
  std::vector<Box> taken_;  // occupied by labels
};

// Cells of one sheet as few frames: one if they fill a rectangle, else one per cell.
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

}  // namespace

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
  p.draw(instances);
  paint_arrows(p, flow, *place);
}

void paint_points(const StagePicture& p, std::vector<CellInstance>& instances) {
  const auto& shown = p.context.view.lesson;
  if (shown == nullptr || shown->scene == nullptr || shown->has_wandered) {
    return;
  }
  const auto& points = shown->scene->points;
  Pointer pointer(p, instances);
  instances.clear();
  for (const lesson::Annotation& point : points) {
    pointer.frame(point);
  }
  if (p.context.cells != nullptr && !instances.empty()) {
    p.context.cells->draw(p.list, instances, p.clip);
  }
  for (std::size_t i = 0; i < points.size() && i < shown->labels.size(); ++i) {
    pointer.label(i, points[i], shown->labels[i]);
  }
}

}  // namespace tilestep::ui
