#include "ui/paint/memory_words.h"

#include "narration/templates.h"
#include "ui/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace tilestep::ui {
namespace {

constexpr float kLeastMarked = 5.0F;  // pixels: smaller cells have shades instead of marks
constexpr float kLeastFitted = 0.8F;  // smallest factor for a text that has to fit

using narration::part;

constexpr auto kBankCount = static_cast<int>(insight::kBanks);

WordGrid word_grid(const StripAccess& access, float width, int sectors_in_row, float font) {
  WordGrid grid;
  if (access.is_shared) {
    grid.rows = static_cast<int>(access.layout.passes + access.layout.stacks.size()) - 1;
    grid.word = width / static_cast<float>(kBankCount);
    return grid;
  }
  const auto count = static_cast<int>(access.layout.sectors.size());
  grid.sectors_in_row = sectors_in_row;
  grid.rows = (count + sectors_in_row - 1) / sectors_in_row;
  grid.sector_gap = std::max(2.0F, std::round(0.22F * font));
  grid.word = (width - static_cast<float>(sectors_in_row - 1) * grid.sector_gap) /
              static_cast<float>(sectors_in_row * kWordsOfSector);
  return grid;
}

// "5", or "×16" if lanes share a word.
std::string lane_text(std::uint32_t lanes) {
  const int count = std::popcount(lanes);
  return count == 1 ? fmt::format("{}", std::countr_zero(lanes)) : fmt::format("×{}", count);
}

// As many accesses as have room, the inefficient ones first, in execution order.
std::vector<const StripAccess*> chosen(const MemoryStrip& strip, std::size_t most) {
  std::vector<const StripAccess*> accesses;
  for (const StripAccess& access : strip.accesses) {
    accesses.push_back(&access);
  }
  const auto waste = [](const StripAccess* a) {
    return a->cost() - std::min(a->cost(), a->least());
  };
  std::stable_sort(accesses.begin(), accesses.end(),
                   [&](const StripAccess* a, const StripAccess* b) { return waste(a) > waste(b); });
  accesses.resize(std::min(accesses.size(), most));
  std::sort(accesses.begin(), accesses.end());  // they are elements of one array
  return accesses;
}

}  // namespace

StripPlan plan_strips(const MemoryStrip& strip, const StripSizes& sizes) {
  for (std::size_t count = strip.accesses.size(); count > 0; --count) {
    StripPlan plan;
    plan.accesses = chosen(strip, count);
    float rows = 0.0F;
    plan.height = sizes.fixed * static_cast<float>(count);
    for (const StripAccess* access : plan.accesses) {
      plan.grids.push_back(word_grid(*access, sizes.width, sizes.sectors_in_row, sizes.font));
      rows += static_cast<float>(plan.grids.back().rows);
      plan.height += access->is_shared ? sizes.numbers
                                       : sizes.row * static_cast<float>(plan.grids.back().rows);
    }
    plan.word = std::floor(
        std::min(sizes.largest_word, (sizes.height - plan.height) / std::max(1.0F, rows)));
    if (plan.word >= sizes.least_word) {
      plan.height += plan.word * rows;
      return plan;
    }
  }
  return {};
}

void StripPainter::words(const StripAccess& access, const WordGrid& grid, ImVec2 at, float word,
                         bool names) {
  if (access.is_shared) {
    banks(access, grid, at, word, names);
  } else {
    sectors(access, grid, at, word, names);
  }
}

std::optional<float> StripPainter::fitted(const narration::Pieces& words, ImVec2 at, float end,
                                          float size, ImU32 colour) {
  const float least = kLeastFitted * size;
  while (size > least && at.x + pieces_width(p_.context, words, size) > end) {
    size -= 0.05F * p_.font;
  }
  const float right = at.x + pieces_width(p_.context, words, size);
  if (right > end) {
    return std::nullopt;
  }
  pieces(words, at, size, colour);
  return right;
}

std::optional<float> StripPainter::title(const StripAccess& access, ImVec2 at, float end,
                                         float size) {
  narration::Pieces words = narration::capital(access_title(access));
  if (const auto right = fitted(words, at, end, size, t_.text)) {
    return right;
  }
  // Keeps only the array's name.
  std::erase_if(words, [](const narration::Piece& piece) { return !piece.strong; });
  return fitted(words, at, end, kLeastFitted * size, t_.text);
}

void StripPainter::pieces(const narration::Pieces& pieces, ImVec2 at, float size, ImU32 colour) {
  for (const narration::Piece& piece : pieces) {
    ImFont* font = font_of(p_.context, piece);
    label(font, size, at, hue_colour(t_, piece.hue, colour), piece.text);
    at.x += text_width(font, size, piece.text);
  }
}

float StripPainter::badge(const StripAccess& access, float right, float top, float size) {
  const std::string text = cost_words(access);
  ImFont* font = p_.context.fonts.bold;
  const float width = text_width(font, size, text);
  const float pad = 0.5F * size;
  const Box box{std::round(right - width - 2.0F * pad), std::round(top),
                std::round(width + 2.0F * pad), std::round(1.35F * size)};
  CellInstance frame = outline(box, access.is_bad() ? t_.bad : t_.good,
                               std::max(1.0F, 0.08F * p_.font), 0.25F * p_.font);
  frame.fill = access.is_bad() ? t_.fault.fill : t_.panel;
  cells_.push_back(frame);
  label(font, size, {box.x + pad, box.y + 0.16F * size}, access.is_bad() ? t_.fault.text : t_.good,
        text);
  return box.x;
}

void StripPainter::map(const StripAccess& access, const Array& of, const Box& room) {
  if (access.sheet == kNoSheet) {
    return;
  }
  const Sheet& sheet = of.shape.sheets[size(access.sheet)];
  const float cell =
      std::floor(std::min({room.w / static_cast<float>(sheet.cols),
                           room.h / static_cast<float>(sheet.rows), 1.6F * p_.font}));
  if (cell < 3.0F) {
    return;
  }
  const auto box_of = [&](int row, int col) {
    return Box{room.x + static_cast<float>(col) * cell, room.y + static_cast<float>(row) * cell,
               cell - 1.0F, cell - 1.0F};
  };
  for (int row = 0; row < sheet.rows; ++row) {
    for (int col = 0; col < sheet.cols; ++col) {
      const bool is_padding =
          of.is_padding != nullptr && (*of.is_padding)[cell_index(sheet, {row, col})];
      cells_.push_back(is_padding ? styled(box_of(row, col), unused()) : empty(box_of(row, col)));
    }
  }
  const auto add = [&](std::uint64_t address, const CellStyle& style) {
    const auto place = sheet_place(of.shape, of.program, of.program.locate(address, 1));
    if (place && place->sheet == access.sheet && place->inside) {
      cells_.push_back(styled(box_of(place->row, place->col), style));
    }
  };
  for (const insight::TouchedSector& sector : access.layout.sectors) {
    for (std::size_t word = 0; word < sector.lanes.size(); ++word) {
      add(sector.address + word * insight::kBankBytes,
          sector.lanes[word] != 0 ? used(access) : unused());
    }
  }
  const std::optional<std::uint32_t> ringed = access.fullest_bank();
  for (const insight::BankStacks& stacks : access.layout.stacks) {
    for (const insight::BankWord& word : stacks.words) {
      add(word.address, word.bank == ringed ? in_conflict(access) : used(access));
    }
  }
}

void StripPainter::card(const Box& box) {
  CellInstance ground = outline(box, t_.border, 1.0F, 0.5F * p_.font);
  ground.fill = mix(t_.panel, t_.raised, 0.6F);
  cells_.push_back(ground);
}

void StripPainter::finish() {
  p_.draw(cells_);
  for (const StripLabel& l : labels_) {
    p_.list.AddText(l.font, l.size, l.at, l.colour, l.text.c_str());
  }
  labels_.clear();
  cells_.clear();
}

std::array<std::uint32_t, insight::kBanks> StripPainter::counts_of(
    const insight::BankStacks& stacks) {
  std::array<std::uint32_t, insight::kBanks> counts{};
  for (const insight::BankWord& word : stacks.words) {
    ++counts[word.bank];
  }
  return counts;
}

CellInstance StripPainter::styled(const Box& box, const CellStyle& style) const {
  const float least = std::min(box.w, box.h);
  CellInstance cell = instance(box, style, std::min(0.15F * least, 0.2F * p_.font));
  cell.border_width = std::min(style.border_width, std::max(1.0F, 0.22F * least));
  if (least < kLeastMarked) {
    const bool is_hatched = (style.marks & mark::kHatched) != 0;
    cell.fill = is_hatched ? mix(cell.fill, style.mark_colour, 0.5F) : cell.fill;
    cell.marks = mark::kNone;
  }
  return cell;
}

CellStyle StripPainter::used(const StripAccess& access) const {
  const RoleColours& role = role_colours(t_, access.role);
  if (access.kind == simt::AccessKind::Load) {
    return {role.tint, role.line, std::max(1.5F, 0.1F * p_.font), mark::kNone, 0};
  }
  return {role.solid, 0, 0.0F, mark::kCut, t_.panel};
}

CellStyle StripPainter::in_conflict(const StripAccess& access) const {
  CellStyle style = used(access);
  style.border = t_.bad;
  style.border_width = std::max(2.0F, 0.15F * p_.font);
  return style;
}

void StripPainter::word(const StripAccess& access, const Box& box, const CellStyle& style,
                        std::uint32_t lanes) {
  const Box inner{box.x + 0.5F, box.y + 0.5F, std::max(1.0F, box.w - 1.0F),
                  std::max(1.0F, box.h - 1.0F)};
  cells_.push_back(styled(inner, style));
  if (lanes == 0 || box.w < 0.95F * p_.font || box.h < 0.85F * p_.font) {
    return;
  }
  const std::string text = lane_text(lanes);
  const float fit = 0.86F * box.w / (kDigitWidth * static_cast<float>(text.size() > 2 ? 3 : 2));
  const float height = std::min({0.9F * p_.font, 0.8F * box.h, fit});
  ImFont* font = p_.context.fonts.bold;
  const float width = text_width(font, height, text);
  const RoleColours& role = role_colours(t_, access.role);
  label(font, height, {box.x + 0.5F * (box.w - width), box.y + 0.5F * (box.h - height)},
        access.kind == simt::AccessKind::Load ? role.tint.text : role.solid.text, text);
}

void StripPainter::sectors(const StripAccess& access, const WordGrid& grid, ImVec2 at, float height,
                           bool names) {
  const std::vector<bool> surplus = access.surplus();
  const float row = height + row_gap(names);
  const float frame = std::max(1.5F, 0.1F * p_.font);
  float end = 0.0F;  // end of the previous name in this row
  for (std::size_t i = 0; i < access.layout.sectors.size(); ++i) {
    const auto in_row = i % size(grid.sectors_in_row);
    const auto row_number = i / size(grid.sectors_in_row);
    const Box box{at.x + static_cast<float>(in_row) * grid.sector(),
                  at.y + static_cast<float>(row_number) * row,
                  static_cast<float>(kWordsOfSector) * grid.word, height};
    const insight::TouchedSector& sector = access.layout.sectors[i];
    for (std::size_t w = 0; w < sector.lanes.size(); ++w) {
      word(access, {box.x + static_cast<float>(w) * grid.word, box.y, grid.word, box.h},
           sector.lanes[w] != 0 ? used(access) : unused(), sector.lanes[w]);
    }
    cells_.push_back(outline({box.x - 1.0F, box.y - 1.0F, box.w + 2.0F, box.h + 2.0F},
                             surplus[i] ? t_.bad : t_.text_dim, frame, 0.2F * p_.font));
    end = in_row == 0 ? box.x : end;
    if (names && box.x >= end) {
      ImFont* const font = p_.context.fonts.mono;
      const std::string& name = access.sector_names[i];
      label(font, kStripText * p_.font, {box.x, box.y + box.h + 0.12F * p_.font},
            surplus[i] ? t_.bad : t_.text_dim, name);
      const float width = text_width(font, kStripText * p_.font, name);
      end = box.x + width + 0.4F * p_.font;
    }
  }
}

void StripPainter::banks(const StripAccess& access, const WordGrid& grid, ImVec2 at, float height,
                         bool names) {
  float bottom = at.y + static_cast<float>(grid.rows) * height;
  const float end = bottom;
  std::array<bool, insight::kBanks> is_used{};
  for (const insight::BankStacks& stacks : access.layout.stacks) {
    const auto counts = counts_of(stacks);
    for (int bank = 0; bank < kBankCount; ++bank) {
      const float high = static_cast<float>(stacks.passes) * height;
      cells_.push_back(empty({at.x + static_cast<float>(bank) * grid.word + 0.5F, bottom - high,
                              grid.word - 1.0F, high}));
    }
    for (const insight::BankWord& w : stacks.words) {
      is_used[w.bank] = true;
      word(access,
           {at.x + static_cast<float>(w.bank) * grid.word,
            bottom - static_cast<float>(w.height + 1) * height, grid.word, height},
           counts[w.bank] > 1 ? in_conflict(access) : used(access), w.lanes);
    }
    bottom -= static_cast<float>(stacks.passes + 1) * height;
  }
  bank_numbers(is_used, grid, {at.x, end + 0.12F * p_.font}, names);
}

void StripPainter::bank_numbers(const std::array<bool, insight::kBanks>& is_used,
                                const WordGrid& grid, ImVec2 at, bool all) {
  const float size = std::min(kStripText * p_.font, all ? 0.8F * grid.word : p_.font);
  float end = -1e6F;  // end of the previous number
  for (int bank = 0; bank < kBankCount; bank += all ? 1 : 8) {
    const bool used = is_used[static_cast<std::size_t>(bank)];
    const std::string text =
        all || bank > 0 ? fmt::format("{}", bank)
                        : narration::plain_text(part("bank", {})) + fmt::format(" {}", bank);
    ImFont* font = used && all ? p_.context.fonts.bold : p_.context.fonts.text;
    const float width = text_width(font, size, text);
    const float centre = all ? 0.5F * (grid.word - width) : 0.0F;
    const float x = at.x + static_cast<float>(bank) * grid.word + centre;
    if (x > end) {
      label(font, size, {x, at.y}, used && all ? t_.text : t_.text_dim, text);
      end = x + width + (all ? 0.0F : 0.8F * size);
    }
  }
}

}  // namespace tilestep::ui
