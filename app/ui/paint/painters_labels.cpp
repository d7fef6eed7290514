#include "narration/templates.h"
#include "problem/tr.h"
#include "problem/words.h"
#include "ui/paint/painters.h"
#include "ui/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace tilestep::ui {
namespace {

// Sheets share columns with the sheet above and rows with the one to the left.
bool has_column_numbers(const StageShape& shape, int sheet) {
  return !(sheet == shape.c || (sheet == shape.threads && shape.top != kNoSheet));
}
bool has_row_numbers(const StageShape& shape, int sheet) {
  return !(sheet == shape.c || (sheet == shape.threads && shape.left != kNoSheet));
}

// Every number if there is room, else every second, fourth, eighth, ….
int number_step(float cell, float needed) {
  int step = 1;
  while (static_cast<float>(step) * cell < needed && step < 1024) {
    step *= 2;
  }
  return step;
}

// A row's or column's number; with a background if it is over cells or ribbons.
void paint_index(const StagePicture& p, ImVec2 at, ImVec2 extent, const std::string& number,
                 bool over_cells) {
  const ImVec2 from(std::round(at.x), std::round(at.y));
  if (over_cells || !p.content.ribbons.empty()) {
    p.list.AddRectFilled({from.x - 1.0F, from.y}, {from.x + extent.x + 1.0F, from.y + extent.y},
                         with_alpha(p.context.theme.panel, 0.85F), 2.0F);
  }
  p.list.AddText(p.context.fonts.mono, extent.y, from,
                 over_cells ? p.context.theme.text : p.context.theme.text_dim, number.c_str());
}

constexpr float kLeastSeen = 0.7F;  // least visible share of a cell that has its number at the edge

void paint_numbers(const StagePicture& p, int sheet) {
  const ImVec2 cell = p.cell_size(sheet);
  const float text = std::min(0.8F * p.font, std::max(0.62F * p.font, 0.5F * cell.y));
  const Box box = p.window_box(sheet);
  const CellRange& shown = p.arrangement.sheets[size(sheet)].shown;
  const float clear = 0.28F * p.font;  // the frames of tiles are in between
  if (has_column_numbers(p.shape, sheet)) {
    const float widest =
        0.525F * text * static_cast<float>(std::to_string(shown.col + shown.cols - 1).size());
    const int step = number_step(cell.x, widest + 0.4F * text);
    // When zoomed in, they stay at the edge.
    const float y = std::max(box.y - text - clear, p.clip.y);
    const float end = box.bottom() - kLeastSeen * cell.y;  // a partly visible row needs none
    for (int i = 0; i < shown.cols && y < end; i += step) {
      const std::string number = std::to_string(shown.col + i);
      const float width = 0.525F * text * static_cast<float>(number.size());
      const float x = box.x + (static_cast<float>(i) + 0.5F) * cell.x - 0.5F * width;
      paint_index(p, {x, y}, {width, text}, number, y > box.y - text);
    }
  }
  if (has_row_numbers(p.shape, sheet)) {
    const int step = number_step(cell.y, 1.05F * text);
    const int part_rows =
        std::max(p.shape.sheets[size(sheet)].rows / p.shape.sheets[size(sheet)].parts, 1);
    for (int i = 0; i < shown.rows; i += step) {
      // A row that is drawn as several: the beginning of each.
      const Sheet& s = p.shape.sheets[size(sheet)];
      const int row = (shown.row + i) % part_rows;
      const std::string number = std::to_string(s.wrapped ? row * s.cols : row);
      const float width = 0.525F * text * static_cast<float>(number.size());
      const float y = box.y + (static_cast<float>(i) + 0.5F) * cell.y - 0.5F * text;
      const float x = std::max(box.x - width - clear, p.clip.x);
      if (x < box.right() - kLeastSeen * cell.x) {
        paint_index(p, {x, y}, {width, text}, number, x > box.x - width);
      }
    }
  }
}

// With few labels only the followed sum's row and column have their numbers: the row left of A and
// of the block's left array, the column above B and the block's upper array.
struct FocusLine {
  int line = 0;
  bool is_row = false;
};
std::optional<FocusLine> focus_line(const StagePicture& p, int sheet) {
  const StageShape& shape = p.shape;
  const bool is_row = sheet == shape.a || sheet == shape.left;
  const bool is_column = sheet == shape.b || sheet == shape.top;
  const bool is_matrix = sheet == shape.a || sheet == shape.b;
  if (p.arrangement.labels != Labels::Few || sheet == kNoSheet ||
      is_turned(p.content.sources, sheet) || !(is_row || is_column) ||
      !(is_matrix ? p.content.focus_result.has_value() : p.content.focus_cell.has_value())) {
    return std::nullopt;
  }
  const CellPlace place = is_matrix
                              ? CellPlace{p.content.focus_result->row, p.content.focus_result->col}
                              : *p.content.focus_cell;
  const CellRange& shown = p.arrangement.sheets[size(sheet)].shown;
  const int line = is_row ? place.row : place.col;
  const bool is_shown = is_row ? line >= shown.row && line < shown.row + shown.rows
                               : line >= shown.col && line < shown.col + shown.cols;
  return is_shown ? std::optional(FocusLine{line, is_row}) : std::nullopt;
}

// Sizes in lines of text.
constexpr float kFocusNumber = 0.75F;
constexpr float kName = 1.05F;
constexpr float kLeastNote = 3.6F;  // including the gap before it

// Its upper left corner.
ImVec2 focus_number_at(const StagePicture& p, int sheet, const FocusLine& at) {
  const CellRange& shown = p.arrangement.sheets[size(sheet)].shown;
  const float text = kFocusNumber * p.font;
  const float width = 0.525F * text * static_cast<float>(std::to_string(at.line).size());
  const Box cell =
      p.window_box(sheet, at.is_row ? at.line : shown.row, at.is_row ? shown.col : at.line);
  return at.is_row ? ImVec2(cell.x - width - 0.2F * p.font, cell.y + 0.5F * (cell.h - text))
                   : ImVec2(cell.x + 0.5F * (cell.w - width), cell.y - 1.15F * text);
}

// The end of its name and the least room for the note beside it; both are above the sheet.
float name_end(const StagePicture& p, int sheet) {
  const Sheet& s = p.shape.sheets[size(sheet)];
  return p.window_box(sheet).x + kLeastNote * p.font +
         text_width(p.context.fonts.bold, kName * p.font, s.name);
}

void paint_focus_number(const StagePicture& p, int sheet) {
  const auto at = focus_line(p, sheet);
  if (!at || p.context.state.camera.zoom > 0.0F) {
    return;
  }
  const std::string number = std::to_string(at->line);
  const float text = kFocusNumber * p.font;
  const ImVec2 from = focus_number_at(p, sheet, *at);
  if (!at->is_row && from.x < name_end(p, sheet)) {
    return;  // of the first column: the name needs the room
  }
  p.write(p.context.fonts.mono, text, {from.x, from.y}, p.context.theme.text, number);
}

// "[0]", "[1]": on the upper left corner of each buffer of an array.
void paint_part_chips(const StagePicture& p, int sheet) {
  const Sheet& s = p.shape.sheets[size(sheet)];
  const CellRange& shown = p.arrangement.sheets[size(sheet)].shown;
  const float text = std::min(0.7F * p.font, 0.5F * p.cell_size(sheet).y);
  if (s.parts < 2 || text < kLeastChip || p.arrangement.labels == Labels::Few) {
    return;
  }
  for (int part = 0; part < s.parts; ++part) {
    const int row = part * (s.rows / s.parts);
    if (row < shown.row || row >= shown.row + shown.rows) {
      continue;
    }
    const std::string name = s.name + part_index(s, part);
    const Box cell = p.window_box(sheet, row, shown.col);
    const float width = text_width(p.context.fonts.bold, text, name);
    const ImVec2 from(std::round(cell.x), std::round(cell.y - 0.55F * text));
    p.list.AddRectFilled(from, {from.x + width + 0.5F * text, from.y + 1.1F * text},
                         p.context.theme.text_dim, 0.15F * p.font);
    p.list.AddText(p.context.fonts.bold, text, {from.x + 0.25F * text, from.y},
                   p.context.theme.panel, name.c_str());
  }
}

// Lines between the buffers of an array.
void paint_parts(const StagePicture& p, int sheet) {
  const Sheet& s = p.shape.sheets[size(sheet)];
  const Box box = p.window_box(sheet);
  const float width = std::max(2.0F, 0.16F * p.font);
  for (int part = 1; part < s.parts; ++part) {
    const int row = part * (s.rows / s.parts);
    const float y = std::round(p.window_box(sheet, row, 0).y);
    if (y <= box.y || y >= box.bottom()) {
      continue;  // cropped
    }
    p.list.AddRectFilled({box.x - width, y - width}, {box.right() + width, y + width},
                         p.context.theme.panel);
    p.list.AddRectFilled({box.x - width, y - 0.5F * width}, {box.right() + width, y + 0.5F * width},
                         p.context.theme.text_dim);
  }
}

// The limit of a label that starts at `from`: the next sheet's row numbers, the edge of the block's
// card, or the edge of the stage.
float label_end(const StagePicture& p, int sheet, ImVec2 from) {
  float end = p.clip.z;
  const auto limit = [&](float x) {
    if (x > from.x) {
      end = std::min(end, x - 0.3F * p.font);
    }
  };
  if (p.arrangement.block_group) {
    const Box card = p.view.to_window(*p.arrangement.block_group);
    const bool inside = p.shape.sheets[size(sheet)].kind != SheetKind::Buffer;
    limit(inside ? card.right() : card.x);
  }
  for (std::size_t i = 0; i < p.shape.sheets.size(); ++i) {
    const Box box = p.window_box(static_cast<int>(i));
    // The sheet's own name and numbers are above it.
    const bool beside = from.y + p.font > box.y - 2.2F * p.font && from.y < box.bottom();
    if (static_cast<int>(i) != sheet && beside) {
      limit(box.x - (has_row_numbers(p.shape, static_cast<int>(i)) ? 0.8F * p.font : 0.0F));
    }
  }
  return end;
}

// The note shrinks a little, then loses its last parts, then is cut.
void paint_note(const StagePicture& p, std::vector<std::string> parts, ImVec2 from, float end) {
  std::string note = fmt::format("{}", fmt::join(parts, " · "));
  float text = p.font;
  const auto fits = [&] {
    const ImVec2 room = p.context.fonts.text->CalcTextSizeA(text, 1e6F, 0.0F, note.c_str());
    return from.x + room.x <= end;
  };
  while (text > 0.8F * p.font && !fits()) {
    text -= 0.05F * p.font;
  }
  while (parts.size() > 1 && !fits()) {
    parts.pop_back();
    note = fmt::format("{}", fmt::join(parts, " · "));
  }
  if (!fits() && end - from.x <= 3.0F * p.font) {
    return;
  }
  ImGui::PushFont(p.context.fonts.text, text / ImGui::GetStyle().FontScaleMain);
  ImGui::PushStyleColor(ImGuiCol_Text, p.context.theme.text_dim);
  const float drop = std::round(0.9F * (p.font - text));
  ImGui::RenderTextEllipsis(&p.list, {from.x, from.y + drop}, {end, from.y + 1.4F * p.font}, end,
                            note.c_str(), nullptr, nullptr);
  ImGui::PopStyleColor();
  ImGui::PopFont();
}

// Returns its width.
float paint_name(const StagePicture& p, ImVec2 at, ImU32 colour, const std::string& name) {
  p.list.AddText(p.context.fonts.bold, kName * p.font, at, colour, name.c_str());
  return text_width(p.context.fonts.bold, kName * p.font, name);
}

// " = A·B" after C, if there is room; returns its width.
float paint_product(const StagePicture& p, ImVec2 at, float end) {
  const Theme& t = p.context.theme;
  const Sheet& a = p.shape.sheets[size(p.shape.a)];
  const Sheet& b = p.shape.sheets[size(p.shape.b)];
  const std::string whole = fmt::format(" = {}·{}", a.name, b.name);
  const float room = text_width(p.context.fonts.bold, kName * p.font, whole);
  if (at.x + room + kLeastNote * p.font > end) {
    return 0.0F;
  }
  float width = paint_name(p, at, t.text, " = ");
  const auto add = [&](ImU32 colour, const std::string& name) {
    width += paint_name(p, {at.x + width, at.y}, colour, name);
  };
  add(role_colours(t, a.role).line, a.name);
  add(t.text, "·");
  add(role_colours(t, b.role).line, b.name);
  return width;
}

void paint_label(const StagePicture& p, int sheet) {
  const Sheet& s = p.shape.sheets[size(sheet)];
  const Theme& t = p.context.theme;
  const Box box = p.window_box(sheet);
  const bool few = p.arrangement.labels == Labels::Few;
  const bool below = !few && (sheet == p.shape.c || sheet == p.shape.threads);
  const float above = few ? 1.12F : has_column_numbers(p.shape, sheet) ? 2.2F : 1.25F;
  const float y = below ? box.bottom() + 0.2F * p.font : box.y - above * p.font;
  const std::string name = s.kind != SheetKind::Threads ? s.name
                           : s.name.empty()             ? tr("threads")
                                                        : p.content.sum_name;
  const ImVec2 at(std::round(box.x), std::round(y));
  const ImU32 colour = s.role == insight::ValueRole::None ? t.text : role_colours(t, s.role).line;
  float width = paint_name(p, at, colour, name);
  if (sheet == p.shape.c && p.shape.has_matrix_l()) {
    width += paint_product(p, {at.x + width, at.y}, label_end(p, sheet, at));
  }
  const ImVec2 from(at.x + std::round(width + 0.4F * p.font), at.y);
  float end = label_end(p, sheet, at);
  if (const auto line = focus_line(p, sheet); line && !line->is_row) {
    const float number = focus_number_at(p, sheet, *line).x;
    end = number >= name_end(p, sheet) ? std::min(end, number - 0.3F * p.font) : end;
  }
  paint_note(p, sheet_note(p, sheet), from, end);
}

constexpr float kText = 0.9F;  // lines
constexpr float kRow = 1.35F;
constexpr float kSwatch = 0.85F;
constexpr float kBetween = 0.9F;  // from one item to the next

bool has_frame(const StagePicture& p, FrameKind kind) {
  return std::any_of(p.content.frames.begin(), p.content.frames.end(),
                     [kind](const CellFrame& frame) { return frame.kind == kind; });
}

struct CellSign {
  bool CellKinds::*kind;
  bool Cell::*sign;
  Message text;
};
constexpr std::array kCellSigns{
    CellSign{&CellKinds::read, &Cell::is_read, Message("read")},
    CellSign{&CellKinds::written, &Cell::is_written, Message("stored")},
    CellSign{&CellKinds::masked, &Cell::is_masked, Message("masked")},
    CellSign{&CellKinds::stale, &Cell::is_stale, Message("no longer needed")},
    CellSign{&CellKinds::arriving, &Cell::is_arriving, Message("in flight")},
    CellSign{&CellKinds::padding, &Cell::is_padding, Message("padding")},
    CellSign{&CellKinds::wrong, &Cell::is_wrong, Message("wrong")},
};

struct FrameSign {
  FrameKind kind;
  std::uint32_t marks;
  Message text;
};
constexpr std::array kFrameSigns{
    FrameSign{FrameKind::Tile, mark::kNone, Message("tile")},
    FrameSign{FrameKind::Visited, mark::kDashed, Message("loaded so far")},
    FrameSign{FrameKind::LastTile, mark::kDashed, Message("previous tile")},
    FrameSign{FrameKind::Factors, mark::kDashed, Message("thread's row and column")},
    FrameSign{FrameKind::BlockGuide, mark::kNone, Message("block index")},
};

LegendItem frame_item(const StagePicture& p, ImU32 colour, std::uint32_t marks, const char* text) {
  return {{p.context.theme.cell_empty, colour, std::max(2.0F, 0.13F * p.font), marks}, text};
}

std::vector<LegendItem> legend_items(const StagePicture& p) {
  std::vector<LegendItem> items;
  const bool has_pitch = std::ranges::any_of(p.shape.sheets, pitch_padding);
  for (const auto& [kind, sign, text] : kCellSigns) {
    if (!(p.content.kinds.*kind) && !(has_pitch && sign == &Cell::is_padding)) {
      continue;
    }
    Cell cell{.state = CellState::Value, .by_focus_block = true};
    cell.*sign = true;
    items.push_back({cell_style(p, Sheet(), cell), text.text()});
    if (cell.is_stale) {  // on the stage it has the tint of its former value
      CellStyle& style = items.back().style;
      style.border = p.context.theme.text_dim;
      style.border_width = std::max(1.0F, style.border_width);
    }
  }
  items.push_back(frame_item(p, p.context.theme.focus, mark::kNone, tr("this thread")));
  for (const auto& [kind, marks, text] : kFrameSigns) {
    if (has_frame(p, kind)) {  // on the stage it has its matrix's hue
      items.push_back(frame_item(p, p.context.theme.text_dim, marks, text));
    }
  }
  return items;
}

}  // namespace

void paint_labels(const StagePicture& picture) {
  for (std::size_t i = 0; i < picture.shape.sheets.size(); ++i) {
    if (picture.arrangement.labels == Labels::All) {
      paint_numbers(picture, static_cast<int>(i));
    } else {
      paint_focus_number(picture, static_cast<int>(i));
    }
    paint_label(picture, static_cast<int>(i));
    paint_parts(picture, static_cast<int>(i));
    paint_part_chips(picture, static_cast<int>(i));
  }
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
        swatch + 0.4F * p.font + text_width(p.context.fonts.text, text, items[i].text);
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
    instances.push_back(instance({at.x, at.y, swatch, swatch}, item.style, 0.12F * swatch));
    p.list.AddText(p.context.fonts.text, text,
                   {at.x + swatch + 0.4F * p.font, at.y + 0.5F * (swatch - text)},
                   p.context.theme.text_dim, item.text.c_str());
  }
  p.draw(instances);
  return from.y + size.y - top;
}

}  // namespace tilestep::ui
