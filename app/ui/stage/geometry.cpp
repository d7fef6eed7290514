#include "ui/stage/geometry.h"

#include <algorithm>
#include <cmath>

namespace tilestep::ui {
namespace {

// A length that scales with the numbers of its group and has a fixed part for labels and gaps.
struct Length {
  float numbers = 0.0F;  // heights of a number
  float lines = 0.0F;    // heights of a line of text

  [[nodiscard]] float px(float number, float font) const { return numbers * number + lines * font; }
  friend Length operator+(Length a, Length b) { return {a.numbers + b.numbers, a.lines + b.lines}; }
};

struct Item {
  int sheet = kNoSheet;
  Length x, y;
  float cell_width = 1.0F;  // heights of a number
};

struct Group {
  std::vector<Item> items;
  Length width, height;
  float largest = 0.0F;  // number, in lines of text; larger ones would look clumsy
  [[nodiscard]] bool empty() const { return items.empty(); }
};

// Room for labels, in lines of text.
struct LabelRoom {
  Length name{0.0F, 1.35F};      // above or below a sheet
  Length below{0.0F, 1.35F};     // a name below; none if names are beside
  Length index_row{0.0F, 1.1F};  // column numbers above a sheet
  Length gap{0.0F, 0.6F};  // between the sheets of an L; contains the names if there are few labels
  float index_column = 0.85F;  // row numbers left of a sheet of up to ten rows
  float wide_index_column = 1.2F;
};
constexpr LabelRoom kFew{{0.0F, 1.12F}, {0.0F, 0.0F}, {0.0F, 0.0F}, {0.0F, 1.12F}, 0.6F, 0.9F};

constexpr float kBetweenGroups = 0.9F;  // lines
constexpr float kCardPad = 0.55F;       // lines, around the block's group
constexpr float kMargin = 0.35F;        // lines, all around
constexpr float kLargestNumber = 3.0F;  // lines
constexpr float kWidestCell = 2.6F;     // heights of a number
constexpr float kCornerWidth = 6.0F;    // lines: the least width for text
constexpr float kCornerHeight = 3.0F;
constexpr float kNameCharacter = 0.6F;  // lines: the mean width of a bold character
constexpr float kBeside = 0.55F;        // left and right of a number together
constexpr float kOffStage = -1e5F;      // world units: outside every window
constexpr float kMapNumber = 0.36F;     // lines: a number's height if a map had numbers
constexpr float kLargestOfMap = 0.75F;  // lines: the same, in a map of few cells
// Lines: numbers up to this height have priority over a larger map.
constexpr float kComfortable = 1.4F;
constexpr float kWeightOfFirst = 2.5F;
constexpr float kPenalty = 6.0F;  // of numbers smaller than kLeastNumber

const Sheet& at(const StageShape& shape, int sheet) {
  return shape.sheets[static_cast<std::size_t>(sheet)];
}
// Row numbers left of a sheet.
Length index_column(const Sheet& sheet, const LabelRoom& room) {
  return {0.0F, sheet.rows <= 10 ? room.index_column : room.wide_index_column};
}
Length columns(int count, float width) {
  return {static_cast<float>(count) * width, 0.0F};
}
Length rows(int count) {
  return {static_cast<float>(count) * kCellHeight, 0.0F};
}
Length longer(Length a, Length b) {
  return {std::max(a.numbers, b.numbers), std::max(a.lines, b.lines)};
}
// The width of a sheet without neighbors: its cells, and in a map the part of its name that is
// longer.
Length own_width(const Sheet& sheet) {
  const Length cells = columns(sheet.cols, cell_width(sheet.digits));
  const float name = kNameCharacter * static_cast<float>(sheet.name.size());
  return cells + Length{0.0F, std::max(0.0F, name - kMapNumber * cells.numbers)};
}

// Numbers: cells as wide as their numbers. Squares: without numbers.
enum class Cells { Numbers, Squares };

// `left` is left of `corner`, `top` above it; either may be missing.
Group textbook_l(const StageShape& shape, const LabelRoom& room, int left, int top, int corner,
                 Cells cells = Cells::Numbers) {
  Group group;
  group.largest = cells == Cells::Squares ? kLargestOfMap : kLargestNumber;
  const auto width_of = [cells](int digits) {
    return cells == Cells::Squares ? kCellHeight : cell_width(digits);
  };
  const Sheet& c = at(shape, corner);
  const Length left_numbers = index_column(left != kNoSheet ? at(shape, left) : c, room);
  const Length top_numbers = index_column(top != kNoSheet ? at(shape, top) : c, room);
  const float left_width = left != kNoSheet ? width_of(at(shape, left).digits) : 0.0F;
  // Columns of the upper sheet are columns of the corner.
  const float width =
      width_of(std::max(c.digits, top != kNoSheet ? at(shape, top).digits : c.digits));
  Length x = left != kNoSheet
                 ? left_numbers + columns(at(shape, left).cols, left_width) + room.gap + top_numbers
                 : top_numbers;
  Length y = room.name + room.index_row;
  if (top != kNoSheet) {
    y = y + rows(at(shape, top).rows) + room.gap;
    // Without a left sheet the corner needs no label row, but the gap.
    group.items.push_back({top, x, room.name + room.index_row, width});
  }
  if (left != kNoSheet) {
    // Its name and column numbers need room above if there is no sheet above.
    group.items.push_back({left, left_numbers, y, left_width});
  }
  group.items.push_back({corner, x, y, width});
  const int below = left != kNoSheet ? std::max(at(shape, left).rows, c.rows) : c.rows;
  const int beside = top != kNoSheet ? std::max(at(shape, top).cols, c.cols) : c.cols;
  group.width = x + columns(beside, width);
  group.height = y + rows(below) + room.below;
  return group;
}

// Sheets from left to right, each with its name above.
Group row_of(const StageShape& shape, const LabelRoom& room, const std::vector<int>& sheets) {
  Group group;
  group.largest = kLargestNumber;
  Length x;
  for (const int sheet : sheets) {
    const float width = cell_width(at(shape, sheet).digits);
    x = x + index_column(at(shape, sheet), room);
    group.items.push_back({sheet, x, room.name + room.index_row, width});
    x = x + own_width(at(shape, sheet));
    group.height = longer(group.height, rows(at(shape, sheet).rows));
    group.width = x;
    x = x + room.gap;
  }
  group.height = group.height + room.name + room.index_row + room.below;
  return group;
}

Group matrices(const StageShape& shape, const LabelRoom& room, Cells cells) {
  std::vector<int> rest;
  for (std::size_t i = 0; i < shape.sheets.size(); ++i) {
    const int sheet = static_cast<int>(i);
    if (shape.sheets[i].kind == SheetKind::Buffer && is_beside_l(shape, sheet)) {
      rest.push_back(sheet);
    }
  }
  if (!shape.has_matrix_l()) {
    return rest.empty() ? Group{} : row_of(shape, room, rest);
  }
  Group group = textbook_l(shape, room, shape.a, shape.b, shape.c, cells);
  if (!rest.empty()) {  // further buffers are right of the L
    Group further = row_of(shape, room, rest);
    for (Item& item : further.items) {
      item.x = item.x + group.width + room.gap;
      group.items.push_back(item);
    }
    group.width = group.width + room.gap + further.width;
    group.height = longer(group.height, further.height);
  }
  return group;
}

Group block_memory(const StageShape& shape, const LabelRoom& room) {
  if (shape.threads == kNoSheet) {
    return {};
  }
  Group group = textbook_l(shape, room, shape.left, shape.top, shape.threads);
  // Shared arrays beyond the second are stacked, right of the L.
  Length y = room.name + room.index_row;
  Length width = group.width;
  for (std::size_t i = 0; i < shape.sheets.size(); ++i) {
    const int sheet = static_cast<int>(i);
    if (shape.sheets[i].kind != SheetKind::Shared || !is_beside_l(shape, sheet)) {
      continue;
    }
    const Length x = group.width + room.gap + index_column(shape.sheets[i], room);
    const float cell = cell_width(shape.sheets[i].digits);
    group.items.push_back({sheet, x, y, cell});
    width = longer(width, x + own_width(shape.sheets[i]));
    y = y + rows(shape.sheets[i].rows) + room.name + room.index_row;
    group.height = longer(group.height, y);
  }
  group.width = width;
  return group;
}

// The largest number size for which `length` fits in `room`.
float fitting(Length length, float room, float font) {
  return length.numbers > 0.0F ? std::max(0.0F, (room - length.lines * font) / length.numbers)
                               : room;
}

struct Scales {
  float first = 0.0F;   // pixels of a number
  float second = 0.0F;  // 0: there is no second group
};

// Once the width is used up, a larger group makes the other smaller. Beside a map, the other
// group's numbers become comfortable first, then the map grows as far as the height allows.
// Otherwise both count by the logarithm of their size, up to where more size helps little; the
// first group has four times the cells to read.
Scales choose_scales(const Group& first, const Group& second, ImVec2 room, float font, float gap,
                     Matrices as, float least_map) {
  const float max_first = std::min(fitting(first.height, room.y, font), first.largest * font);
  if (second.empty()) {
    return {std::min(max_first, fitting(first.width, room.x, font)), 0.0F};
  }
  const float max_second = std::min(fitting(second.height, room.y, font), second.largest * font);
  if (first.empty()) {
    return {0.0F,
            std::min(max_second, fitting(second.width, room.x - 2.0F * kCardPad * font, font))};
  }
  const auto second_beside = [&](float a) {
    return std::min(max_second,
                    fitting(second.width, room.x - gap - first.width.px(a, font), font));
  };
  if (as == Matrices::Map) {
    const float least = std::min(max_first, fitting(first.width, least_map * font, font));
    const float wanted = std::min(second_beside(least), kComfortable * font);
    const float most = fitting(first.width, room.x - gap - second.width.px(wanted, font), font);
    const float a = std::clamp(most, least, max_first);
    return {a, second_beside(a)};
  }
  const auto legible = [font](float number, float enough) {
    const float bounded = std::max(0.1F, number);
    return std::log(std::min(bounded, enough * font)) + 0.05F * std::log(bounded);
  };
  Scales best;
  float best_score = -1e9F;
  constexpr int kTries = 64;
  for (int i = 1; i <= kTries; ++i) {
    const float a = max_first * static_cast<float>(i) / static_cast<float>(kTries);
    const float b = second_beside(a);
    const bool is_first = as == Matrices::First;
    const float lack = is_first ? 0.0F : std::log(std::max(1.0F, kLeastNumber / std::max(b, 0.1F)));
    const float score = (is_first ? kWeightOfFirst : 1.0F) * legible(a, 1.15F) +
                        0.65F * legible(b, 1.7F) - kPenalty * lack;
    if (score > best_score) {
      best_score = score;
      best = {a, b};
    }
  }
  return best;
}

// Sheets that fill the height but not the width get wider cells, up to kWidestCell.
void widen(const std::vector<std::pair<Group*, float>>& groups, float room, float font) {
  float numbers = 0.0F;
  float rest = room;
  for (const auto& [group, number] : groups) {
    numbers += group->width.numbers * number;
    rest -= group->width.lines * font;
  }
  if (numbers <= 0.0F || rest <= numbers) {
    return;
  }
  for (const auto& [group, number] : groups) {
    float widest = 0.0F;
    for (const Item& item : group->items) {
      widest = std::max(widest, item.cell_width);
    }
    const float factor = std::clamp(kWidestCell / std::max(widest, 0.1F), 1.0F, rest / numbers);
    for (Item& item : group->items) {
      item.x.numbers *= factor;
      item.cell_width *= factor;
    }
    group->width.numbers *= factor;
  }
}

std::optional<Box> free_corner(const StageShape& shape, const LabelRoom& room, const Group& l,
                               float number, float font) {
  if (!shape.has_matrix_l()) {
    return std::nullopt;
  }
  const auto a = std::ranges::find(l.items, shape.a, &Item::sheet);
  const Sheet& b = at(shape, shape.b);
  // Left of B's row numbers, above A's name and column numbers.
  const float width = (a->x + columns(at(shape, shape.a).cols, a->cell_width)).px(number, font);
  const float height =
      (rows(b.rows) + room.gap).px(number, font);  // B's name row above is free, A's below is not
  if (width < kCornerWidth * font || height < kCornerHeight * font) {
    return std::nullopt;
  }
  return Box{0.0F, 0.0F, width, height};
}

void place(std::vector<Placed>& sheets, const Group& group, float number, float font, ImVec2 from,
           float scale) {
  for (const Item& item : group.items) {
    sheets[static_cast<std::size_t>(item.sheet)] = {
        (from.x + item.x.px(number, font)) / scale,
        (from.y + item.y.px(number, font)) / scale,
        {item.cell_width * number / scale, kCellHeight * number / scale},
        number / scale,
        {}};
  }
}

}  // namespace

float cell_width(int digits) {
  return kDigitWidth * static_cast<float>(std::max(digits, 2)) + kBeside;
}

namespace {

// The shown part, as if it were the whole.
StageShape cropped(const StageShape& shape, const Shown& shown) {
  StageShape result = shape;
  for (std::size_t i = 0; i < shown.size() && i < result.sheets.size(); ++i) {
    result.sheets[i].rows = shown[i].rows;
    result.sheets[i].cols = shown[i].cols;
  }
  return result;
}

void note_shown(const StageShape& shape, const Shown& shown, std::vector<Placed>& sheets) {
  for (std::size_t i = 0; i < sheets.size(); ++i) {
    Placed& placed = sheets[i];
    placed.shown =
        i < shown.size() ? shown[i] : CellRange{0, 0, shape.sheets[i].rows, shape.sheets[i].cols};
    placed.x -= static_cast<float>(placed.shown.col) * placed.cell.x;
    placed.y -= static_cast<float>(placed.shown.row) * placed.cell.y;
  }
}

// `whole`: without cropping.
Arrangement arrange_all(const StageShape& shape, const StageShape& whole, ImVec2 room, float font,
                        Labels labels, Matrices as, float least_map) {
  const LabelRoom label_room = labels == Labels::Few ? kFew : LabelRoom();
  const bool is_map = as == Matrices::Map && shape.has_matrix_l();
  Group first = matrices(shape, label_room, is_map ? Cells::Squares : Cells::Numbers);
  Group second = block_memory(shape, label_room);
  const bool has_block = !second.empty();
  const bool has_parts = is_map && !has_block;
  if (has_parts) {
    first = textbook_l(whole, label_room, whole.a, whole.b, whole.c, Cells::Squares);
    second = matrices(shape, label_room, Cells::Numbers);
  }
  const bool is_alone = as == Matrices::None && has_block;
  const Group hidden = is_alone ? std::exchange(first, Group{}) : Group{};
  const float margin = kMargin * font;
  const float pad = has_block ? kCardPad * font : 0.0F;
  const float between = first.empty() || second.empty() ? 0.0F : kBetweenGroups * font;
  const ImVec2 inner(std::max(room.x - 2.0F * margin, font),
                     std::max(room.y - 2.0F * (margin + pad), font));
  const Scales scales =
      choose_scales(first, second, inner, font, between + 2.0F * pad, as, least_map);
  const float map = is_map ? first.width.px(scales.first, font) : 0.0F;
  std::vector<std::pair<Group*, float>> widened{{&second, scales.second}};
  if (!is_map) {
    widened.emplace_back(&first, scales.first);
  }
  widen(widened, inner.x - map - between - 2.0F * pad, font);
  const std::optional<Box> corner =
      is_alone ? std::nullopt
               : free_corner(has_parts ? whole : shape, label_room, first, scales.first, font);
  const float width1 = first.empty() ? 0.0F : first.width.px(scales.first, font);
  const float height1 = first.empty() ? 0.0F : first.height.px(scales.first, font);
  const float width2 = second.empty() ? 0.0F : second.width.px(scales.second, font);
  const float height2 = second.empty() ? 0.0F : second.height.px(scales.second, font);
  const float height = std::max(height1, height2);
  const float top = margin + pad;

  Arrangement result;
  result.labels = labels;
  result.hides_matrices = is_alone;
  result.has_map = is_map && !has_parts;
  result.sheets.resize(shape.sheets.size());
  for (const Item& item : hidden.items) {
    result.sheets[size(item.sheet)].x = result.sheets[size(item.sheet)].y = kOffStage;
  }
  result.unit = std::max(first.empty() ? scales.second : scales.first, 0.01F);
  const float scale = result.unit;
  // Both groups have a common bottom: C's last row and the last row of threads.
  const ImVec2 from1(margin, top + height - height1);
  const ImVec2 from2(margin + width1 + between + pad, top + height - height2);
  if (has_parts) {  // only of A, B and C
    result.map.resize(shape.sheets.size(), {kOffStage, kOffStage});
  }
  place(has_parts ? result.map : result.sheets, first, scales.first, font, from1, scale);
  place(result.sheets, second, scales.second, font, from2, scale);
  result.width = (width1 + between + width2 + 2.0F * (pad + margin)) / scale;
  result.height = (height + 2.0F * (pad + margin)) / scale;
  if (has_block) {
    result.block_group = Box{(from2.x - pad) / scale, (from2.y - pad) / scale,
                             (width2 + 2.0F * pad) / scale, (height2 + 2.0F * pad) / scale};
    if (shape.left != kNoSheet && shape.top != kNoSheet) {
      const Placed& at_left = result.sheets[size(shape.left)];
      const Box left{at_left.x, at_left.y,
                     static_cast<float>(at(shape, shape.left).cols) * at_left.cell.x, 0.0F};
      const float label = (label_room.name + label_room.index_row).lines * font / scale;
      result.block_corner = Box{from2.x / scale, from2.y / scale, left.right() - from2.x / scale,
                                left.y - label - from2.y / scale};
    }
  }
  if (corner) {
    result.corner = Box{margin / scale, (margin + pad) / scale, corner->w / scale,
                        (from1.y + corner->h - margin - pad) / scale};
  }
  return result;
}

}  // namespace

Arrangement arrange(const StageShape& shape, ImVec2 room, float font, Labels labels,
                    const Shown& shown, Matrices matrices, float least_map) {
  Arrangement result = arrange_all(shown.empty() ? shape : cropped(shape, shown), shape, room, font,
                                   labels, matrices, least_map);
  note_shown(shape, shown, result.sheets);
  note_shown(shape, {}, result.map);
  return result;
}

Arrangement map_alone(const Arrangement& arrangement) {
  Arrangement map = arrangement;
  map.sheets = arrangement.map;
  map.map.clear();
  map.has_map = true;
  return map;
}

Box sheet_box(const StageShape& /*shape*/, const Arrangement& arrangement, int sheet) {
  const Placed& placed = arrangement.sheets[static_cast<std::size_t>(sheet)];
  const CellRange& shown = placed.shown;
  return {placed.x + static_cast<float>(shown.col) * placed.cell.x,
          placed.y + static_cast<float>(shown.row) * placed.cell.y,
          static_cast<float>(shown.cols) * placed.cell.x,
          static_cast<float>(shown.rows) * placed.cell.y};
}

Box cell_box(const Arrangement& arrangement, int sheet, int row, int col) {
  const Placed& placed = arrangement.sheets[static_cast<std::size_t>(sheet)];
  return {placed.x + static_cast<float>(col) * placed.cell.x,
          placed.y + static_cast<float>(row) * placed.cell.y, placed.cell.x, placed.cell.y};
}

std::optional<CellHit> hit_cell(const StageShape& shape, const Arrangement& arrangement, float x,
                                float y) {
  for (const std::vector<Placed>* const places : {&arrangement.sheets, &arrangement.map}) {
    for (std::size_t i = 0; i < places->size(); ++i) {
      const Placed& placed = (*places)[i];
      const CellPlace place{static_cast<int>(std::floor((y - placed.y) / placed.cell.y)),
                            static_cast<int>(std::floor((x - placed.x) / placed.cell.x))};
      if (placed.shown.has(place.row, place.col) &&
          cell_index(shape.sheets[i], place) < shape.sheets[i].count) {
        return CellHit{static_cast<int>(i), place.row, place.col};
      }
    }
  }
  return std::nullopt;
}

}  // namespace tilestep::ui
