// The text of a source: its lines and tokens, values at their ends, finding and undoing. Pure.
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

// The lines of a kernel's text in the source panel, and the values at their ends. Pure.

// One entry per line, with tabs as blanks.
[[nodiscard]] std::vector<std::string> lines_of(const std::string& source);

// Length of "As[ty][tx] = ", for a line that is too long and shown from its end, if it takes at
// most half of the columns; else 0.
[[nodiscard]] std::size_t stored_part(std::string_view code, std::size_t columns);

// Where the rows of a line begin if each has room for so many characters: at 0, then after blanks;
// the further rows are indented by kHang characters more than the line.
inline constexpr std::size_t kHang = 4;
[[nodiscard]] std::vector<std::size_t> row_starts(std::string_view code, std::size_t columns);

// The lines, from 1, with code that a question quotes: between backticks, six characters or more.
[[nodiscard]] std::set<int> quoted_lines(const std::vector<std::string>& lines,
                                         std::string_view question);

// Lines of the comment at a file's beginning; 0 if there is none, or only one line.
[[nodiscard]] std::size_t header_lines(const std::vector<std::string>& lines);

// An entry of the header: "The idea" and its text. The label may be empty.
struct HeaderEntry {
  std::string label;
  std::string text;

  friend bool operator==(const HeaderEntry&, const HeaderEntry&) = default;
};
// Reads the first `header` lines. A label is at the left, two blanks or more before its text;
// indented lines continue the entry.
[[nodiscard]] std::vector<HeaderEntry> header_entries(const std::vector<std::string>& lines,
                                                      std::size_t header);

// A row of the panel: a line of the text (1-based), the header's bar (0), or a row of the unfolded
// header (−1, −2, …).
using Rows = std::vector<int>;
[[nodiscard]] Rows rows_of(std::size_t lines, std::size_t header, std::size_t words);
// The row of a line; the header's row for a folded line.
[[nodiscard]] std::size_t row_of(const Rows& rows, int line);

// The first visible row so that `row` is in the middle third of `room` rows; scrolls as little as
// possible, and not if it is there already. The ends of the text stay at the ends of the panel.
[[nodiscard]] float scrolled_to(float top, std::size_t row, float room, std::size_t rows);

// The line without its trailing comment.
[[nodiscard]] std::string_view code_of(std::string_view line);

enum class Token : std::uint8_t { Plain, Keyword, Type, Number, String, Comment, Directive, Call };
struct TokenAt {
  std::size_t from = 0;  // bytes
  std::size_t to = 0;
  Token token = Token::Plain;
  bool is_name = false;
};
[[nodiscard]] std::vector<TokenAt> tokens_of(std::string_view line);
// The word at a column of a line; empty if there is none.
[[nodiscard]] std::string word_at(const std::string& line, float column);

// Values of a thread's variables by the line that assigned them: "6", "e = 2" at a loop.
struct LineValue {
  std::string text;
  insight::ValueRole role = insight::ValueRole::None;
};
// The thread and the state whose values are shown.
struct ValuesQuestion {
  const narration::SourceMap& source;
  const simt::Program& program;
  const record::State& state;
  const insight::BlockSums* sums = nullptr;
  std::uint32_t block = 0;
  std::uint32_t thread = 0;
};
[[nodiscard]] std::map<int, LineValue> line_values(const ValuesQuestion& question);

// Groups characters into undo steps: one undo takes back what was typed in one go.
//
// The library counts every character as a change of its own; this class remembers where a stroke
// began. Pure: the caller has the clock.

class UndoStrokes {
 public:
  static constexpr double kOneStroke = 0.8;  // maximum seconds between two characters

  void clear() { *this = {}; }

  // `changes`: the current number of undoable changes. `line`: of the caret. A change that moves it
  // by more than one character (paste, replace) is a stroke of its own.
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
  // The number of changes after an undo, and after a redo.
  [[nodiscard]] std::size_t undo_to() const {
    const auto begin = begins_.lower_bound(count_);
    return begin == begins_.begin() ? 0 : *std::prev(begin);
  }
  [[nodiscard]] std::size_t redo_to() const {
    const auto begin = begins_.upper_bound(count_);
    return begin == begins_.end() ? static_cast<std::size_t>(-1) : *begin;
  }
  // The undo or redo was executed: the next change begins a stroke.
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

// Finds a text in a text. Pure.

// A search text and its options.
struct FindRequest {
  std::string wanted;
  bool match_case = false;
  bool whole_word = false;

  friend bool operator==(const FindRequest&, const FindRequest&) = default;
};

// A match within a line.
struct FoundText {
  int line = 0;  // 1-based
  int from = 0;  // characters before it (code points, not bytes)
  int to = 0;    // after its last character

  friend bool operator==(const FoundText&, const FoundText&) = default;
};

// Matches from top to bottom, without overlaps. Letters beyond ASCII are case-sensitive.
[[nodiscard]] std::vector<FoundText> find_all(const std::string& text, const FindRequest& request);

// The first match at or after a position (`step` +1), or the last before it (−1), wrapping around
// the text's ends; −1 if there is none.
[[nodiscard]] int nearest(const std::vector<FoundText>& all, int line, int character, int step);

}  // namespace tilestep::ui
