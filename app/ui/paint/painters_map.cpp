#include "insight/names.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "ui/paint/painters.h"
#include "ui/stage/thread_tile.h"
#include "ui/text.h"
#include "ui/widgets.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace tilestep::ui {
namespace {

constexpr float kRest = 0.5F;       // of the hue: cells outside the tile
constexpr float kNotStored = 0.2F;  // of the hue: elements of C whose sum is not stored yet
constexpr float kStored = 0.45F;    // of the line's color over the hue
constexpr float kShade = 0.3F;      // of the text's color: the largest number of a tile
constexpr float kShades = 4.0F;     // few, so that neighbors may be equal
constexpr float kLeastTile = 4.0F;  // pixels: smaller tiles have no lines
constexpr float kLine = 0.3F;       // of the text's color

// A tile is recognized by the pattern of its numbers.
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
  if (cell.is_wrong || cell.is_written || cell.state == CellState::Masked) {
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

// Neighbors in a row with the same fill.
struct Run {
  int first = 0;
  int last = 0;  // one beyond the end
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

Box grown(const Box& box, float by) {
  return {std::round(box.x) - by, std::round(box.y) - by,
          std::round(box.right()) - std::round(box.x) + 2.0F * by,
          std::round(box.bottom()) - std::round(box.y) + 2.0F * by};
}

// A block's loads have the hue of their numbers; blocks' colors show ownership.
ImU32 tile_colour(const Theme& theme, const Sheet& sheet) {
  return sheet.role == insight::ValueRole::None ? theme.text_dim
                                                : role_colours(theme, sheet.role).line;
}

// The style of a frame; lengths in widths of a thin line, `radius` in lines of text.
enum class FrameInk { Tile, Focus, Fault, Dim };
struct FrameLook {
  FrameKind kind;
  FrameInk ink;
  float grown;  // 0: on the cells' own edges
  float width;
  float radius;
  bool is_dashed = false;
};
constexpr std::array kFrameLooks{
    FrameLook{FrameKind::Tile, FrameInk::Tile, 0.5F, 1.8F, 0.15F},
    FrameLook{FrameKind::Visited, FrameInk::Tile, 1.0F, 1.0F, 0.15F, true},
    FrameLook{FrameKind::LastTile, FrameInk::Tile, 0.5F, 1.2F, 0.15F, true},
    FrameLook{FrameKind::FocusCell, FrameInk::Focus, 0.5F, 1.5F, 0.2F},
    FrameLook{FrameKind::FocusSum, FrameInk::Focus, 0.5F, 1.0F, 0.2F},
    FrameLook{FrameKind::Finding, FrameInk::Fault, 2.0F, 2.2F, 0.25F},
    FrameLook{FrameKind::Guide, FrameInk::Focus, 0.5F, 1.5F, 0.2F},
    FrameLook{FrameKind::Factors, FrameInk::Dim, 0.0F, 1.0F, 0.15F, true},
    FrameLook{FrameKind::BlockGuide, FrameInk::Tile, 0.0F, 1.0F, 0.15F},
};

CellInstance frame_instance(const StagePicture& p, const CellFrame& frame) {
  const Theme& t = p.context.theme;
  const Box box = p.window_box(frame);
  const float thin = std::max(1.5F, 0.09F * p.font);
  if (frame.kind == FrameKind::Block) {
    // The inner line of a neighbor's frame stays visible beside it.
    const bool is_focus = frame.block == p.context.state.focus.block;
    CellInstance instance = outline(grown(box, is_focus ? 0.5F * thin : -0.5F),
                                    block_colour(t, p.program.block_index(frame.block)),
                                    is_focus ? 2.2F * thin : thin, 0.15F * p.font);
    instance.marks = is_focus ? mark::kNone : mark::kDashed;
    return instance;
  }
  const auto look = std::ranges::find(kFrameLooks, frame.kind, &FrameLook::kind);
  if (look == kFrameLooks.end()) {  // FocusReads
    return outline(grown(box, 0.12F * p.font), t.focus, 1.2F * thin, 0.25F * p.font);
  }
  const ImU32 ink = look->ink == FrameInk::Tile ? tile_colour(t, p.shape.sheets[size(frame.sheet)])
                    : look->ink == FrameInk::Focus ? t.focus
                    : look->ink == FrameInk::Fault ? t.bad
                                                   : t.text_dim;
  CellInstance instance = outline(look->grown > 0.0F ? grown(box, look->grown * thin) : box, ink,
                                  look->width * thin, look->radius * p.font);
  instance.marks = look->is_dashed ? mark::kDashed : mark::kNone;
  if (frame.kind == FrameKind::BlockGuide) {
    instance.fill = with_alpha(ink, 0.16F);
  }
  return instance;
}

// The cell of the focus thread's result, stored or not.
void add_focus_cells(const StagePicture& p, std::vector<CellInstance>& out) {
  const state::Focus& focus = p.context.state.focus;
  const float width = std::max(2.0F, 0.13F * p.font);
  if (p.shape.threads != kNoSheet) {
    const auto place =
        p.content.focus_cell ? p.content.focus_cell : thread_cell(p.shape, focus.thread);
    if (place) {
      const Box box = cell_box(p.arrangement, p.shape.threads, place->row, place->col);
      out.push_back(outline(grown(p.view.to_window(box), 0.5F * width), p.context.theme.focus,
                            width, 0.2F * p.font));
    }
  }
  if (p.content.focus_result) {
    const SheetPlace& place = *p.content.focus_result;
    const Box box = cell_box(p.arrangement, place.sheet, place.row, place.col);
    out.push_back(outline(grown(p.view.to_window(box), 0.5F * width), p.context.theme.focus, width,
                          0.2F * p.font));
  }
  for (std::size_t i = 0; i < p.shape.sheets.size(); ++i) {
    const Sheet& sheet = p.shape.sheets[i];
    if (sheet.name != focus.cell_of ||
        !p.arrangement.sheets[i].shown.has(focus.cell_row, focus.cell_col)) {
      continue;
    }
    const Box box = cell_box(p.arrangement, static_cast<int>(i), focus.cell_row, focus.cell_col);
    CellInstance chosen = outline(grown(p.view.to_window(box), width), p.context.theme.accent_text,
                                  width, 0.2F * p.font);
    chosen.marks = mark::kDashed;
    out.push_back(chosen);
  }
}

// "(1,0)" on the upper left corner of a block's frame.
void paint_block_chips(const StagePicture& p) {
  const Theme& t = p.context.theme;
  const problem::Dim3 grid = p.program.launch().grid;
  for (const CellFrame& frame : p.content.frames) {
    if (frame.kind != FrameKind::Block || grid.count() == 1 ||
        p.arrangement.labels == Labels::Few) {  // names are there
      continue;
    }
    const Box box = p.window_box(frame);
    // The free height between the numbers of two rows.
    const ValueText value = sheet_text(p, frame.sheet);
    const float free = p.cell_size(frame.sheet).y - (value.chars > 0 ? value.size : 0.0F);
    const float text_size = std::min(0.7F * p.font, 0.9F * free);
    if (text_size < kLeastChip) {  // may be 0: no font has that size
      continue;
    }
    const std::string name =
        insight::coordinates(p.program.block_index(frame.block), p.program.launch());
    ImFont* font = p.context.fonts.bold;
    const ImVec2 text = font->CalcTextSizeA(text_size, 1e6F, 0.0F, name.c_str());
    const float pad = 0.25F * text_size;
    const float chip_height = text_size + 0.3F * pad;
    if (p.cell_size(frame.sheet).y < 1.25F * p.font || text.x + 2.0F * pad > 0.9F * box.w ||
        !p.is_visible(box)) {
      continue;
    }
    const ImVec2 from(std::round(box.x), std::round(box.y - 0.5F * chip_height));
    const ImVec2 to(from.x + text.x + 2.0F * pad, from.y + chip_height);
    const ImU32 colour = block_colour(t, p.program.block_index(frame.block));
    const bool dark_text = contrast(colour, rgb(0x05080B)) > contrast(colour, rgb(0xFFFFFF));
    p.list.AddRectFilled(from, to, colour, 0.15F * p.font);
    p.list.AddText(font, text_size, {from.x + pad, from.y + 0.15F * pad},
                   dark_text ? rgb(0x05080B) : rgb(0xFFFFFF), name.c_str());
  }
}

}  // namespace

bool is_map(const StagePicture& p, int sheet) {
  return p.arrangement.has_map && (sheet == p.shape.a || sheet == p.shape.b || sheet == p.shape.c);
}

void add_map(const StagePicture& p, int sheet, std::vector<CellInstance>& out) {
  const Sheet& s = p.shape.sheets[size(sheet)];
  const SheetContent& content = p.content.sheets[size(sheet)];
  const Box box = p.window_box(sheet);
  if (!p.is_visible(box)) {
    return;
  }
  const ImVec2 cell = p.cell_size(sheet);
  const auto x_of = [&](int col) { return std::round(box.x + static_cast<float>(col) * cell.x); };
  const auto y_of = [&](int row) { return std::round(box.y + static_cast<float>(row) * cell.y); };
  std::vector<Run> runs;
  std::vector<Run> row_runs;
  int since = 0;  // the row from which on `runs` are unchanged
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
  // Its labels end where the parts and their row numbers begin.
  const Box parts = picture.window_box(picture.shape.a);
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

void paint_block_card(const StagePicture& p) {
  if (!p.arrangement.block_group) {
    return;
  }
  const Theme& t = p.context.theme;
  const problem::Dim3 block = p.program.block_index(p.context.state.focus.block);
  const ImU32 colour = block_colour(t, block);
  const Box card = p.view.to_window(*p.arrangement.block_group);
  const ImVec2 from(std::round(card.x), std::round(card.y));
  const ImVec2 to(std::round(card.right()), std::round(card.bottom()));
  p.list.AddRectFilled(from, to, mix(t.panel, t.raised, 0.6F), 0.5F * p.font);
  p.list.AddRect(from, to, mix(t.border, colour, 0.45F), 0.5F * p.font, ImDrawFlags_None,
                 std::max(1.0F, 0.08F * p.font));
}

void paint_block_name(const StagePicture& p, bool with_memory) {
  if (!p.arrangement.block_corner) {
    return;
  }
  const ImU32 colour =
      block_colour(p.context.theme, p.program.block_index(p.context.state.focus.block));
  const Theme& t = p.context.theme;
  const Box corner = p.view.to_window(*p.arrangement.block_corner);
  const std::string name = block_name(p.program, p.context.state.focus.block);
  const std::string memory = tr("{} B shared", p.program.shared_bytes());
  const float dot = 0.75F * p.font;
  const float wanted = dot + 0.4F * p.font + text_width(p.context.fonts.bold, p.font, name);
  if (corner.w < wanted || corner.h < 1.2F * p.font) {
    return;
  }
  const ImVec2 at(std::round(corner.x), std::round(corner.y));
  p.list.AddRectFilled({at.x, at.y + 0.15F * p.font}, {at.x + dot, at.y + 0.15F * p.font + dot},
                       colour, 0.15F * p.font);
  p.list.AddText(p.context.fonts.bold, p.font, {at.x + dot + 0.4F * p.font, at.y}, t.text,
                 name.c_str());
  if (with_memory && corner.h > 2.6F * p.font) {
    paint_backed_text(p, p.context.fonts.text, p.font, {at.x, at.y + 1.35F * p.font}, t.text_dim,
                      memory);
  }
}

void paint_frames(const StagePicture& picture, std::vector<CellInstance>& instances) {
  instances.clear();
  const auto is_of_thread = [](const CellFrame& frame) {
    return frame.kind == FrameKind::FocusReads || frame.kind == FrameKind::FocusSum ||
           frame.kind == FrameKind::FocusCell || frame.kind == FrameKind::Finding;
  };
  // The focus block's frames are over the others', which are lines of a map.
  for (const bool focus : {false, true}) {
    for (const CellFrame& frame : picture.content.frames) {
      const bool is_line = !focus && frame.kind == FrameKind::Block && is_map(picture, frame.sheet);
      if ((frame.block == picture.context.state.focus.block) == focus && !is_of_thread(frame) &&
          !is_line) {
        instances.push_back(frame_instance(picture, frame));
      }
    }
  }
  for (const CellFrame& frame : picture.content.frames) {
    if (is_of_thread(frame)) {
      instances.push_back(frame_instance(picture, frame));
    }
  }
  add_focus_cells(picture, instances);
  picture.draw(instances);
  paint_block_chips(picture);
}

}  // namespace tilestep::ui
