#include "ui/stage/legend.h"

#include "problem/tr.h"

#include <algorithm>
#include <cmath>

namespace tilestep::ui {
namespace {

constexpr float kText = 0.9F;  // lines
constexpr float kRow = 1.35F;
constexpr float kSwatch = 0.85F;
constexpr float kBetween = 0.9F;  // from one item to the next

bool has_frame(const StagePicture& p, FrameKind kind) {
  return std::any_of(p.content.frames.begin(), p.content.frames.end(),
                     [kind](const CellFrame& frame) { return frame.kind == kind; });
}

LegendItem cell_item(const StagePicture& p, const Cell& cell, const char* text) {
  return {cell_style(p, Sheet(), cell), text};
}

LegendItem frame_item(const StagePicture& p, ImU32 colour, std::uint32_t marks, const char* text) {
  return {{p.context.theme.cell_empty, colour, std::max(2.0F, 0.13F * p.font), marks}, text};
}

}  // namespace

std::vector<LegendItem> legend_items(const StagePicture& p) {
  std::vector<LegendItem> items;
  const CellKinds& kinds = p.content.kinds;
  const Cell plain{.state = CellState::Value, .by_focus_block = true};
  if (kinds.read) {
    Cell cell = plain;
    cell.is_read = true;
    items.push_back(cell_item(p, cell, tr("read")));
  }
  if (kinds.written) {
    Cell cell = plain;
    cell.is_written = true;
    items.push_back(cell_item(p, cell, tr("stored")));
  }
  if (kinds.masked) {
    Cell cell = plain;
    cell.is_masked = true;
    items.push_back(cell_item(p, cell, tr("masked")));
  }
  if (kinds.stale) {
    Cell cell = plain;
    cell.is_stale = true;
    items.push_back(cell_item(p, cell, tr("not needed any more")));
    items.back().style.border = p.context.theme.text_dim;  // of the tint of what it was on stage
    items.back().style.border_width = std::max(1.0F, items.back().style.border_width);
  }
  if (kinds.arriving) {
    Cell cell = plain;
    cell.is_arriving = true;
    items.push_back(cell_item(p, cell, tr("on its way")));
  }
  if (kinds.padding || std::ranges::any_of(p.shape.sheets, pitch_padding)) {
    Cell cell = plain;
    cell.is_padding = true;
    items.push_back(cell_item(p, cell, tr("padding")));
  }
  if (kinds.wrong) {
    Cell cell = plain;
    cell.is_wrong = true;
    items.push_back(cell_item(p, cell, tr("wrong")));
  }
  items.push_back(frame_item(p, p.context.theme.focus, mark::kNone, tr("this thread")));
  const ImU32 tile = p.context.theme.text_dim;  // on the stage in its matrix's hue
  if (has_frame(p, FrameKind::Tile)) {
    items.push_back(frame_item(p, tile, mark::kNone, tr("tile")));
  }
  if (has_frame(p, FrameKind::Visited)) {
    items.push_back(frame_item(p, tile, mark::kDashed, tr("loaded so far")));
  }
  if (has_frame(p, FrameKind::LastTile)) {
    items.push_back(frame_item(p, tile, mark::kDashed, tr("tile before")));
  }
  if (has_frame(p, FrameKind::Factors)) {
    items.push_back(frame_item(p, tile, mark::kDashed, tr("its row and column")));
  }
  if (has_frame(p, FrameKind::BlockGuide)) {
    items.push_back(frame_item(p, tile, mark::kNone, tr("index of the block")));
  }
  return items;
}

float paint_legend(const StagePicture& p, ImVec2 from, ImVec2 size,
                   std::vector<CellInstance>& instances) {
  struct Spot {
    std::size_t item;
    float x;
    int row;
  };
  const float text = kText * p.font;
  const float swatch = std::round(kSwatch * p.font);
  const std::vector<LegendItem> items = legend_items(p);
  const int rows = static_cast<int>(size.y / (kRow * p.font));
  std::vector<Spot> spots;
  float x = 0.0F;
  int row = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const float width =
        swatch + 0.4F * p.font +
        p.context.fonts.text->CalcTextSizeA(text, 1e6F, 0.0F, items[i].text.c_str()).x;
    if (x > 0.0F && x + width > size.x) {
      x = 0.0F;
      ++row;
    }
    if (row >= rows) {
      break;
    }
    spots.push_back({i, x, row});
    x += width + kBetween * p.font;
  }
  if (spots.empty()) {
    return 0.0F;
  }
  const float top = from.y + size.y - static_cast<float>(spots.back().row + 1) * kRow * p.font;
  instances.clear();
  for (const Spot& spot : spots) {
    const LegendItem& item = items[spot.item];
    const ImVec2 at(std::round(from.x + spot.x),
                    std::round(top + static_cast<float>(spot.row) * kRow * p.font));
    instances.push_back({.x = at.x,
                         .y = at.y,
                         .w = swatch,
                         .h = swatch,
                         .fill = item.style.fill.fill,
                         .border = item.style.border,
                         .border_width = item.style.border_width,
                         .radius = 0.12F * swatch,
                         .marks = item.style.marks,
                         .mark_colour = item.style.mark_colour});
    p.list.AddText(p.context.fonts.text, text,
                   {at.x + swatch + 0.4F * p.font, at.y + 0.5F * (swatch - text)},
                   p.context.theme.text_dim, item.text.c_str());
  }
  if (p.context.cells != nullptr) {
    p.context.cells->draw(p.list, instances, p.clip);
  }
  return from.y + size.y - top;
}

}  // namespace tilestep::ui
