#include "ui/stage/paint.h"

#include "ui/paint/painters.h"
#include "ui/sum_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tilestep::ui {
namespace {

constexpr float kValueHeight = 1.0F / kCellHeight;  // of a cell: the largest text
constexpr float kValueWidth = 0.94F;                // of a cell
constexpr float kPitchStrip = 0.35F;                // of a cell's width
constexpr float kFaint = 0.5F;            // digits of lanes that are off and of values in flight
constexpr float kSmallestBefore = 0.75F;  // of a line of text
constexpr float kOtherBlocks = 0.36F;     // share of a mark's color for other blocks' cells

// The visible rows and columns.
struct Range {
  int first_row, last_row, first_col, last_col;  // half-open
};
Range visible_range(const StagePicture& p, int sheet) {
  const CellRange& shown = p.arrangement.sheets[size(sheet)].shown;
  const Box box = p.window_box(sheet);
  const ImVec2 cell = p.cell_size(sheet);
  const auto index = [](float from, float to, float cell_px, int first, int count) {
    return first + std::clamp(static_cast<int>(std::floor((to - from) / cell_px)), 0, count);
  };
  return {index(box.y, p.clip.y, cell.y, shown.row, shown.rows),
          index(box.y, p.clip.w + cell.y, cell.y, shown.row, shown.rows),
          index(box.x, p.clip.x, cell.x, shown.col, shown.cols),
          index(box.x, p.clip.z + cell.x, cell.x, shown.col, shown.cols)};
}

// As std::round, for which the baseline instruction set has no instruction.
float rounded(float value) {
  return static_cast<float>(static_cast<int>(value < 0.0F ? value - 0.5F : value + 0.5F));
}

// Edges on whole pixels, with a gap of one pixel between large enough cells.
Box pixel_box(const Box& exact, float cell) {
  const float gap = cell >= 14.0F ? 1.0F : 0.0F;
  const float left = rounded(exact.x);
  const float top = rounded(exact.y);
  return {left + gap, top + gap, std::max(1.0F, rounded(exact.right()) - left - gap),
          std::max(1.0F, rounded(exact.bottom()) - top - gap)};
}

// The cell's own colors, or else its sheet's.
const RoleColours& cell_colours(const Theme& theme, const Sheet& sheet, const Cell& cell) {
  return role_colours(theme, cell.role == insight::ValueRole::None ? sheet.role : cell.role);
}

// A number of A or B has its hue while it is in the focus block's tile, a sum while the focus block
// has it.
Fill base_fill(const StagePicture& p, const Sheet& sheet, const Cell& cell) {
  const Theme& t = p.context.theme;
  const Fill tint = cell_colours(t, sheet, cell).tint;
  if (cell.state == CellState::Empty) {
    return t.cell_empty;
  }
  if (cell.state == CellState::Masked) {
    return {t.cell_empty.fill, t.text_dim};
  }
  if (cell.state == CellState::Pending) {
    return cell.block == p.context.state.focus.block ? tint : t.cell_empty;
  }
  return sheet.kind != SheetKind::Buffer || cell.in_tile ? tint : t.cell;
}

// Without room for numbers, shades show magnitudes: a tile is recognized by its pattern.
ImU32 shaded(const StagePicture& p, ImU32 fill, const Cell& cell, double largest) {
  const bool shows = cell.state == CellState::Value || cell.state == CellState::Pending;
  if (!shows || cell.is_read || cell.is_written || !(largest > 0.0) || !std::isfinite(cell.value)) {
    return fill;
  }
  const auto share = static_cast<float>(std::min(1.0, std::abs(cell.value) / largest));
  return mix(fill, p.context.theme.cell.text, 0.28F * share);
}

void add_cells(const StagePicture& p, int sheet, std::vector<CellInstance>& out) {
  const Sheet& s = p.shape.sheets[size(sheet)];
  const SheetContent& content = p.content.sheets[size(sheet)];
  const auto& cells = content.cells;
  const ImVec2 cell_size = p.cell_size(sheet);
  const float cell_px = std::min(cell_size.x, cell_size.y);
  const bool has_text = sheet_text(p, sheet).chars > 0;
  const bool small = cell_px < kSmallCell * p.font;
  const float radius = small ? 0.0F : std::min(0.12F * cell_px, 0.25F * p.font);
  const Range range = visible_range(p, sheet);
  for (int row = range.first_row; row < range.last_row; ++row) {
    for (int col = range.first_col; col < range.last_col; ++col) {
      const Cell& cell = cells[cell_index(s, {row, col})];
      if (cell.state == CellState::Unused) {
        continue;
      }
      CellStyle style = cell_style(p, s, cell);
      if (!has_text) {
        style.fill.fill = shaded(p, style.fill.fill, cell, content.largest);
      }
      const Box box = pixel_box(p.window_box(sheet, row, col), cell_px);
      if (small) {
        style.border_width = 0.0F;
        style.marks = mark::kNone;
      }
      out.push_back(instance(box, style, radius));
    }
  }
}

// The padding of a buffer's rows, whatever its width, as a strip at the right.
void add_pitch(const StagePicture& p, int sheet, std::vector<CellInstance>& out) {
  const Sheet& s = p.shape.sheets[size(sheet)];
  const CellRange& shown = p.arrangement.sheets[size(sheet)].shown;
  if (pitch_padding(s) <= 0 || shown.col + shown.cols < s.cols) {
    return;
  }
  const Box box = p.window_box(sheet);
  const Theme& t = p.context.theme;
  out.push_back(instance({std::round(box.right()) + 1.0F, std::round(box.y),
                          std::round(kPitchStrip * p.cell_size(sheet).x), std::round(box.h)},
                         {t.cell_empty, t.cell_border, 1.0F, mark::kHatched, t.hatch}));
}

bool can_be_small(const StagePicture& p, const ValueText& text) {
  return std::round(kBeforeSize * text.size) >= kSmallestBefore * p.font;
}

// "y = −0.5" below a compensated sum, or only the number.
bool add_compensation(const StagePicture& p, const Cell& cell, const ValueText& text,
                      const Box& box, ImU32 colour) {
  if (!cell.compensation || !can_be_small(p, text)) {
    return false;
  }
  const float small = std::round(kBeforeSize * text.size);
  const auto room = static_cast<int>(kValueWidth * box.w / (kDigitWidth * small));
  const std::string number = cell_text(*cell.compensation, std::min(room, kLongestNumber));
  const std::string named = fmt::format("{} = {}", p.content.compensation, number);
  const std::string& words = static_cast<int>(sum_columns(named)) <= room ? named : number;
  const float width = kDigitWidth * small * static_cast<float>(sum_columns(words));
  p.list.AddText(
      p.context.fonts.mono, small,
      {std::round(box.x + 0.5F * (box.w - width)), std::round(box.bottom() - 1.25F * small)},
      with_alpha(colour, 0.85F), words.c_str());
  return true;
}

// Arrays side by side have the same format.
ImVec2 smallest_cell(const StagePicture& p, int sheet) {
  ImVec2 smallest = p.cell_size(sheet);
  for (std::size_t i = 0; i < p.shape.sheets.size(); ++i) {
    if (p.shape.sheets[i].kind == p.shape.sheets[size(sheet)].kind) {
      const ImVec2 cell = p.cell_size(static_cast<int>(i));
      smallest = {std::min(smallest.x, cell.x), std::min(smallest.y, cell.y)};
    }
  }
  return smallest;
}

// A number in the chosen form if the cells have room for it, else as short as necessary.
struct StageNumber {
  std::string text;
  float size = 0.0F;  // pixels
};
StageNumber stage_number(const StagePicture& p, int sheet, double value, const ValueText& text,
                         ImVec2 smallest) {
  const state::NumberForm form = p.context.state.number_form;
  if (form != state::NumberForm::Decimal) {
    std::string formed = formed_number(value, p.shape.sheets[size(sheet)].element, form);
    const auto columns = static_cast<int>(sum_columns(formed));
    const ValueText room = value_text(smallest, columns, smallest_value_text(p.font));
    if (room.chars == columns) {
      return {std::move(formed), std::min(room.size, text.size)};
    }
  }
  return {cell_text(value, text.chars), text.size};
}

void add_values(const StagePicture& p, int sheet) {
  const Sheet& s = p.shape.sheets[size(sheet)];
  const SheetContent& content = p.content.sheets[size(sheet)];
  const ValueText text = sheet_text(p, sheet);
  if (text.chars == 0) {
    return;
  }
  ImFont* font = p.context.fonts.mono;
  const ImVec2 smallest = smallest_cell(p, sheet);
  const Range range = visible_range(p, sheet);
  for (int row = range.first_row; row < range.last_row; ++row) {
    for (int col = range.first_col; col < range.last_col; ++col) {
      const Cell& cell = content.cells[cell_index(s, {row, col})];
      const bool is_masked = cell.state == CellState::Masked;
      if (cell.state != CellState::Value && cell.state != CellState::Pending && !is_masked) {
        continue;
      }
      const auto [number, height] = is_masked ? StageNumber{course::kMasked, text.size}
                                              : stage_number(p, sheet, cell.value, text, smallest);
      const Box box = p.window_box(sheet, row, col);
      const float width = kDigitWidth * height * static_cast<float>(sum_columns(number));
      const ImU32 colour = cell_style(p, s, cell).fill.text;
      const float drop = shows_before(p, cell, text)                    ? 0.8F
                         : add_compensation(p, cell, text, box, colour) ? 0.2F
                                                                        : 0.5F;
      const ImVec2 at(rounded(box.x + 0.5F * (box.w - width)),
                      rounded(box.y + drop * (box.h - height)));
      p.list.AddText(font, height, at, colour, number.data(), number.data() + number.size());
    }
  }
}

// A jagged edge where cells are left out.
void paint_torn_edges(const StagePicture& p, int sheet) {
  const Sheet& s = p.shape.sheets[size(sheet)];
  const CellRange& shown = p.arrangement.sheets[size(sheet)].shown;
  const Box box = p.window_box(sheet);
  const ImU32 ground = s.kind == SheetKind::Buffer
                           ? p.context.theme.panel
                           : mix(p.context.theme.panel, p.context.theme.raised, 0.6F);
  const float tooth = std::min(0.5F * p.font, 0.4F * p.cell_size(sheet).y);
  const auto tear = [&](ImVec2 from, ImVec2 along, float length, ImVec2 into) {
    const int count = std::max(1, static_cast<int>(length / tooth));
    const float step = length / static_cast<float>(count);
    for (int i = 0; i < count; ++i) {
      const float at = step * static_cast<float>(i);
      const ImVec2 a(from.x + along.x * at, from.y + along.y * at);
      const ImVec2 b(a.x + along.x * step, a.y + along.y * step);
      const ImVec2 c(0.5F * (a.x + b.x) + 0.6F * tooth * into.x,
                     0.5F * (a.y + b.y) + 0.6F * tooth * into.y);
      p.list.AddTriangleFilled(a, b, c, ground);
    }
  };
  if (shown.row > 0) {
    tear({box.x, box.y}, {1.0F, 0.0F}, box.w, {0.0F, 1.0F});
  }
  if (shown.row + shown.rows < s.rows) {
    tear({box.x, box.bottom()}, {1.0F, 0.0F}, box.w, {0.0F, -1.0F});
  }
  if (shown.col > 0) {
    tear({box.x, box.y}, {0.0F, 1.0F}, box.h, {1.0F, 0.0F});
  }
  if (shown.col + shown.cols < s.cols) {
    tear({box.right(), box.y}, {0.0F, 1.0F}, box.h, {-1.0F, 0.0F});
  }
}

// The part of a box beside a sheet that does not overlap another sheet.
Box free_part(const StagePicture& p, int sheet, Box box) {
  for (std::size_t i = 0; i < p.shape.sheets.size(); ++i) {
    const Box other = p.window_box(static_cast<int>(i));
    const bool overlaps = static_cast<int>(i) != sheet && box.x < other.right() &&
                          other.x < box.right() && box.y < other.bottom() && other.y < box.bottom();
    if (overlaps && box.y < other.y) {
      box.h = std::max(0.0F, other.y - box.y);
    } else if (overlaps) {
      box.w = std::max(0.0F, other.x - box.x);
    }
  }
  return box;
}

void add_strays(const StagePicture& p, std::vector<CellInstance>& out) {
  for (const Stray& stray : p.content.strays) {
    // Far outside: drawn two cells from the edge; the name shows the real index.
    const Sheet& s = p.shape.sheets[size(stray.place.sheet)];
    const int row = std::clamp(stray.place.row, -2, s.rows + 1);
    const int col = std::clamp(stray.place.col, -1, s.cols);
    const Box box = free_part(
        p, stray.place.sheet,
        pixel_box(p.window_box(stray.place.sheet, row, col), p.cell_size(stray.place.sheet).y));
    if (box.w < 2.0F || box.h < 2.0F) {
      continue;
    }
    const Theme& t = p.context.theme;
    const std::uint32_t cut = stray.is_store ? mark::kCut : mark::kNone;
    out.push_back(instance(box,
                           {t.fault, t.bad, std::max(1.5F, 0.1F * p.font),
                            mark::kHatched | mark::kDashed | cut, t.fault.text},
                           std::min(0.12F * box.w, 0.25F * p.font)));
  }
}

}  // namespace

Box StagePicture::window_box(const CellFrame& frame) const {
  const CellRange& shown = arrangement.sheets[size(frame.sheet)].shown;
  const int top = std::max(frame.row, shown.row);
  const int left = std::max(frame.col, shown.col);
  const int rows = std::min(frame.row + frame.rows, shown.row + shown.rows) - top;
  const int cols = std::min(frame.col + frame.cols, shown.col + shown.cols) - left;
  if (rows <= 0 || cols <= 0) {  // far outside
    return {-1e6F, -1e6F, 1.0F, 1.0F};
  }
  const Box first = cell_box(arrangement, frame.sheet, top, left);
  return view.to_window(
      {first.x, first.y, first.w * static_cast<float>(cols), first.h * static_cast<float>(rows)});
}

ImVec2 StagePicture::cell_size(int sheet) const {
  const ImVec2 cell = arrangement.sheets[size(sheet)].cell;
  return {cell.x * view.scale, cell.y * view.scale};
}

bool StagePicture::is_visible(const Box& box) const {
  return box.x < clip.z && box.y < clip.w && box.right() > clip.x && box.bottom() > clip.y;
}

void StagePicture::draw(std::span<const CellInstance> cells) const {
  if (context.cells != nullptr && !cells.empty()) {
    context.cells->draw(list, cells, clip);
  }
}

void StagePicture::write(ImFont* of, float size, ImVec2 at, ImU32 colour,
                         const std::string& text) const {
  list.AddText(of, size, {std::round(at.x), std::round(at.y)}, colour, text.c_str());
}

void draw_cells(const Context& context, std::span<const CellInstance> cells) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 from = list.GetClipRectMin();
  const ImVec2 to = list.GetClipRectMax();
  if (context.cells != nullptr) {
    context.cells->draw(list, cells, {from.x, from.y, to.x, to.y});
  }
}

CellInstance instance(const Box& box, const CellStyle& style, float radius) {
  return {.x = box.x,
          .y = box.y,
          .w = box.w,
          .h = box.h,
          .fill = style.fill.fill,
          .border = style.border,
          .border_width = style.border_width,
          .radius = radius,
          .marks = style.marks,
          .mark_colour = style.mark_colour};
}

void paint_backed_text(const StagePicture& p, ImFont* font, float size, ImVec2 at, ImU32 colour,
                       const std::string& text) {
  const Theme& t = p.context.theme;
  if (!p.content.ribbons.empty()) {
    const ImVec2 room = font->CalcTextSizeA(size, 1e6F, 0.0F, text.c_str());
    p.list.AddRectFilled({at.x - 0.15F * size, at.y}, {at.x + room.x + 0.15F * size, at.y + room.y},
                         with_alpha(mix(t.panel, t.raised, 0.6F), 0.85F), 0.2F * size);
  }
  p.list.AddText(font, size, at, colour, text.c_str());
}

CellStyle cell_style(const StagePicture& p, const Sheet& sheet, const Cell& cell) {
  const Theme& t = p.context.theme;
  const RoleColours& role = cell_colours(t, sheet, cell);
  const float ring = std::max(2.0F, 0.14F * p.font);
  CellStyle style;
  style.fill = base_fill(p, sheet, cell);
  style.border = t.cell_border;
  style.border_width = cell.state == CellState::Value ? 0.0F : 1.0F;
  style.mark_colour = t.hatch;
  if (cell.is_wrong) {
    style.fill = t.fault;
    style.marks |= mark::kHatched;
    style.mark_colour = mix(t.fault.fill, t.bad, 0.6F);
    style.border = t.bad;
    style.border_width = 1.5F;
  }
  if (cell.is_stale) {
    style.fill = {t.cell_empty.fill, mix(t.cell_empty.fill, role.tint.text, kFaint)};
    style.border = role.tint.fill;
    style.border_width = std::max(1.5F, 0.09F * p.font);
  }
  if (cell.state == CellState::Masked) {
    style.marks |= mark::kDashed;
    style.border = t.text_dim;
    style.border_width = std::max(1.0F, 0.07F * p.font);
  }
  if (cell.is_masked || cell.is_padding) {
    style.marks |= mark::kHatched;
  }
  if (cell.is_masked && sheet.kind == SheetKind::Threads) {  // a lane that is off
    style.marks |= mark::kDashed;
    style.border = t.text_dim;
    style.border_width = 1.5F;
    style.fill.text = mix(style.fill.fill, style.fill.text, kFaint);
  }
  if (cell.is_arriving) {
    style.fill = {t.cell_empty.fill, mix(t.cell_empty.fill, role.tint.text, kFaint)};
    style.marks |= mark::kDashed;
    style.border = role.line;
    style.border_width = ring;
  }
  if (cell.is_written && cell.is_wrong) {  // the error is more important
    style.border = role.solid.fill;
    style.border_width = ring;
  } else if (cell.is_written) {
    style.fill = cell.by_focus_block
                     ? role.solid
                     : Fill{mix(t.cell.fill, role.solid.fill, kOtherBlocks), t.cell.text};
    style.marks |= mark::kCut;
    style.mark_colour = t.panel;
    style.border_width = 0.0F;
  } else if (cell.is_read) {
    style.fill = cell.by_focus_block ? role.tint : style.fill;
    style.border = cell.by_focus_block ? role.line : mix(t.cell.fill, role.line, kOtherBlocks);
    style.border_width = ring;
    if (cell.is_now) {
      style.fill.fill = mix(role.tint.fill, role.line, 0.4F);
      style.border_width = 1.6F * ring;
    }
  }
  if ((cell.is_written || cell.is_read) && cell.by_focus_thread &&
      sheet.kind == SheetKind::Buffer) {
    style.border = t.focus;
    style.border_width = ring;
  }
  return style;
}

float smallest_value_text(float font) {
  return std::clamp(0.55F * font, 10.0F, kLeastNumber);
}

std::string cell_text(double value, int chars) {
  return number_room(value).least > chars ? "#" : with_minus(short_number(value, chars));
}

ValueText value_text(ImVec2 cell, int longest, float smallest) {
  for (int chars = longest; chars >= 1; --chars) {
    const float by_width = kValueWidth * cell.x / (kDigitWidth * static_cast<float>(chars));
    const float text = std::min(kValueHeight * cell.y, by_width);
    if (text >= smallest) {
      // Few sizes, so that zooming does not rasterize a font at every step.
      const float step = text < 24.0F ? 1.0F : text < 48.0F ? 2.0F : 4.0F;
      return {std::floor(text / step) * step, chars};
    }
  }
  return {};
}

ValueText sheet_text(const StagePicture& p, int sheet) {
  if (is_map(p, sheet)) {
    return {};
  }
  const SheetContent& content = p.content.sheets[size(sheet)];
  const ValueText text =
      value_text(p.cell_size(sheet), content.longest, smallest_value_text(p.font));
  const auto longer = content.needing.begin() + text.chars + 1;
  const auto unfit = std::accumulate(longer, content.needing.end(), std::size_t{0});
  const auto all = std::accumulate(content.needing.begin(), content.needing.end(), std::size_t{0});
  return 2 * unfit > all ? ValueText{} : text;
}

bool shows_before(const StagePicture& p, const Cell& cell, const ValueText& text) {
  const bool shows = cell.state == CellState::Value || cell.state == CellState::Pending;
  return cell.has_grown && shows && can_be_small(p, text);
}

CellInstance outline(const Box& box, ImU32 colour, float width, float radius) {
  return instance(box, {{with_alpha(colour, 0.0F)}, colour, width}, radius);
}

void paint_cells(const StagePicture& picture, std::vector<CellInstance>& instances) {
  instances.clear();
  for (std::size_t i = 0; i < picture.shape.sheets.size(); ++i) {
    const auto add = is_map(picture, static_cast<int>(i)) ? add_map : add_cells;
    add(picture, static_cast<int>(i), instances);
    add_pitch(picture, static_cast<int>(i), instances);
  }
  add_strays(picture, instances);
  picture.draw(instances);
  for (std::size_t i = 0; i < picture.shape.sheets.size(); ++i) {
    add_values(picture, static_cast<int>(i));
    paint_torn_edges(picture, static_cast<int>(i));
  }
}

}  // namespace tilestep::ui
