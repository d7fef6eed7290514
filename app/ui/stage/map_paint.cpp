#include "ui/stage/map_paint.h"

#include "ui/stage/labels.h"
#include "ui/stage/overlay.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace tilestep::ui {
namespace {

constexpr float kRest = 0.5F;       // of the hue: what is not in the tile
constexpr float kNotStored = 0.2F;  // … elements of C that wait for their sum
constexpr float kStored = 0.45F;    // of the line's colour over the hue
constexpr float kShade = 0.3F;      // of the text's colour: the largest number of a tile
constexpr float kShades = 4.0F;     // few, so that neighbours may be equal
constexpr float kLeastTile = 4.0F;  // pixels: of smaller ones no lines are drawn
constexpr float kLine = 0.3F;       // of the text's colour

// A tile is recognised by the pattern of its numbers.
ImU32 tile_shade(const StagePicture& p, ImU32 fill, const Cell& cell, double largest) {
  if (!(largest > 0.0) || !std::isfinite(cell.value)) {
    return fill;
  }
  const auto share = static_cast<float>(std::min(1.0, std::abs(cell.value) / largest));
  return mix(fill, p.context.theme.cell.text, kShade * std::round(share * kShades) / kShades);
}

ImU32 fill_of(const StagePicture& p, const Sheet& sheet, const SheetContent& content,
              const Cell& cell) {
  const Theme& t = p.context.theme;
  const RoleColours& role = role_colours(t, sheet.role);
  if (cell.is_wrong || cell.is_written || cell.state == CellState::Veiled) {
    const CellStyle style = cell_style(p, sheet, cell);
    return cell.is_wrong ? style.mark_colour : style.fill.fill;
  }
  if (cell.is_read) {
    return cell.by_focus_block ? role.line : mix(t.panel, role.line, kStored);
  }
  switch (cell.state) {
    case CellState::Value:
      if (sheet.is_output) {
        return mix(role.tint.fill, role.line, kStored);
      }
      return cell.in_tile ? tile_shade(p, role.tint.fill, cell, content.largest)
                          : mix(t.panel, role.tint.fill, kRest);
    case CellState::Pending:
      return cell.block == p.context.state.focus.block
                 ? tile_shade(p, role.tint.fill, cell, content.largest)
                 : mix(t.panel, role.tint.fill, kNotStored);
    default:
      return mix(t.panel, role.tint.fill, kNotStored);
  }
}

// Neighbours in a row that are filled alike.
struct Run {
  int first = 0;
  int last = 0;  // beyond its end
  ImU32 fill = 0;
  friend bool operator==(const Run&, const Run&) = default;
};

void add_lines(const StagePicture& p, const Box& box, ImVec2 cell, int every_row, int every_col,
               std::vector<CellInstance>& out) {
  const ImU32 colour = mix(p.context.theme.panel, p.context.theme.text, kLine);
  const auto line = [&](float x, float y, float w, float h) {
    out.push_back({.x = std::round(x), .y = std::round(y), .w = w, .h = h, .fill = colour});
  };
  const auto add = [&](int every, float step, float extent, auto&& draw) {
    const float distance = static_cast<float>(every) * step;
    if (every > 0 && distance >= kLeastTile) {
      for (float at = distance; at < extent - 1.0F; at += distance) {
        draw(at);
      }
    }
  };
  add(every_row, cell.y, box.h, [&](float at) { line(box.x, box.y + at, box.w, 1.0F); });
  add(every_col, cell.x, box.w, [&](float at) { line(box.x + at, box.y, 1.0F, box.h); });
}

}  // namespace

bool is_map(const StagePicture& p, int sheet) {
  return p.arrangement.has_map && (sheet == p.shape.a || sheet == p.shape.b || sheet == p.shape.c);
}

void add_map(const StagePicture& p, int sheet, std::vector<CellInstance>& out) {
  const Sheet& s = p.shape.sheets[size(sheet)];
  const SheetContent& content = p.content.sheets[size(sheet)];
  const Box box = p.view.to_window(sheet_box(p.shape, p.arrangement, sheet));
  if (!p.is_visible(box)) {
    return;
  }
  const ImVec2 cell = p.cell_size(sheet);
  const auto x_of = [&](int col) { return std::round(box.x + static_cast<float>(col) * cell.x); };
  const auto y_of = [&](int row) { return std::round(box.y + static_cast<float>(row) * cell.y); };
  std::vector<Run> runs;
  std::vector<Run> row_runs;
  int since = 0;  // the row from which on `runs` are the same
  const auto flush = [&](int end) {
    for (const Run& run : runs) {
      out.push_back({.x = x_of(run.first),
                     .y = y_of(since),
                     .w = std::max(1.0F, x_of(run.last) - x_of(run.first)),
                     .h = std::max(1.0F, y_of(end) - y_of(since)),
                     .fill = run.fill});
    }
  };
  for (int row = 0; row < s.rows; ++row) {
    row_runs.clear();
    for (int col = 0; col < s.cols; ++col) {
      const Cell& at = content.cells[cell_index(s, {row, col})];
      const ImU32 fill = fill_of(p, s, content, at);
      if (!row_runs.empty() && row_runs.back().fill == fill) {
        row_runs.back().last = col + 1;
      } else {
        row_runs.push_back({col, col + 1, fill});
      }
    }
    if (row_runs != runs) {
      flush(row);
      runs.swap(row_runs);
      since = row;
    }
  }
  flush(s.rows);
  const TileSizes& tile = p.content.tile;
  add_lines(p, box, cell, sheet == p.shape.b ? tile.inner : tile.rows,
            sheet == p.shape.a ? tile.inner : tile.cols, out);
  out.push_back(outline(box, mix(p.context.theme.panel, p.context.theme.text, kLine), 1.0F, 0.0F));
}

void paint_map(const StagePicture& picture, std::vector<CellInstance>& instances) {
  if (picture.arrangement.map.empty()) {
    return;
  }
  const Arrangement arrangement = map_alone(picture.arrangement);
  // Its labels end where the parts begin, with their row numbers.
  const Box parts =
      picture.view.to_window(sheet_box(picture.shape, picture.arrangement, picture.shape.a));
  ImVec4 clip = picture.clip;
  clip.z = std::min(clip.z, parts.x - picture.font);
  const StagePicture map{picture.context, picture.shape, arrangement,  picture.content,
                         picture.program, picture.view,  picture.list, clip,
                         picture.font};
  paint_cells(map, instances);
  paint_frames(map, instances);
  paint_labels(map);
  for (const int sheet : {picture.shape.a, picture.shape.b, picture.shape.c}) {
    const CellRange& part = picture.arrangement.sheets[size(sheet)].shown;
    const Box box =
        map.window_box({FrameKind::Guide, sheet, part.row, part.col, part.rows, part.cols, 0});
    picture.list.AddRect({box.x, box.y}, {box.right(), box.bottom()}, picture.context.theme.text,
                         0.0F, ImDrawFlags_None, std::max(1.0F, 0.07F * picture.font));
  }
}

}  // namespace tilestep::ui
