#include "ui/stage/sheet_note.h"

#include "narration/templates.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilestep::ui {
namespace {

std::string words(narration::Say row, const narration::Places& places) {
  return narration::plain_text(narration::part(row, places));
}

narration::Pieces number(int value) {
  return narration::plain(fmt::format("{}", value));
}

// "[0] multiplying, [1] filling": the buffers of a double buffer.
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
  // Zeros beyond the last tile are loaded ahead, too, and multiplied by nobody.
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
  return busy.empty() ? idle : busy;  // "[0], [1] multiplying" would be both
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

// "[4..11][0..7]": what is shown of a sheet that is cropped; of several buffers, which
// rows of one. Empty: all of it is.
std::string crop_note(const StagePicture& p, int sheet) {
  const Sheet& s = p.shape.sheets[size(sheet)];
  const CellRange& shown = p.arrangement.sheets[size(sheet)].shown;
  const int part_rows = s.rows / s.parts;
  const int part = shown.row / part_rows;
  const bool in_one = shown.row + shown.rows <= (part + 1) * part_rows;
  const int first = in_one ? shown.row - part * part_rows : shown.row;
  const int last = first + shown.rows - 1;
  const int right = shown.col + shown.cols - 1;
  // That little is shown of the padding is said by its own note.
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
  const insight::BlockSums* const sums = p.context.view.sums;
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
  const int rows = sheet.rows / sheet.parts;  // of one buffer of several
  const int part = frame.row / rows;
  if (sheet.parts > 1 && (frame.row + frame.rows - 1) / rows == part) {
    return sheet.name + part_index(sheet, part) + range(frame.row - part * rows, frame.rows) +
           range(frame.col, frame.cols);
  }
  return sheet.name + range(frame.row, frame.rows) + range(frame.col, frame.cols);
}

}  // namespace tilestep::ui
