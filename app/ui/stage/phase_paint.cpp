#include "ui/stage/phase_paint.h"

#include "insight/names.h"
#include "narration/templates.h"
#include "ui/stage/sheet_note.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace tilestep::ui {
namespace {

constexpr int kRibbonPieces = 48;
constexpr float kFarOutside = -1e5F;  // window_box() of cells that are not shown

// A side of a box that a ribbon leaves or reaches.
struct Side {
  ImVec2 from;
  ImVec2 to;
};

// Towards the right, else downwards; where the target lies elsewhere there is no ribbon.
std::optional<std::pair<Side, Side>> sides(const Box& from, const Box& to) {
  if (from.right() <= to.x) {
    return std::pair(Side{{from.right(), from.y}, {from.right(), from.bottom()}},
                     Side{{to.x, to.y}, {to.x, to.bottom()}});
  }
  if (from.bottom() <= to.y) {
    return std::pair(Side{{from.x, from.bottom()}, {from.right(), from.bottom()}},
                     Side{{to.x, to.y}, {to.right(), to.y}});
  }
  return std::nullopt;
}

// Leaves and arrives at a right angle.
ImVec2 on_way(ImVec2 from, ImVec2 to, float t, bool across) {
  const float bend = t * t * (3.0F - 2.0F * t);
  return across ? ImVec2(from.x + (to.x - from.x) * t, from.y + (to.y - from.y) * bend)
                : ImVec2(from.x + (to.x - from.x) * bend, from.y + (to.y - from.y) * t);
}

void paint_ribbon(const StagePicture& p, const Ribbon& ribbon) {
  const Box from = p.window_box(ribbon.from);
  const Box to = p.window_box(ribbon.to);
  const auto ends = sides(from, to);
  if (!ends || from.x < kFarOutside || to.x < kFarOutside) {
    return;
  }
  const auto& [leaves, reaches] = *ends;
  const bool across = leaves.from.x == leaves.to.x;
  const ImU32 line = role_colours(p.context.theme, p.shape.sheets[size(ribbon.to.sheet)].role).line;
  const ImU32 band = with_alpha(line, 0.2F);
  const int count = static_cast<int>(std::lround(ribbon.grown * static_cast<float>(kRibbonPieces)));
  std::array<ImVec2, kRibbonPieces + 1> first;
  std::array<ImVec2, kRibbonPieces + 1> second;
  for (int i = 0; i <= count; ++i) {
    const float t = static_cast<float>(i) / static_cast<float>(kRibbonPieces);
    first[size(i)] = on_way(leaves.from, reaches.from, t, across);
    second[size(i)] = on_way(leaves.to, reaches.to, t, across);
  }
  // Pieces that share an edge: smoothed edges would show as lines across the band.
  const ImDrawListFlags flags = p.list.Flags;
  p.list.Flags &= ~ImDrawListFlags_AntiAliasedFill;
  for (int i = 0; i < count; ++i) {
    p.list.AddQuadFilled(first[size(i)], first[size(i + 1)], second[size(i + 1)], second[size(i)],
                         band);
  }
  p.list.Flags = flags;
  if (count > 0) {
    const ImU32 edge = with_alpha(line, 0.45F);
    p.list.AddPolyline(first.data(), count + 1, edge, ImDrawFlags_None, 1.5F);
    p.list.AddPolyline(second.data(), count + 1, edge, ImDrawFlags_None, 1.5F);
  }
}

std::string value_of_cell(const StagePicture& p, const SheetPlace& place) {
  const Sheet& sheet = p.shape.sheets[size(place.sheet)];
  const Cell& cell =
      p.content.sheets[size(place.sheet)].cells[cell_index(sheet, {place.row, place.col})];
  return with_minus(short_number(cell.value, kLongestNumber));
}

std::string element_name(const StagePicture& p, const SheetPlace& place) {
  CellFrame cell;
  cell.sheet = place.sheet;
  cell.row = place.row;
  cell.col = place.col;
  cell.rows = 1;
  cell.cols = 1;
  return frame_name(p.shape, cell);
}

}  // namespace

void paint_ribbons(const StagePicture& p) {
  for (const Ribbon& ribbon : p.content.ribbons) {
    paint_ribbon(p, ribbon);
  }
}

bool paint_brought(const StagePicture& p) {
  if (!p.arrangement.block_corner) {
    return false;
  }
  const std::uint32_t thread = p.context.state.focus.thread;
  std::vector<const Transfer*> own;
  for (const Transfer& move : p.content.moving) {
    if (move.thread == thread && move.from.inside && move.to.inside) {
      own.push_back(&move);
    }
  }
  const Box corner = p.view.to_window(*p.arrangement.block_corner);
  const float line = 1.3F * p.font;
  float y = corner.y + 2.9F * p.font;
  const auto rows = static_cast<std::size_t>(std::max(0.0F, (corner.bottom() - y) / line));
  if (own.empty() || rows < std::min<std::size_t>(own.size() + 1, 3)) {
    return false;
  }
  const auto write = [&](ImFont* font, ImU32 colour, const std::string& text) {
    float size = 0.95F * p.font;
    while (size > 0.75F * p.font &&
           font->CalcTextSizeA(size, 1e6F, 0.0F, text.c_str()).x > corner.w) {
      size -= 1.0F;
    }
    const ImVec2 at(std::round(corner.x), std::round(y));
    paint_backed_text(p, font, size, at, colour, text);
    y += line;
  };
  const auto say = [](narration::Say row, const narration::Places& places) {
    return narration::plain_text(narration::part(row, places));
  };
  const Theme& t = p.context.theme;
  write(p.context.fonts.bold, t.text,
        say("stage_brought",
            {{"thread", narration::capital(narration::plain(insight::thread_name(
                            p.program.thread_index(thread), p.program.launch())))}}));
  const std::size_t shown = own.size() < rows ? own.size() : rows - 2;  // a line for the others
  for (std::size_t i = 0; i < shown; ++i) {
    const Transfer& move = *own[i];
    write(p.context.fonts.mono, role_colours(t, p.shape.sheets[size(move.to.sheet)].role).line,
          fmt::format("{} = {} → {}", element_name(p, move.from), value_of_cell(p, move.from),
                      element_name(p, move.to)));
  }
  if (shown < own.size()) {
    write(p.context.fonts.text, t.text_dim,
          say("stage_brought_more",
              {{"count", narration::plain(fmt::format("{}", own.size() - shown))}}));
  }
  return true;
}

void paint_sums_before(const StagePicture& p) {
  for (std::size_t i = 0; p.content.kinds.grown && i < p.shape.sheets.size(); ++i) {
    const Sheet& sheet = p.shape.sheets[i];
    const ValueText text = sheet_text(p, static_cast<int>(i));
    const float small = std::round(kBeforeSize * text.size);
    const CellRange& shown = p.arrangement.sheets[i].shown;
    for (int n = 0; n < shown.rows * shown.cols; ++n) {
      const CellPlace place{shown.row + n / shown.cols, shown.col + n % shown.cols};
      const Cell& cell = p.content.sheets[i].cells[cell_index(sheet, place)];
      if (!shows_before(p, cell, text)) {
        continue;
      }
      const Box box =
          p.view.to_window(cell_box(p.arrangement, static_cast<int>(i), place.row, place.col));
      const std::string number = cell_text(cell.before, text.chars) + " →";
      p.list.AddText(p.context.fonts.mono, small,
                     {std::round(box.x + 0.3F * small), std::round(box.y + 0.2F * small)},
                     with_alpha(cell_style(p, sheet, cell).fill.text, 0.85F), number.c_str());
    }
  }
}

namespace {

// "no barrier between multiply tile 0 and load tile 1"
std::string what_runs_together(const StagePicture& p) {
  const record::Phase& phase = p.context.view.scene->recording->phases_of(
      p.context.state.focus.block)[p.context.view.phase_over.value_or(0)];
  const std::string& name = *phase.name;
  const std::size_t comma = name.rfind(", ");
  const std::string last = comma == std::string::npos ? name : name.substr(comma + 2);
  return narration::plain_text(narration::part(
      "stage_no_barrier",
      {{"first", narration::plain(name.substr(0, comma))}, {"last", narration::plain(last)}}));
}

}  // namespace

void paint_fault_line(const StagePicture& p) {
  if (!p.content.fault_line || !p.arrangement.block_group) {
    return;
  }
  const Box card = p.view.to_window(*p.arrangement.block_group);
  const float x = std::round(card.x - 0.45F * p.font);
  const float dash = 0.5F * p.font;
  for (float y = card.y; y < card.bottom(); y += 1.6F * dash) {
    p.list.AddLine({x, y}, {x, std::min(y + dash, card.bottom())}, p.context.theme.bad,
                   std::max(2.0F, 0.14F * p.font));
  }
  // Over the card, which has no matrix above it; in low windows short.
  const bool has_room = card.y - 1.7F * p.font >= p.clip.y;
  const std::string words =
      has_room ? what_runs_together(p)
               : narration::plain_text(narration::part("stage_no_barrier_short", {}));
  const float width = p.context.fonts.bold->CalcTextSizeA(p.font, 1e6F, 0.0F, words.c_str()).x;
  // … before it, beside the name of the upper matrix.
  const ImVec2 from(has_room ? x : x - width - 0.8F * p.font,
                    has_room ? card.y - 1.7F * p.font : card.y - 0.2F * p.font);
  const ImVec2 to(from.x + width + 0.8F * p.font, from.y + 1.6F * p.font);
  p.list.AddRectFilled(from, to, p.context.theme.fault.fill, 0.3F * p.font);
  p.list.AddRect(from, to, p.context.theme.bad, 0.3F * p.font);
  p.list.AddText(p.context.fonts.bold, p.font, {from.x + 0.4F * p.font, from.y + 0.2F * p.font},
                 p.context.theme.fault.text, words.c_str());
}

}  // namespace tilestep::ui
