#include "insight/names.h"
#include "narration/templates.h"
#include "ui/paint/painters.h"
#include "ui/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace tilestep::ui {
namespace {

constexpr int kRibbonPieces = 48;
constexpr float kFarOutside = -1e5F;  // window_box() of cells that are not shown

// The side of a box at which a ribbon begins or ends.
struct Side {
  ImVec2 from;
  ImVec2 to;
};

// The sides of a ribbon to the right, else downward; nullopt if the target is elsewhere: then there
// is no ribbon.
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

// Begins and ends at a right angle.
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
  // Pieces share an edge: antialiased edges would be visible as lines across the band.
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
  const Cell& cell = cell_at(p.content, p.shape, place);
  return with_minus(short_number(cell.value, kLongestNumber));
}

// "A[0..3][4..7]", "B[2][1]": the cells of a frame.
std::string frame_name(const StageShape& shape, const CellFrame& frame) {
  const auto range = [](int first, int count) {
    return count == 1 ? fmt::format("[{}]", first)
                      : fmt::format("[{}..{}]", first, first + count - 1);
  };
  const Sheet& sheet = shape.sheets[size(frame.sheet)];
  if (sheet.wrapped) {  // one row
    const int first = frame.row * sheet.cols + frame.col;
    return sheet.name + range(first, (frame.rows - 1) * sheet.cols + frame.cols);
  }
  const int rows = sheet.rows / sheet.parts;  // of one of several buffers
  const int part = frame.row / rows;
  if (sheet.parts > 1 && (frame.row + frame.rows - 1) / rows == part) {
    return sheet.name + part_index(sheet, part) + range(frame.row - part * rows, frame.rows) +
           range(frame.col, frame.cols);
  }
  return sheet.name + range(frame.row, frame.rows) + range(frame.col, frame.cols);
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

std::string words(narration::Say row, const narration::Places& places) {
  return narration::plain_text(narration::part(row, places));
}

narration::Pieces number(int value) {
  return narration::plain(fmt::format("{}", value));
}

// "[0] multiplying, [1] filling": the parts of a double buffer.
std::string parts_note(const StagePicture& p, int sheet) {
  const Sheet& s = p.shape.sheets[size(sheet)];
  const int rows = s.rows / s.parts;
  const auto any = [&](int part, auto is_so) {
    const auto& cells = p.content.sheets[size(sheet)].cells;
    const auto first = cells.begin() + static_cast<std::ptrdiff_t>(part) * rows * s.cols;
    return std::any_of(first, first + static_cast<std::ptrdiff_t>(rows) * s.cols, is_so);
  };
  const auto is_read = [&](int part) {
    return any(part, [](const Cell& c) { return c.is_read; }) ||
           std::any_of(p.content.frames.begin(), p.content.frames.end(), [&](const CellFrame& f) {
             return f.kind == FrameKind::FocusReads && f.sheet == sheet && f.row / rows == part;
           });
  };
  // Zeros beyond the last tile are also loaded ahead, but never multiplied.
  const auto is_multiplied = [&](int part) {
    return p.content.multiplies &&
           any(part, [](const Cell& c) { return c.state == CellState::Value && c.value != 0.0; });
  };
  std::string busy;
  std::string idle;
  for (int part = 0; part < s.parts; ++part) {
    const narration::Say row =
        any(part, [](const Cell& c) { return c.is_arriving; }) ? narration::Say("buffer_filling")
        : is_read(part) ? is_multiplied(part) ? narration::Say("buffer_multiplying")
                                              : narration::Say("buffer_read")
        : any(part, [](const Cell& c) { return c.is_written; }) ? narration::Say("buffer_filled")
                                                                : narration::Say("buffer_idle");
    std::string& note = &row.row() == &narration::Say("buffer_idle").row() ? idle : busy;
    note +=
        (note.empty() ? "" : ", ") + words(row, {{"index", narration::plain(part_index(s, part))}});
  }
  return busy.empty() ? idle : busy;  // "[0], [1] multiplying" would mean both
}

// "← A[0..3][4..7]", "← A[0..3][4..7], transposed", "← 16 numbers of A".
std::string source_note(const StageShape& shape, const Source& source) {
  const std::string& name = shape.sheets[size(source.from.sheet)].name;
  if (!source.is_whole) {
    return "← " + words("numbers_of", {{"numbers", narration::plain(narration::counted(
                                                       source.count, narration::Noun::Number))},
                                       {"array", narration::plain(name)}});
  }
  const std::string from = "← " + frame_name(shape, source.from);
  return source.is_partial  ? words("label_so_far", {{"from", narration::plain(from)}})
         : source.is_turned ? words("label_turned", {{"from", narration::plain(from)}})
                            : from;
}

// "[4..11][0..7]": the visible part of a cropped sheet; of several buffers, the rows of one. Empty:
// all of it is visible.
std::string crop_note(const StagePicture& p, int sheet) {
  const Sheet& s = p.shape.sheets[size(sheet)];
  const CellRange& shown = p.arrangement.sheets[size(sheet)].shown;
  const int part_rows = s.rows / s.parts;
  const int part = shown.row / part_rows;
  const bool in_one = shown.row + shown.rows <= (part + 1) * part_rows;
  const int first = in_one ? shown.row - part * part_rows : shown.row;
  const int last = first + shown.rows - 1;
  const int right = shown.col + shown.cols - 1;
  // Another note says how little of the padding is shown.
  const int used = s.cols - p.content.sheets[size(sheet)].padding;
  const bool some_rows = shown.rows < (in_one ? part_rows : s.rows);
  const bool some_columns = shown.col > 0 || shown.cols < used;
  if (some_rows && some_columns) {
    return words("label_rows_columns", {{"first", number(first)},
                                        {"last", number(last)},
                                        {"left", number(shown.col)},
                                        {"right", number(right)}});
  }
  return some_rows ? words("label_rows", {{"first", number(first)}, {"last", number(last)}})
         : some_columns
             ? words("label_columns", {{"first", number(shown.col)}, {"last", number(right)}})
             : "";
}

std::string padding_note(int columns) {
  return columns > 0 ? words("label_padding", {{"columns", narration::plain(narration::counted(
                                                               static_cast<std::uint64_t>(columns),
                                                               narration::Noun::Column))}})
                     : "";
}

// "one per thread", "16 per thread".
std::string sums_note(const StagePicture& p, const Sheet& s) {
  const auto& sums = p.context.view.run.sums;
  if (sums == nullptr || sums->is_too_large() || s.name.empty()) {
    return "";
  }
  const auto each =
      p.shape.tile ? std::ranges::count_if(p.content.sums,
                                           [&](const SumCell& sum) {
                                             return sum.cell &&
                                                    sum.now.thread == p.context.state.focus.thread;
                                           })
                   : 1;
  return each == 0   ? ""
         : each == 1 ? words("label_one_per_thread", {})
                     : words("label_per_thread", {{"count", number(static_cast<int>(each))}});
}

std::string stored_note(const StagePicture& p, const Sheet& s, const SheetContent& content) {
  if (content.stored == s.count) {
    return words("label_all_stored", {});
  }
  if (content.stored > 0) {
    return words("label_some_stored", {{"stored", number(static_cast<int>(content.stored))},
                                       {"all", number(static_cast<int>(s.count))}});
  }
  if (content.pending == 0) {
    return words("label_none_stored", {});
  }
  return p.content.sum_name.empty()
             ? words("label_not_stored_yet", {})
             : words("label_not_stored", {{"sum", narration::plain(p.content.sum_name)}});
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
  // `brief`: in place of a text that does not fit at the smallest size.
  const auto write = [&](ImFont* font, ImU32 colour, std::string text, const std::string& brief) {
    float size = 0.95F * p.font;
    while (size > 0.75F * p.font && text_width(font, size, text) > corner.w) {
      size -= 1.0F;
    }
    if (text_width(font, size, text) > corner.w) {
      text = brief;
    }
    const ImVec2 at(std::round(corner.x), std::round(y));
    paint_backed_text(p, font, size, at, colour, text);
    y += line;
  };
  const auto say = [](narration::Say row, const narration::Places& places) {
    return narration::plain_text(narration::part(row, places));
  };
  const Theme& t = p.context.theme;
  write(
      p.context.fonts.bold, t.text,
      say("stage_brought", {{"thread", narration::capital(narration::plain(insight::thread_name(
                                           p.program.thread_index(thread), p.program.launch())))}}),
      "");
  // One line is for the others.
  const std::size_t shown = own.size() < rows ? own.size() : rows - 2;
  for (std::size_t i = 0; i < shown; ++i) {
    const Transfer& move = *own[i];
    const std::string loaded =
        fmt::format("{} = {}", element_name(p, move.from), value_of_cell(p, move.from));
    write(p.context.fonts.mono, role_colours(t, p.shape.sheets[size(move.to.sheet)].role).line,
          fmt::format("{} → {}", loaded, element_name(p, move.to)), loaded);
  }
  if (shown < own.size()) {
    write(p.context.fonts.text, t.text_dim,
          say("stage_brought_more",
              {{"count", narration::plain(fmt::format("{}", own.size() - shown))}}),
          "");
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
      const Box box = p.window_box(static_cast<int>(i), place.row, place.col);
      const std::string number = cell_text(cell.before, text.chars) + " →";
      p.write(p.context.fonts.mono, small, {box.x + 0.3F * small, box.y + 0.2F * small},
              with_alpha(cell_style(p, sheet, cell).fill.text, 0.85F), number);
    }
  }
}

namespace {

// "no barrier between multiply tile 0 and load tile 1"
std::string what_runs_together(const StagePicture& p) {
  const record::Phase& phase = p.context.view.run.scene->recording->phases_of(
      p.context.state.focus.block)[p.context.view.narration.phase_over.value_or(0)];
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
  // Over the card, which has no matrix above it; short in low windows.
  const bool has_room = card.y - 1.7F * p.font >= p.clip.y;
  const std::string words =
      has_room ? what_runs_together(p)
               : narration::plain_text(narration::part("stage_no_barrier_short", {}));
  const float width = text_width(p.context.fonts.bold, p.font, words);
  // Before it, beside the name of the upper matrix.
  const ImVec2 from(has_room ? x : x - width - 0.8F * p.font,
                    has_room ? card.y - 1.7F * p.font : card.y - 0.2F * p.font);
  const ImVec2 to(from.x + width + 0.8F * p.font, from.y + 1.6F * p.font);
  p.list.AddRectFilled(from, to, p.context.theme.fault.fill, 0.3F * p.font);
  p.list.AddRect(from, to, p.context.theme.bad, 0.3F * p.font);
  p.list.AddText(p.context.fonts.bold, p.font, {from.x + 0.4F * p.font, from.y + 0.2F * p.font},
                 p.context.theme.fault.text, words.c_str());
}

std::vector<std::string> sheet_note(const StagePicture& p, int sheet) {
  const Sheet& s = p.shape.sheets[size(sheet)];
  const SheetContent& content = p.content.sheets[size(sheet)];
  std::vector<std::string> notes;
  const auto add = [&notes](std::string note) {
    if (!note.empty()) {
      notes.push_back(std::move(note));
    }
  };
  const std::string crop = crop_note(p, sheet);
  if (s.kind == SheetKind::Threads) {
    const std::string each = sums_note(p, s);
    add(each.empty() ? "" : crop);
    add(each);
    return notes;
  }
  const auto source = std::ranges::find(p.content.sources, sheet, &Source::shared);
  if (s.parts > 1 && s.parts <= 4) {
    add(parts_note(p, sheet));
    add(crop);
  } else if (source != p.content.sources.end()) {
    add(crop);
    add(source_note(p.shape, *source));
    add(padding_note(content.padding));
  } else {
    add(crop);
    if (content.has_mbarriers) {
      add(words("label_mbarriers", {}));
      return notes;
    }
    add(s.wrapped ? narration::counted(s.count, narration::Noun::Element)
                  : fmt::format("{}×{}", s.rows, s.cols));
    add(s.is_output ? stored_note(p, s, content) : "");
    add(padding_note(pitch_padding(s)));
  }
  return notes;
}

std::string part_index(const Sheet& sheet, int part) {
  std::string text;
  for (auto inner = sheet.inner_parts.rbegin(); inner != sheet.inner_parts.rend(); ++inner) {
    text = fmt::format("[{}]", part % std::max(*inner, 1)) + text;
    part /= std::max(*inner, 1);
  }
  return fmt::format("[{}]", part) + text;
}

}  // namespace tilestep::ui
