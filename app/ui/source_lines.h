// What the source panel shows of a kernel's text, and what stands at the ends of its lines. Pure.
#pragma once

#include "insight/trace/accumulators.h"
#include "narration/source_map.h"
#include "record/recording.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tilestep::ui {

// Tabs as blanks, one entry a line.
[[nodiscard]] std::vector<std::string> lines_of(const std::string& source);

// Of a line that is too long and shown from its end: "As[ty][tx] = ", what it sets, where that
// takes no more than half of the columns; else 0.
[[nodiscard]] std::size_t stored_part(std::string_view code, std::size_t columns);

// Lines of the comment that a file begins with; 0 where it has none, or a single line.
[[nodiscard]] std::size_t header_lines(const std::vector<std::string>& lines);

// What the header says: "The idea" and its words. Without a label where it has none.
struct HeaderEntry {
  std::string label;
  std::string text;

  friend bool operator==(const HeaderEntry&, const HeaderEntry&) = default;
};
// Of the first `header` lines. A label stands at the left, two blanks or more before its text;
// lines that are indented go on with it.
[[nodiscard]] std::vector<HeaderEntry> header_entries(const std::vector<std::string>& lines,
                                                      std::size_t header);

// A row of the panel: a line of the text (1-based), the header's bar (0), or below it one of the
// rows that its words take when it is open (−1, −2, …).
using Rows = std::vector<int>;
[[nodiscard]] Rows rows_of(std::size_t lines, std::size_t header, std::size_t words);
// The row that shows a line; of a folded one the header's.
[[nodiscard]] std::size_t row_of(const Rows& rows, int line);

// The first row on top so that `row` is in the middle third of `room` rows; moves no further than
// it has to and not at all where it is there already. Both ends of the text stay at the ends of the
// panel.
[[nodiscard]] float scrolled_to(float top, std::size_t row, float room, std::size_t rows);

// Without the comment at its end.
[[nodiscard]] std::string_view code_of(std::string_view line);

enum class Token : std::uint8_t { Plain, Keyword, Type, Number, String, Comment, Directive, Call };
struct TokenAt {
  std::size_t from = 0;  // bytes
  std::size_t to = 0;
  Token token = Token::Plain;
  bool is_name = false;
};
[[nodiscard]] std::vector<TokenAt> tokens_of(std::string_view line);

// Values of a thread's variables by the line that assigned them: "6", "e = 2" at a loop.
struct LineValue {
  std::string text;
  insight::ValueRole role = insight::ValueRole::None;
};
struct ValuesQuestion {
  const narration::SourceMap& source;
  const simt::Program& program;
  const record::State& state;
  const insight::BlockSums* sums = nullptr;
  std::uint32_t block = 0;
  std::uint32_t thread = 0;
};
[[nodiscard]] std::map<int, LineValue> line_values(const ValuesQuestion& question);

}  // namespace tilestep::ui
