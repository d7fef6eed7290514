#include "ui/source/source_lines.h"

#include "problem/text.h"
#include "ui/inspector/pages.h"
#include "ui/number_text.h"
#include "ui/source/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

namespace tilestep::ui {
namespace {

constexpr std::size_t kTab = 2;
constexpr std::size_t kLongestValue = 12;

// Words separated by blanks.
constexpr std::string_view kKeywords =
    " __global__ __device__ __host__ __shared__ __constant__ __restrict__ alignas auto break "
    "case const constexpr continue default do else enum extern false for if inline namespace "
    "return sizeof static struct switch template true typename using volatile while "
    "static_assert nullptr __launch_bounds__ __forceinline__ static_cast reinterpret_cast ";
constexpr std::string_view kTypes =
    " bool char double float float2 float4 int int2 int4 long short unsigned void size_t half "
    "__half dim3 ";

bool has_word(std::string_view words, std::string_view word) {
  return words.find(fmt::format(" {} ", word)) != std::string_view::npos;
}

bool is_name_start(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

// The end of a string or character constant that begins at `from`.
std::size_t end_of_string(std::string_view line, std::size_t from) {
  std::size_t to = from + 1;
  while (to < line.size() && line[to] != line[from]) {
    to += line[to] == '\\' ? 2 : 1;
  }
  return std::min(to + 1, line.size());
}

Token word_token(std::string_view line, std::size_t from, std::size_t to) {
  const std::string_view word = line.substr(from, to - from);
  if (has_word(kKeywords, word)) {
    return Token::Keyword;
  }
  if (has_word(kTypes, word)) {
    return Token::Type;
  }
  const std::size_t next = line.find_first_not_of(' ', to);
  return next != std::string_view::npos && line[next] == '(' ? Token::Call : Token::Plain;
}

// A value that is readable at a glance: a number, true or false.
bool is_short(const std::string& text) {
  return !text.empty() && text.size() <= kLongestValue && text.find("0x") == std::string::npos &&
         (std::isdigit(static_cast<unsigned char>(text[0])) != 0 || text[0] == '-' ||
          text == "true" || text == "false" || text == "nan");
}

// A comment line without "//", "/*", "*/" or " * ".
std::string_view without_marker(std::string_view line) {
  const std::size_t first = line.find_first_not_of(' ');
  if (first == std::string_view::npos) {
    return {};
  }
  line.remove_prefix(first);
  for (const std::string_view marker : {"//", "/**", "/*", "*/", "*"}) {
    if (line.starts_with(marker)) {
      line.remove_prefix(marker.size());
      break;
    }
  }
  if (line.ends_with("*/")) {
    line.remove_suffix(2);
  }
  if (line.starts_with(' ')) {
    line.remove_prefix(1);
  }
  return line;
}

class LineValues {
 public:
  explicit LineValues(const ValuesQuestion& question) : q_(question) {
    line_ = q_.state.line(q_.block, q_.thread);
    for (record::NamedValue& variable : q_.state.variables(q_.block, q_.thread)) {
      using Status = record::Value::Status;
      if (variable.value.status == Status::Ok || variable.value.status == Status::ThreadExited) {
        texts_[variable.name] = value_text(q_.program, variable.value);
      }
    }
  }

  std::map<int, LineValue> find() {
    const auto& statements = q_.source.statements();
    for (const bool declares : {true, false}) {
      for (std::size_t i = 0; i < statements.size(); ++i) {
        if (is_visible(static_cast<int>(i))) {
          for (const narration::Assignment& assignment : statements[i].assignments) {
            take(assignment, statements[i].kind == narration::StatementKind::For, declares);
          }
        }
      }
    }
    return std::move(found_);
  }

 private:
  // Names have their meaning at the thread's line. An exited thread keeps its values.
  [[nodiscard]] bool is_visible(int statement) const {
    if (line_ == 0) {
      return true;
    }
    const narration::SourceStatement& s = q_.source[statement];
    const int scope = s.kind == narration::StatementKind::For ? statement : s.parent;
    return scope == narration::kNoStatement || q_.source.contains(scope, line_);
  }

  void take(const narration::Assignment& assignment, bool is_loop, bool declares) {
    const std::string& name = assignment.target.text;
    const auto text = texts_.find(name);
    if (assignment.declares != declares || !assignment.target.is(narration::Form::Name) ||
        text == texts_.end() || !is_short(text->second) || !done_.insert(name).second) {
      return;
    }
    LineValue& value = found_[static_cast<int>(assignment.line)];
    const std::string number = with_minus(text->second);
    value.text += value.text.empty() ? "" : "  ";
    value.text += is_loop ? fmt::format("{} = {}", name, number) : number;
    value.role = q_.sums != nullptr ? q_.sums->role_of(name) : insight::ValueRole::None;
  }

  const ValuesQuestion& q_;
  std::uint32_t line_ = 0;
  std::map<std::string, std::string> texts_;
  std::set<std::string> done_;
  std::map<int, LineValue> found_;
};

bool is_of_a_word(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) != 0 || c == '_' || byte >= 0x80;
}

int characters(std::string_view bytes) {
  return static_cast<int>(std::ranges::count_if(
      bytes, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

void find_in_line(const std::string& line, const std::string& wanted, const FindRequest& request,
                  int number, std::vector<FoundText>& found) {
  for (std::size_t at = line.find(wanted); at != std::string::npos;) {
    const std::size_t end = at + wanted.size();
    const bool is_word = (at == 0 || !is_of_a_word(line[at - 1])) &&
                         (end == line.size() || !is_of_a_word(line[end]));
    if (!request.whole_word || is_word) {
      const int from = characters(std::string_view(line).substr(0, at));
      found.push_back({number, from, from + characters(wanted)});
      at = line.find(wanted, end);
    } else {
      at = line.find(wanted, at + 1);
    }
  }
}

}  // namespace

std::vector<std::string> lines_of(const std::string& source) {
  std::vector<std::string> lines(1);
  for (const char c : source) {
    if (c == '\n') {
      lines.emplace_back();
    } else if (c == '\t') {
      lines.back().append(kTab - lines.back().size() % kTab, ' ');
    } else if (c != '\r') {
      lines.back() += c;
    }
  }
  if (lines.size() > 1 && lines.back().empty()) {
    lines.pop_back();
  }
  return lines;
}

std::size_t stored_part(std::string_view code, std::size_t columns) {
  const std::size_t end = std::min(code.find("= "), code.size()) + 2;
  // "acc += …" has less information than what is added.
  const bool is_set = end < code.size() && (code.find('[') < end || code[end - 3] == ' ');
  return is_set && 2 * end <= columns ? end : 0;
}

std::vector<std::size_t> row_starts(std::string_view code, std::size_t columns) {
  std::vector<std::size_t> starts{0};
  const std::size_t indent = std::min(code.find_first_not_of(' '), code.size());
  const std::size_t hang = indent + kHang;
  if (columns <= hang + kHang) {
    return starts;
  }
  for (std::size_t room = columns; code.size() - starts.back() > room; room = columns - hang) {
    const std::size_t from = starts.back();
    const std::size_t blank = code.rfind(' ', from + room);
    const bool has_blank = blank != std::string_view::npos && blank > std::max(from, indent);
    starts.push_back(has_blank ? blank + 1 : from + room);
  }
  return starts;
}

std::set<int> quoted_lines(const std::vector<std::string>& lines, std::string_view question) {
  constexpr std::size_t kShortest = 6;
  std::set<int> quoted;
  for (std::size_t from = question.find('`'); from != std::string_view::npos;) {
    const std::size_t to = question.find('`', from + 1);
    if (to == std::string_view::npos) {
      break;
    }
    const std::string_view code = question.substr(from + 1, to - from - 1);
    for (std::size_t i = 0; code.size() >= kShortest && i < lines.size(); ++i) {
      if (code_of(lines[i]).find(code) != std::string_view::npos) {
        quoted.insert(static_cast<int>(i) + 1);
      }
    }
    from = question.find('`', to + 1);
  }
  return quoted;
}

std::size_t header_lines(const std::vector<std::string>& lines) {
  std::size_t header = 0;
  bool in_block = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    const std::size_t first = line.find_first_not_of(' ');
    const std::string_view text = line.substr(std::min(first, line.size()));
    const bool begins_block = text.starts_with("/*");
    if (!in_block && !begins_block && !text.starts_with("//") && !is_blank(line)) {
      break;
    }
    in_block = (in_block || begins_block) && text.find("*/") == std::string_view::npos;
    if (!is_blank(line)) {
      header = i + 1;
    }
  }
  return header > 1 && header < lines.size() ? header : 0;
}

std::vector<HeaderEntry> header_entries(const std::vector<std::string>& lines, std::size_t header) {
  std::vector<HeaderEntry> entries;
  bool goes_on = false;
  for (std::size_t i = 0; i < header; ++i) {
    const std::string_view words = without_marker(lines[i]);
    const std::size_t first = words.find_first_not_of(' ');
    if (first == std::string_view::npos) {
      goes_on = false;
      continue;
    }
    const std::string_view text = words.substr(first, words.find_last_not_of(' ') + 1 - first);
    const std::size_t gap = text.find("  ");
    const bool has_label = gap != std::string_view::npos;
    if (goes_on && (first > 0 || (!has_label && entries.back().label.empty()))) {
      entries.back().text += " " + std::string(text);
    } else if (has_label) {
      entries.push_back({std::string(text.substr(0, gap)),
                         std::string(text.substr(text.find_first_not_of(' ', gap)))});
    } else {
      entries.push_back({"", std::string(text)});
    }
    goes_on = true;
  }
  return entries;
}

Rows rows_of(std::size_t lines, std::size_t header, std::size_t words) {
  Rows rows;
  if (header > 0) {
    rows.push_back(0);
  }
  for (std::size_t i = 0; i < words; ++i) {
    rows.push_back(-1 - static_cast<int>(i));
  }
  for (std::size_t i = header; i < lines; ++i) {
    rows.push_back(static_cast<int>(i) + 1);
  }
  return rows;
}

std::size_t row_of(const Rows& rows, int line) {
  const auto found = std::find(rows.begin(), rows.end(), line);
  return found == rows.end() ? 0 : static_cast<std::size_t>(found - rows.begin());
}

float scrolled_to(float top, std::size_t row, float room, std::size_t rows) {
  const auto at = static_cast<float>(row);
  const float last = std::max(0.0F, static_cast<float>(rows) - std::floor(room));
  if (at < top + std::floor(room / 3.0F) || at + 1.0F > top + std::ceil(2.0F * room / 3.0F)) {
    top = std::round(at + 0.5F - 0.5F * room);
  }
  return std::clamp(top, 0.0F, last);
}

std::string_view code_of(std::string_view line) {
  for (const TokenAt& token : tokens_of(line)) {
    if (token.token == Token::Comment) {
      line = line.substr(0, token.from);
      break;
    }
  }
  const std::size_t last = line.find_last_not_of(' ');
  return line.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

std::vector<TokenAt> tokens_of(std::string_view line) {
  std::vector<TokenAt> tokens;
  std::size_t at = line.find_first_not_of(' ');
  if (at == std::string_view::npos) {
    return tokens;
  }
  const bool is_directive = line[at] == '#';
  while (at < line.size()) {
    std::size_t to = at + 1;
    TokenAt token{at, to, is_directive ? Token::Directive : Token::Plain, false};
    const char c = line[at];
    if (line.substr(at).starts_with("//") || line.substr(at).starts_with("/*") ||
        line.substr(at).starts_with("*/") ||
        (tokens.empty() && line.substr(at).starts_with("* "))) {
      const std::size_t end = c == '/' && line[at + 1] == '*' ? line.find("*/", at) : line.npos;
      to = end == line.npos ? line.size() : end + 2;
      token.token = Token::Comment;
    } else if (c == '"' || c == '\'') {
      to = end_of_string(line, at);
      token.token = Token::String;
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      while (to < line.size() && (is_name_part(line[to]) || line[to] == '.')) {
        ++to;
      }
      token.token = is_directive ? Token::Directive : Token::Number;
    } else if (is_name_start(c)) {
      while (to < line.size() && is_name_part(line[to])) {
        ++to;
      }
      token.token = is_directive ? Token::Directive : word_token(line, at, to);
      token.is_name = token.token == Token::Plain;
    }
    token.to = to;
    tokens.push_back(token);
    at = to;
  }
  return tokens;
}

std::map<int, LineValue> line_values(const ValuesQuestion& question) {
  return LineValues(question).find();
}

void refresh_text(const std::string& text, CodeMemory& memory) {
  if (memory.source != nullptr && memory.text == text) {
    return;
  }
  memory = {};
  memory.text = text;
  memory.lines = lines_of(text);
  memory.header = header_lines(memory.lines);
  for (const std::string& line : memory.lines) {
    memory.tokens.push_back(tokens_of(line));
    memory.code.push_back(code_of(line).size());
    memory.barriers.push_back(problem::barrier_of(line));
    memory.has_barriers =
        memory.has_barriers || memory.barriers.back() != problem::BarrierLine::None;
  }
  memory.source = std::make_unique<narration::SourceMap>(text);
}

void refresh_values(const Context& context, CodeMemory& memory) {
  if (context.view.run.state == nullptr || context.view.run.scene == nullptr) {
    memory.values.clear();
    memory.roles.reset();
    return;
  }
  const state::Focus& focus = context.state.focus;
  FrameKey key = frame_key(context);
  if (memory.key == key) {
    return;
  }
  memory.key = std::move(key);
  const record::Recording& recording = *context.view.run.scene->recording;
  memory.roles =
      std::make_unique<narration::Roles>(recording, context.view.run.sums.get(), *memory.source);
  memory.values = line_values({.source = *memory.source,
                               .program = recording.program(),
                               .state = *context.view.run.state,
                               .sums = context.view.run.sums.get(),
                               .block = focus.block,
                               .thread = focus.thread});
  if (hides_run(context)) {
    memory.values.clear();
  }
  for (auto& [line, value] : memory.values) {
    value.text = masked(context, std::move(value.text));
  }
}

std::vector<FoundText> find_all(const std::string& text, const FindRequest& request) {
  std::vector<FoundText> found;
  if (request.wanted.empty()) {
    return found;
  }
  const std::string wanted = request.match_case ? request.wanted : lower(request.wanted);
  int number = 1;
  for (std::size_t begin = 0; begin <= text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    find_in_line(request.match_case ? std::string(line) : lower(std::string(line)), wanted, request,
                 number, found);
    begin = end + 1;
  }
  return found;
}

int nearest(const std::vector<FoundText>& all, int line, int character, int step) {
  if (all.empty()) {
    return -1;
  }
  const auto next = std::ranges::lower_bound(
      all, std::pair(line, character), {},
      [](const FoundText& found) { return std::pair(found.line, found.from); });
  const auto count = static_cast<int>(all.size());
  const auto index = static_cast<int>(next - all.begin());
  return step > 0 ? index % count : (index - 1 + count) % count;
}

std::string word_at(const std::string& line, float column) {
  for (const TokenAt& token : tokens_of(line)) {
    const bool is_word = token.token != Token::Comment && token.token != Token::String &&
                         is_name_start(line[token.from]);
    if (is_word && column >= static_cast<float>(token.from) &&
        column < static_cast<float>(token.to)) {
      return line.substr(token.from, token.to - token.from);
    }
  }
  return {};
}

}  // namespace tilestep::ui
