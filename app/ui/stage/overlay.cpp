#include "ui/stage/overlay.h"

#include "insight/names.h"
#include "narration/templates.h"
#include "problem/text.h"
#include "ui/names.h"
#include "ui/stage/sheet_note.h"
#include "ui/stage/thread_tile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace tilestep::ui {
namespace {

Box grown(const Box& box, float by) {
  return {std::round(box.x) - by, std::round(box.y) - by,
          std::round(box.right()) - std::round(box.x) + 2.0F * by,
          std::round(box.bottom()) - std::round(box.y) + 2.0F * by};
}

// What a block loads stands in the hue of its numbers; blocks' colours are for what they own.
ImU32 tile_colour(const Theme& theme, const Sheet& sheet) {
  return sheet.role == insight::ValueRole::None ? theme.text_dim
                                                : role_colours(theme, sheet.role).line;
}

CellInstance frame_instance(const StagePicture& p, const CellFrame& frame) {
  const Theme& t = p.context.theme;
  const Box box = p.window_box(frame);
  const ImU32 block = block_colour(t, p.program.block_index(frame.block));
  const float thin = std::max(1.5F, 0.09F * p.font);
  const bool is_focus = frame.block == p.context.state.focus.block;
  switch (frame.kind) {
    case FrameKind::Block: {
      // The inner line of a neighbour's frame stays visible beside it.
      const float width = is_focus ? 2.2F * thin : thin;
      CellInstance instance =
          outline(grown(box, is_focus ? 0.5F * thin : -0.5F), block, width, 0.15F * p.font);
      instance.marks = is_focus ? mark::kNone : mark::kDashed;
      return instance;
    }
    case FrameKind::Tile:
      return outline(grown(box, 0.5F * thin), tile_colour(t, p.shape.sheets[size(frame.sheet)]),
                     1.8F * thin, 0.15F * p.font);
    case FrameKind::Visited: {
      CellInstance instance =
          outline(grown(box, thin), tile_colour(t, p.shape.sheets[size(frame.sheet)]), thin,
                  0.15F * p.font);
      instance.marks = mark::kDashed;
      return instance;
    }
    case FrameKind::LastTile: {
      CellInstance instance =
          outline(grown(box, 0.5F * thin), tile_colour(t, p.shape.sheets[size(frame.sheet)]),
                  1.2F * thin, 0.15F * p.font);
      instance.marks = mark::kDashed;
      return instance;
    }
    case FrameKind::FocusCell:
      return outline(grown(box, 0.5F * thin), t.focus, 1.5F * thin, 0.2F * p.font);
    case FrameKind::FocusSum:
      return outline(grown(box, 0.5F * thin), t.focus, thin, 0.2F * p.font);
    case FrameKind::Finding:
      return outline(grown(box, 2.0F * thin), t.bad, 2.2F * thin, 0.25F * p.font);
    case FrameKind::Guide:
      return outline(grown(box, 0.5F * thin), t.focus, 1.5F * thin, 0.2F * p.font);
    case FrameKind::Factors: {
      CellInstance instance = outline(box, t.text_dim, thin, 0.15F * p.font);
      instance.marks = mark::kDashed;
      return instance;
    }
    case FrameKind::BlockGuide: {
      const ImU32 hue = tile_colour(t, p.shape.sheets[size(frame.sheet)]);
      CellInstance instance = outline(box, hue, thin, 0.15F * p.font);
      instance.fill = with_alpha(hue, 0.16F);
      return instance;
    }
    case FrameKind::FocusReads:
      break;
  }
  return outline(grown(box, 0.12F * p.font), t.focus, 1.2F * thin, 0.25F * p.font);
}

// The cell where the focus thread's result stands, or is going to.
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

constexpr float kLeastChip = 8.0F;  // pixels

// "(1,0)" on the upper left corner of a block's frame.
void paint_block_chips(const StagePicture& p) {
  const Theme& t = p.context.theme;
  const problem::Dim3 grid = p.program.launch().grid;
  for (const CellFrame& frame : p.content.frames) {
    if (frame.kind != FrameKind::Block || grid.count() == 1 ||
        p.arrangement.labels == Labels::Few) {  // names stand there
      continue;
    }
    const Box box = p.window_box(frame);
    // Between the numbers of two rows.
    const ValueText value = sheet_text(p, frame.sheet);
    const float free = p.cell_size(frame.sheet).y - (value.chars > 0 ? value.size : 0.0F);
    const float text_size = std::min(0.7F * p.font, 0.9F * free);
    const std::string name =
        insight::coordinates(p.program.block_index(frame.block), p.program.launch());
    ImFont* font = p.context.fonts.bold;
    const ImVec2 text = font->CalcTextSizeA(text_size, 1e6F, 0.0F, name.c_str());
    const float pad = 0.25F * text_size;
    const float chip_height = text_size + 0.3F * pad;
    if (text_size < kLeastChip || p.cell_size(frame.sheet).y < 1.25F * p.font ||
        text.x + 2.0F * pad > 0.9F * box.w || !p.is_visible(box)) {
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

// Sheets that share their columns with the one above, their rows with the one to the left.
bool has_column_numbers(const StageShape& shape, int sheet) {
  return !(sheet == shape.c || (sheet == shape.threads && shape.top != kNoSheet));
}
bool has_row_numbers(const StageShape& shape, int sheet) {
  return !(sheet == shape.c || (sheet == shape.threads && shape.left != kNoSheet));
}

// Every number where there is room, else every second, fourth, eighth, ….
int number_step(float cell, float needed) {
  int step = 1;
  while (static_cast<float>(step) * cell < needed && step < 1024) {
    step *= 2;
  }
  return step;
}

// A row's or column's number; on a ground of its own where it lies over cells.
void paint_index(const StagePicture& p, ImVec2 at, ImVec2 extent, const std::string& number,
                 bool over_cells) {
  const ImVec2 from(std::round(at.x), std::round(at.y));
  if (over_cells) {
    p.list.AddRectFilled({from.x - 1.0F, from.y}, {from.x + extent.x + 1.0F, from.y + extent.y},
                         with_alpha(p.context.theme.panel, 0.85F), 2.0F);
  }
  p.list.AddText(p.context.fonts.mono, extent.y, from,
                 over_cells ? p.context.theme.text : p.context.theme.text_dim, number.c_str());
}

constexpr float kLeastSeen = 0.7F;  // of a cell that has its number at the edge

void paint_numbers(const StagePicture& p, int sheet) {
  const ImVec2 cell = p.cell_size(sheet);
  const float text = std::min(0.8F * p.font, std::max(0.62F * p.font, 0.5F * cell.y));
  const Box box = p.view.to_window(sheet_box(p.shape, p.arrangement, sheet));
  const CellRange& shown = p.arrangement.sheets[size(sheet)].shown;
  const float clear = 0.28F * p.font;  // the frames of tiles lie between
  if (has_column_numbers(p.shape, sheet)) {
    const float widest =
        0.525F * text * static_cast<float>(std::to_string(shown.col + shown.cols - 1).size());
    const int step = number_step(cell.x, widest + 0.4F * text);
    // Zoomed in, they stay at the edge.
    const float y = std::max(box.y - text - clear, p.clip.y);
    const float end = box.bottom() - kLeastSeen * cell.y;  // a sliver of a row needs none
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
      // A row that is drawn as several: where each begins.
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
  const bool is_turned = std::ranges::any_of(p.content.sources, [sheet](const Source& source) {
    return source.shared == sheet && source.is_turned;
  });
  const bool is_row = sheet == shape.a || sheet == shape.left;
  const bool is_column = sheet == shape.b || sheet == shape.top;
  const bool is_matrix = sheet == shape.a || sheet == shape.b;
  if (p.arrangement.labels != Labels::Few || sheet == kNoSheet || is_turned ||
      !(is_row || is_column) ||
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

constexpr float kFocusNumber = 0.75F;  // lines of text

// Its upper left corner.
ImVec2 focus_number_at(const StagePicture& p, int sheet, const FocusLine& at, float width) {
  const CellRange& shown = p.arrangement.sheets[size(sheet)].shown;
  const float text = kFocusNumber * p.font;
  const Box cell = p.view.to_window(cell_box(p.arrangement, sheet, at.is_row ? at.line : shown.row,
                                             at.is_row ? shown.col : at.line));
  return at.is_row ? ImVec2(cell.x - width - 0.2F * p.font, cell.y + 0.5F * (cell.h - text))
                   : ImVec2(cell.x + 0.5F * (cell.w - width), cell.y - 1.15F * text);
}

void paint_focus_number(const StagePicture& p, int sheet) {
  const auto at = focus_line(p, sheet);
  if (!at || p.context.state.camera.zoom > 0.0F) {
    return;
  }
  const std::string number = std::to_string(at->line);
  const float text = kFocusNumber * p.font;
  const float width = 0.525F * text * static_cast<float>(number.size());
  const ImVec2 from = focus_number_at(p, sheet, *at, width);
  p.list.AddText(p.context.fonts.mono, text, {std::round(from.x), std::round(from.y)},
                 p.context.theme.text, number.c_str());
}

// "[0]", "[1]": on the upper left corner of each of the buffers of an array.
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
    const std::string name = fmt::format("{}[{}]", s.name, part);
    const Box cell = p.view.to_window(cell_box(p.arrangement, sheet, row, shown.col));
    const float width = p.context.fonts.bold->CalcTextSizeA(text, 1e6F, 0.0F, name.c_str()).x;
    const ImVec2 from(std::round(cell.x), std::round(cell.y - 0.55F * text));
    p.list.AddRectFilled(from, {from.x + width + 0.5F * text, from.y + 1.1F * text},
                         p.context.theme.text_dim, 0.15F * p.font);
    p.list.AddText(p.context.fonts.bold, text, {from.x + 0.25F * text, from.y},
                   p.context.theme.panel, name.c_str());
  }
}

// Between the buffers of an array.
void paint_parts(const StagePicture& p, int sheet) {
  const Sheet& s = p.shape.sheets[size(sheet)];
  const Box box = p.view.to_window(sheet_box(p.shape, p.arrangement, sheet));
  const float width = std::max(2.0F, 0.16F * p.font);
  for (int part = 1; part < s.parts; ++part) {
    const int row = part * (s.rows / s.parts);
    const float y = std::round(p.view.to_window(cell_box(p.arrangement, sheet, row, 0)).y);
    if (y <= box.y || y >= box.bottom()) {
      continue;  // cropped
    }
    p.list.AddRectFilled({box.x - width, y - width}, {box.right() + width, y + width},
                         p.context.theme.panel);
    p.list.AddRectFilled({box.x - width, y - 0.5F * width}, {box.right() + width, y + 0.5F * width},
                         p.context.theme.text_dim);
  }
}

// Where a label that starts at `from` has to end: at the next sheet's row numbers, at the edge of
// the block's card, at the edge of the stage.
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
    const Box box = p.view.to_window(sheet_box(p.shape, p.arrangement, static_cast<int>(i)));
    // Its own name and numbers stand above it.
    const bool beside = from.y + p.font > box.y - 2.2F * p.font && from.y < box.bottom();
    if (static_cast<int>(i) != sheet && beside) {
      limit(box.x - (has_row_numbers(p.shape, static_cast<int>(i)) ? 0.8F * p.font : 0.0F));
    }
  }
  return end;
}

// The note shrinks a little, then loses its last parts, then is cut short.
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

void paint_label(const StagePicture& p, int sheet) {
  const Sheet& s = p.shape.sheets[size(sheet)];
  const Theme& t = p.context.theme;
  const Box box = p.view.to_window(sheet_box(p.shape, p.arrangement, sheet));
  const bool few = p.arrangement.labels == Labels::Few;
  const bool below = !few && (sheet == p.shape.c || sheet == p.shape.threads);
  const float above = few ? 1.12F : has_column_numbers(p.shape, sheet) ? 2.2F : 1.25F;
  const float y = below ? box.bottom() + 0.2F * p.font : box.y - above * p.font;
  const std::string name = s.kind != SheetKind::Threads ? s.name
                           : s.name.empty()             ? "threads"
                                                        : p.content.sum_name;
  const ImVec2 at(std::round(box.x), std::round(y));
  const ImU32 colour = s.role == insight::ValueRole::None ? t.text : role_colours(t, s.role).line;
  p.list.AddText(p.context.fonts.bold, 1.05F * p.font, at, colour, name.c_str());
  const float width =
      p.context.fonts.bold->CalcTextSizeA(1.05F * p.font, 1e6F, 0.0F, name.c_str()).x;
  const ImVec2 from(at.x + std::round(width + 0.4F * p.font), at.y);
  float end = label_end(p, sheet, at);
  if (const auto line = focus_line(p, sheet); line && !line->is_row) {
    const float number = focus_number_at(p, sheet, *line, 0.0F).x - p.font;
    end = number > from.x ? std::min(end, number) : end;
  }
  paint_note(p, sheet_note(p, sheet), from, end);
}

}  // namespace

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
  const std::string memory = fmt::format("{} B shared", p.program.shared_bytes());
  const float dot = 0.75F * p.font;
  const float wanted =
      dot + 0.4F * p.font + p.context.fonts.bold->CalcTextSizeA(p.font, 1e6F, 0.0F, name.c_str()).x;
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
  // The focus block's frames lie over the others'.
  for (const bool focus : {false, true}) {
    for (const CellFrame& frame : picture.content.frames) {
      if ((frame.block == picture.context.state.focus.block) == focus && !is_of_thread(frame)) {
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
  if (picture.context.cells != nullptr) {
    picture.context.cells->draw(picture.list, instances, picture.clip);
  }
  paint_block_chips(picture);
}

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

}  // namespace tilestep::ui
