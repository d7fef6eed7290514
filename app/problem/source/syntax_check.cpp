#include "problem/source/syntax_check.h"

#include "problem/source/cuda_scanner.h"
#include "problem/tr.h"

#include <algorithm>
#include <cstddef>
#include <re2/re2.h>
#include <vector>

namespace tilestep::problem {
namespace {

constexpr std::string_view kControl[] = {"for", "while", "if", "switch"};
constexpr std::string_view kHeads[] = {"for", "while", "if", "switch", "else", "do"};
constexpr std::size_t kLongestWord = 24;  // quoted in a sentence

char closer_of(char open) {
  return open == '(' ? ')' : open == '[' ? ']' : '}';
}

class BracketCheck {
 public:
  explicit BracketCheck(std::string_view source) : source_(source), scanned_(scan_cuda(source)) {
    for (std::size_t at = 0; at < source.size(); ++at) {
      if (at == 0 || source[at - 1] == '\n') {
        line_starts_.push_back(at);
      }
    }
    for (std::size_t i = 0; i < words().size(); ++i) {
      if (i == 0 || line_of(i) != line_of(i - 1)) {
        firsts_.push_back(i);
      }
    }
  }

  std::optional<SyntaxMistake> find() {
    if (has_branches()) {
      return std::nullopt;
    }
    for (std::size_t i = 0; i < words().size(); ++i) {
      if (auto mistake = read(i)) {
        return mistake;
      }
    }
    if (open_.empty()) {
      return std::nullopt;
    }
    return sign_at(open_.back()) == '{'
               ? missing_close(open_.back())
               : mistake_at(open_.back(),
                            tr("The '{}' at line {} is not closed: a '{}' is missing.",
                               sign_at(open_.back()), line_of(open_.back()),
                               closer_of(sign_at(open_.back()))));
  }

  std::optional<SyntaxMistake> before(TextPlace found, std::string_view sign) const {
    std::size_t last = words().size();
    for (std::size_t i = 0; i < words().size(); ++i) {
      const TextPlace at = place_of(words()[i].offset);
      if (at.line > found.line || (at.line == found.line && at.column >= found.column)) {
        break;
      }
      last = i;
    }
    if (last == words().size()) {
      return std::nullopt;
    }
    return SyntaxMistake{end_of(last), tr("A '{}' is missing after `{}`.", sign,
                                          words()[last].text.substr(0, kLongestWord))};
  }

 private:
  struct Pair {
    std::size_t open = 0;
    std::size_t close = 0;
  };

  [[nodiscard]] const std::vector<CudaWord>& words() const { return scanned_.code; }
  [[nodiscard]] char sign_at(std::size_t i) const {
    return words()[i].text.size() == 1 ? words()[i].text[0] : '\0';
  }
  [[nodiscard]] TextPlace place_of(std::size_t offset) const {
    const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
    const auto line = next - line_starts_.begin();
    return {static_cast<int>(line), static_cast<int>(offset - *(next - 1)) + 1};
  }
  [[nodiscard]] int line_of(std::size_t i) const { return place_of(words()[i].offset).line; }
  [[nodiscard]] TextPlace end_of(std::size_t i) const {
    return place_of(words()[i].offset + words()[i].text.size() - 1);
  }
  // The indentation of a word's line; a tab counts as one blank.
  [[nodiscard]] int indent_of(std::size_t i) const {
    const std::size_t start = line_starts_[static_cast<std::size_t>(line_of(i)) - 1];
    const std::size_t first = source_.find_first_not_of(" \t", start);
    return static_cast<int>(first - start);
  }
  [[nodiscard]] bool is_first_of_its_line(std::size_t i) const {
    return std::ranges::binary_search(firsts_, i);
  }
  [[nodiscard]] SyntaxMistake mistake_at(std::size_t i, std::string sentence) const {
    return {place_of(words()[i].offset), std::move(sentence)};
  }
  [[nodiscard]] SyntaxMistake mistake_behind(std::size_t i, std::string sentence) const {
    return {end_of(i), std::move(sentence)};
  }

  // True if there is an #if with two branches, of which only one is compiled.
  [[nodiscard]] bool has_branches() const {
    return std::ranges::any_of(scanned_.directives, [](const std::vector<CudaWord>& words) {
      return !words.empty() && (words[0].text == "else" || words[0].text.starts_with("elif"));
    });
  }

  std::optional<SyntaxMistake> read(std::size_t i) {
    switch (sign_at(i)) {
      case '(':
      case '[':
        open_.push_back(i);
        return std::nullopt;
      case '{':
        return read_brace(i);
      case ';':
        return read_semicolon(i);
      case ')':
      case ']':
      case '}':
        return read_close(i);
      default:
        return std::nullopt;
    }
  }

  // The word before the innermost open bracket; empty: none.
  [[nodiscard]] std::string_view before_open() const {
    return open_.empty() || open_.back() == 0 ? std::string_view{} : words()[open_.back() - 1].text;
  }

  std::optional<SyntaxMistake> not_closed_before(std::size_t i) const {
    const char open = sign_at(open_.back());
    return mistake_behind(i - 1, tr("A '{}' is missing: the '{}' at line {} is not closed.",
                                    closer_of(open), open, line_of(open_.back())));
  }

  std::optional<SyntaxMistake> read_brace(std::size_t i) {
    const bool in_round = !open_.empty() && sign_at(open_.back()) == '(';
    const bool at_file_scope = open_.size() == 1;
    const bool is_lambda = i > 0 && sign_at(i - 1) == ']';
    if (in_round && !is_lambda && (is_one_of(kControl, before_open()) || at_file_scope)) {
      return not_closed_before(i);
    }
    open_.push_back(i);
    return std::nullopt;
  }

  std::optional<SyntaxMistake> read_semicolon(std::size_t i) {
    if (open_.empty() || sign_at(open_.back()) == '{') {
      return std::nullopt;
    }
    constexpr int kOfFor = 2;
    if (before_open() == "for") {
      int count = 0;
      for (std::size_t at = open_.back(); at <= i; ++at) {
        count += sign_at(at) == ';' ? 1 : 0;
      }
      if (count <= kOfFor) {
        return std::nullopt;
      }
    }
    return not_closed_before(i);
  }

  std::optional<SyntaxMistake> read_close(std::size_t i) {
    if (open_.empty() || (sign_at(i) != '}' && sign_at(open_.back()) == '{')) {
      return sign_at(i) == '}' ? missing_open(i)
                               : mistake_at(i, tr("This '{}' has no match: a '{}' is missing "
                                                  "before it, or this one is extra.",
                                                  sign_at(i), sign_at(i) == ')' ? '(' : '['));
    }
    if (closer_of(sign_at(open_.back())) != sign_at(i)) {
      return not_closed_before(i);
    }
    if (sign_at(i) == '}') {
      pairs_.push_back({open_.back(), i});
    }
    open_.pop_back();
    return std::nullopt;
  }

  // The first word of the statement that opens a brace: `for` of "for (…) {".
  [[nodiscard]] std::size_t statement_of(std::size_t brace) const {
    int depth = 0;
    std::size_t i = brace;
    for (; i > 0; --i) {
      const char c = sign_at(i - 1);
      depth += c == ')' ? 1 : c == '(' ? -1 : 0;
      if (depth == 0 && (c == ';' || c == '{' || c == '}')) {
        break;
      }
      if (depth == 0 && is_one_of(kHeads, words()[i - 1].text)) {
        return i - 1;
      }
    }
    return i;
  }

  // A '{' is left over at the end. Indentation shows where a '}' is missing: a '}' that closes a
  // statement with deeper indentation than its own was meant for another.
  [[nodiscard]] SyntaxMistake missing_close(std::size_t left_over) const {
    std::size_t open = left_over;
    for (const Pair& pair : pairs_) {
      if (is_first_of_its_line(pair.close) &&
          indent_of(pair.close) < indent_of(statement_of(pair.open))) {
        open = pair.open;
        break;
      }
    }
    const int indent = indent_of(statement_of(open));
    for (const std::size_t first : firsts_) {
      if (first > open && indent_of(first) <= indent && first > 0) {
        return mistake_behind(
            first - 1, tr("A '}}' is missing before line {}: the '{{' at line {} is not closed.",
                          line_of(first), line_of(open)));
      }
    }
    return mistake_behind(
        words().size() - 1,
        tr("A '}}' is missing at the end: the '{{' at line {} is not closed.", line_of(open)));
  }

  // A '}' is left over. A '}' that is indented deeper than the statement that it closes was meant
  // for a statement without '{'.
  [[nodiscard]] SyntaxMistake missing_open(std::size_t left_over) const {
    for (const Pair& pair : pairs_) {
      if (!is_first_of_its_line(pair.close) ||
          indent_of(pair.close) <= indent_of(statement_of(pair.open))) {
        continue;
      }
      if (const auto head = head_without_brace(pair.close)) {
        return *head;
      }
      left_over = pair.close;
      break;
    }
    if (const auto head = head_without_brace(left_over)) {
      return *head;
    }
    return mistake_at(
        left_over,
        tr("This '{}' has no match: a '{}' is missing before it, or this one is extra.", '}', '{'));
  }

  // The statement head above a '}' at the same indentation.
  [[nodiscard]] std::optional<SyntaxMistake> head_without_brace(std::size_t close) const {
    for (auto first = firsts_.rbegin(); first != firsts_.rend(); ++first) {
      if (*first >= close || indent_of(*first) != indent_of(close)) {
        continue;
      }
      std::size_t last = *first;
      while (last + 1 < words().size() && line_of(last + 1) == line_of(*first)) {
        ++last;
      }
      const bool is_head =
          is_one_of(kHeads, words()[*first].text) || words()[*first].text.starts_with("__global__");
      if (is_head && sign_at(last) != '{' && sign_at(last) != ';') {
        return mistake_behind(last, tr("A '{{' is missing at the end of line {}.", line_of(last)));
      }
      return std::nullopt;
    }
    return std::nullopt;
  }

  std::string_view source_;
  CudaWords scanned_;
  std::vector<std::size_t> line_starts_;
  std::vector<std::size_t> firsts_;  // words that begin a line
  std::vector<std::size_t> open_;    // open brackets
  std::vector<Pair> pairs_;          // of braces, in the order of closing
};

// "__syncthreads()", "__syncwarp(mask)", "tile.sync()"; the text is one group.
constexpr const char* kCall = R"(((?:__syncthreads|__syncwarp|[A-Za-z_]\w*\.sync)\s*\([^()]*\)))";

struct Parts {
  std::string before;
  std::string call;
  std::string after;
};

// A line of code that calls a barrier; the call is not in a comment.
std::optional<Parts> on_parts(std::string_view line) {
  static const RE2 pattern(std::string(R"(^((?:[^/]|/[^/*])*?))") + kCall + R"(\s*;(.*)$)");
  Parts parts;
  return RE2::FullMatch(line, pattern, &parts.before, &parts.call, &parts.after)
             ? std::optional(parts)
             : std::nullopt;
}

std::optional<Parts> off_parts(std::string_view line) {
  static const RE2 pattern(std::string(R"(^(.*?)//\s*(?:off|missing):\s*)") + kCall + "(.*)$");
  Parts parts;
  return RE2::FullMatch(line, pattern, &parts.before, &parts.call, &parts.after)
             ? std::optional(parts)
             : std::nullopt;
}

std::string toggled(const std::string& line) {
  if (const auto on = on_parts(line)) {
    return on->before + "// off: " + on->call + ";" + on->after;
  }
  Parts off = *off_parts(line);
  // The explanation of why it is missing stays as a comment of its own.
  const std::size_t words = off.after.find_first_not_of(" \t;,.");
  const bool is_comment = words != std::string::npos && off.after.compare(words, 2, "//") == 0;
  const std::string rest = words == std::string::npos ? ""
                           : is_comment               ? "  " + off.after.substr(words)
                                                      : "  // " + off.after.substr(words);
  return off.before + off.call + ";" + rest;
}

// [from, to) of a line without its end; nullopt if there is no such line.
struct LineRange {
  std::size_t from = 0;
  std::size_t to = 0;
};
std::optional<LineRange> line_range(std::string_view text, int line) {
  std::size_t from = 0;
  for (int i = 1; i < line; ++i) {
    const std::size_t end = text.find('\n', from);
    if (end == std::string_view::npos) {
      return std::nullopt;
    }
    from = end + 1;
  }
  return line < 1 ? std::nullopt
                  : std::optional(LineRange{from, std::min(text.find('\n', from), text.size())});
}

}  // namespace

std::optional<SyntaxMistake> bracket_mistake(std::string_view source) {
  return BracketCheck(source).find();
}

std::optional<SyntaxMistake> missing_sign(std::string_view source, TextPlace found,
                                          std::string_view sign) {
  return BracketCheck(source).before(found, sign);
}

BarrierLine barrier_of(std::string_view line) {
  if (line.find("sync") == std::string_view::npos) {
    return BarrierLine::None;  // called for every line on screen
  }
  return on_parts(line) ? BarrierLine::On : off_parts(line) ? BarrierLine::Off : BarrierLine::None;
}

std::optional<std::string> toggle_barrier(std::string_view text, int line) {
  const auto range = line_range(text, line);
  if (!range) {
    return std::nullopt;
  }
  const std::string old(text.substr(range->from, range->to - range->from));
  if (barrier_of(old) == BarrierLine::None) {
    return std::nullopt;
  }
  return std::string(text.substr(0, range->from)) + toggled(old) +
         std::string(text.substr(range->to));
}

int next_barrier_line(std::string_view text, int from) {
  for (int line = std::max(from, 1);; ++line) {
    const auto range = line_range(text, line);
    if (!range) {
      return 0;
    }
    if (barrier_of(text.substr(range->from, range->to - range->from)) == BarrierLine::On) {
      return line;
    }
  }
}

}  // namespace tilestep::problem
