// The text of a source, its lines and tokens, values at their ends, finding and undoing. Pure.
#pragma once

#include "insight/trace/accumulators.h"
#include "narration/source_map.h"
#include "record/recording.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tilestep::ui {

// What the source panel shows of a kernel's text, and what is at the ends of its lines. Pure.

// Tabs as blanks, one entry a line.
[[nodiscard]] std::vector<std::string> lines_of(const std::string& source);

// For a line that is too long and shown from its end: "As[ty][tx] = ", what it sets, where that
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
// Reads the first `header` lines. A label is at the left, two blanks or more before its text;
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

// What one undo takes back in the editor: what was typed in one go, not a single character.
//
// The library counts every character as a change of its own; this knows where a stroke of them
// began. Pure: the caller has the clock.

class UndoStrokes {
 public:
  static constexpr double kOneStroke = 0.8;  // seconds from one character to the next

  void clear() { *this = {}; }

  // `changes`: how many the editor can undo now. `line`: of the caret. Other jumps than by one
  // character (pasted, replaced) are a stroke each.
  void note(std::size_t changes, std::size_t line, double now) {
    if (changes == count_) {
      return;
    }
    const bool goes_on = changes == count_ + 1 && line == line_ && now - latest_ < kOneStroke;
    if (!goes_on) {
      begins_.erase(begins_.lower_bound(count_), begins_.end());
      begins_.insert(count_);
    }
    count_ = changes;
    line_ = line;
    latest_ = now;
  }
  // To how many changes an undo goes back, and a redo forward.
  [[nodiscard]] std::size_t undo_to() const {
    const auto begin = begins_.lower_bound(count_);
    return begin == begins_.begin() ? 0 : *std::prev(begin);
  }
  [[nodiscard]] std::size_t redo_to() const {
    const auto begin = begins_.upper_bound(count_);
    return begin == begins_.end() ? static_cast<std::size_t>(-1) : *begin;
  }
  // They were carried out: what comes next is another stroke.
  void moved_to(std::size_t changes) {
    count_ = changes;
    latest_ = -kOneStroke;
  }

 private:
  std::set<std::size_t> begins_;
  std::size_t count_ = 0;
  std::size_t line_ = 0;
  double latest_ = -kOneStroke;
};

// Where a text is found in a text. Pure.

struct FindRequest {
  std::string wanted;
  bool match_case = false;
  bool whole_word = false;

  friend bool operator==(const FindRequest&, const FindRequest&) = default;
};

// Within a line.
struct FoundText {
  int line = 0;  // 1-based
  int from = 0;  // characters before it (code points, not bytes)
  int to = 0;    // behind its last

  friend bool operator==(const FoundText&, const FoundText&) = default;
};

// From top to bottom, without overlaps. Letters beyond ASCII differ by case.
[[nodiscard]] std::vector<FoundText> find_all(const std::string& text, const FindRequest& request);

// The first at or behind a place (`step` +1), or the last before it (−1), around the ends of the
// text; −1 where there are none.
[[nodiscard]] int nearest(const std::vector<FoundText>& all, int line, int character, int step);

}  // namespace tilestep::ui
