#include "narration/source_map.h"

#include "problem/source/cuda_text.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace tilestep::narration {

// Splits the words into statements. Every step takes at least one word, so it terminates for any
// text.
class SourceReader {
 public:
  SourceReader(SourceMap& map, std::vector<Token> tokens) : map_(map), tokens_(std::move(tokens)) {}

  void read() {
    while (at_ < tokens_.size()) {
      top_level();
    }
  }

 private:
  static constexpr int kMaxDepth = 100;

  [[nodiscard]] const std::string& word(std::size_t i) const {
    static const std::string none;
    return i < tokens_.size() ? tokens_[i].text : none;
  }
  [[nodiscard]] std::uint32_t line(std::size_t i) const {
    return tokens_.empty() ? 0 : tokens_[std::min(i, tokens_.size() - 1)].line;
  }

  // The place after the bracket that closes the one at `open`.
  [[nodiscard]] std::size_t after_bracket(std::size_t open) const {
    int depth = 0;
    for (std::size_t i = open; i < tokens_.size(); ++i) {
      const std::string& w = word(i);
      depth += w == "(" || w == "[" || w == "{" ? 1 : w == ")" || w == "]" || w == "}" ? -1 : 0;
      if (depth == 0) {
        return i + 1;
      }
    }
    return tokens_.size();
  }

  // A function's body follows its brackets; everything else outside functions is skipped.
  void top_level() {
    if (word(at_) != "{") {
      last_bracket_ = word(at_) == "(" ? open_bracket() : last_bracket_;
      at_ = word(at_) == "(" ? after_bracket(at_) : at_ + 1;
      return;
    }
    const bool after_parameters = at_ > 0 && (word(at_ - 1) == ")" || word(at_ - 1) == "const" ||
                                              word(at_ - 1) == "noexcept");
    if (after_parameters && last_bracket_ > 0) {
      SourceStatement function;
      function.kind = StatementKind::Function;
      function.name = word(last_bracket_ - 1);
      function.first_line = line(last_bracket_ - 1);
      function.last_line = line(at_);
      function.parameters = parameters(last_bracket_);
      block(add(std::move(function)), 0);
      return;
    }
    ++at_;  // body of a struct or namespace: its functions are found like others
  }
  // "__launch_bounds__(…) name(…)": the last one before the body is the parameters'.
  [[nodiscard]] std::size_t open_bracket() const { return at_; }

  // The last word of each parameter.
  [[nodiscard]] std::vector<std::string> parameters(std::size_t open) const {
    std::vector<std::string> names;
    for (const auto& [from, to] : ranges(open + 1, after_bracket(open) - 1)) {
      if (to > from && problem::is_identifier(word(to - 1))) {
        names.push_back(word(to - 1));
      }
    }
    return names;
  }

  int add(SourceStatement statement) {
    statement.end_line = std::max(statement.end_line, statement.last_line);
    map_.statements_.push_back(std::move(statement));
    return static_cast<int>(map_.statements_.size()) - 1;
  }
  SourceStatement& get(int i) { return map_.statements_[static_cast<std::size_t>(i)]; }

  // At "{".
  void block(int parent, int depth, bool in_else = false) {
    ++at_;
    while (at_ < tokens_.size() && word(at_) != "}") {
      statement(parent, depth + 1, in_else);
    }
    get(parent).end_line = std::max(get(parent).end_line, line(at_));
    ++at_;
  }

  void body(int parent, int depth, bool in_else = false) {
    if (word(at_) == "{") {
      block(parent, depth, in_else);
    } else {
      const std::size_t before = map_.statements_.size();
      statement(parent, depth + 1, in_else);
      for (std::size_t i = before; i < map_.statements_.size(); ++i) {
        get(parent).end_line = std::max(get(parent).end_line, map_.statements_[i].end_line);
      }
    }
  }

  void statement(int parent, int depth, bool in_else) {
    const std::string& first = word(at_);
    if (depth > kMaxDepth) {
      at_ = tokens_.size();
    } else if (first == "{") {
      SourceStatement s;
      s.kind = StatementKind::Block;
      s.parent = parent;
      s.in_else = in_else;
      s.first_line = s.last_line = 0;
      const int index = add(std::move(s));
      block(index, depth);
    } else if (first == "for" || first == "while" || first == "if") {
      headed(parent, depth, in_else);
    } else if (first == "do") {
      ++at_;
      body(parent, depth, in_else);
    } else if (first == "else") {
      ++at_;
    } else if (first == "return") {
      const std::size_t end = end_of_simple(at_);
      SourceStatement s = located(StatementKind::Return, parent, in_else, at_, end);
      s.condition = parse(at_ + 1, end);
      add(std::move(s));
      at_ = end + 1;
    } else {
      simple(parent, depth, in_else);
    }
  }

  SourceStatement located(StatementKind kind, int parent, bool in_else, std::size_t begin,
                          std::size_t end) const {
    SourceStatement s;
    s.kind = kind;
    s.parent = parent;
    s.in_else = in_else;
    s.first_line = line(begin);
    s.last_line = line(end == begin ? begin : end - 1);
    return s;
  }

  void headed(int parent, int depth, bool in_else) {
    const std::string first = word(at_);
    const std::size_t begin = at_;
    std::size_t open = at_ + 1;
    open += word(open) == "constexpr" ? 1 : 0;
    if (word(open) != "(") {
      ++at_;
      return;
    }
    const std::size_t end = after_bracket(open);
    SourceStatement s = located(first == "for"     ? StatementKind::For
                                : first == "while" ? StatementKind::While
                                                   : StatementKind::If,
                                parent, in_else, begin, end);
    if (first == "for") {
      for_head(s, open + 1, end - 1);
    } else {
      s.condition = parse(open + 1, end - 1);
      s.written = written(open + 1, end - 1);
    }
    at_ = end;
    const int index = add(std::move(s));
    body(index, depth);
    if (first == "if" && word(at_) == "else") {
      ++at_;
      body(index, depth, true);
    }
  }

  void for_head(SourceStatement& s, std::size_t begin, std::size_t end) {
    const std::vector<std::size_t> parts = split(begin, end, ";");
    if (parts.size() != 4) {
      return;
    }
    s.assignments = assignments(parts[0], parts[1] - 1);
    s.condition = parse(parts[1], parts[2] - 1);
    s.written = written(parts[1], parts[2] - 1);
    for (const auto& [from, to] : ranges(parts[2], end)) {
      if (auto a = assignment(from, to)) {
        s.steps.push_back(std::move(*a));
      }
    }
  }

  // Starts of the parts between `separator`s outside brackets, and one past the end.
  [[nodiscard]] std::vector<std::size_t> split(std::size_t begin, std::size_t end,
                                               std::string_view separator) const {
    std::vector<std::size_t> starts{begin};
    for (std::size_t i = begin; i < end;) {
      if (word(i) == "(" || word(i) == "[" || word(i) == "{") {
        i = after_bracket(i);
        continue;
      }
      if (word(i) == separator) {
        starts.push_back(i + 1);
      }
      ++i;
    }
    starts.push_back(end + 1);
    return starts;
  }
  [[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> ranges(std::size_t begin,
                                                                        std::size_t end) const {
    const std::vector<std::size_t> starts = split(begin, end, ",");
    std::vector<std::pair<std::size_t, std::size_t>> all;
    for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
      all.emplace_back(starts[i], starts[i + 1] - 1);
    }
    return all;
  }

  // The ";" that ends a simple statement, or the "}" that cuts it short.
  [[nodiscard]] std::size_t end_of_simple(std::size_t begin) const {
    std::size_t i = begin;
    while (i < tokens_.size() && word(i) != ";" && word(i) != "}") {
      i = word(i) == "(" || word(i) == "[" || word(i) == "{" ? after_bracket(i) : i + 1;
    }
    return i;
  }

  // "auto copy = [&](int tile) { … };": the lambda's statements form a function of that name.
  bool lambda(int parent, int depth, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i + 1 < end; ++i) {
      if (word(i) != "=" || word(i + 1) != "[") {
        continue;
      }
      const std::size_t parameters_at = after_bracket(i + 1);
      const std::size_t open =
          word(parameters_at) == "(" ? after_bracket(parameters_at) : parameters_at;
      if (word(open) != "{" || open >= end || i == begin) {
        return false;
      }
      SourceStatement s = located(StatementKind::Function, parent, false, begin, open);
      s.name = word(i - 1);
      s.parameters =
          word(parameters_at) == "(" ? parameters(parameters_at) : std::vector<std::string>{};
      const int index = add(std::move(s));
      at_ = open;
      block(index, depth);
      at_ = std::max(at_, end + 1);
      return true;
    }
    return false;
  }

  void simple(int parent, int depth, bool in_else) {
    const std::size_t begin = at_;
    const std::size_t end = end_of_simple(begin);
    if (lambda(parent, depth, begin, end)) {
      return;
    }
    SourceStatement s = located(StatementKind::Simple, parent, in_else, begin, end);
    s.assignments = assignments(begin, end);
    if (s.assignments.empty()) {
      for (const auto& [from, to] : ranges(begin, end)) {
        if (auto e = parse(from, to)) {
          s.others.push_back(std::move(*e));
        }
      }
    }
    if (end > begin) {
      add(std::move(s));
    }
    at_ = std::max(end + (word(end) == "}" ? 0 : 1), begin + 1);
  }

  [[nodiscard]] std::optional<Expression> parse(std::size_t begin, std::size_t end) const {
    end = std::min(end, tokens_.size());
    return begin < end ? parse_expression(Tokens(tokens_).subspan(begin, end - begin))
                       : std::nullopt;
  }

  // The text with a blank between two words, except around operators that bind them.
  [[nodiscard]] std::string written(std::size_t begin, std::size_t end) const {
    const auto is_one_of = [](const std::string& token, std::initializer_list<const char*> set) {
      return std::ranges::find(set, token) != set.end();
    };
    std::string text;
    for (std::size_t i = begin; i < std::min(end, tokens_.size()); ++i) {
      const bool joins = i == begin ||
                         is_one_of(tokens_[i - 1].text, {"(", "[", ".", "->", "::", "!"}) ||
                         is_one_of(tokens_[i].text, {"(", ")", "[", "]", ".", "->", "::", ","});
      text += (joins ? "" : " ") + tokens_[i].text;
    }
    return text;
  }

  // "int a = 1, b = 2", "acc += x", "++i".
  [[nodiscard]] std::vector<Assignment> assignments(std::size_t begin, std::size_t end) const {
    std::vector<Assignment> all;
    bool declares = false;
    for (const auto& [from, to] : ranges(begin, end)) {
      std::optional<Assignment> a = assignment(from, to);
      if (!a) {
        continue;
      }
      declares = declares || a->declares;
      a->declares = declares;
      all.push_back(std::move(*a));
    }
    return all;
  }

  [[nodiscard]] std::optional<Assignment> assignment(std::size_t begin, std::size_t end) const {
    static constexpr std::array<std::string_view, 11> kOps{
        "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
    Assignment a;
    a.line = line(begin);
    if (end > begin + 1 && (word(begin) == "++" || word(begin) == "--")) {
      return counter(a, word(begin), begin + 1, end);
    }
    if (end > begin + 1 && (word(end - 1) == "++" || word(end - 1) == "--")) {
      return counter(a, word(end - 1), begin, end - 1);
    }
    for (std::size_t i = begin; i < end;) {
      if (std::ranges::find(kOps, word(i)) != kOps.end()) {
        a.op = word(i);
        return with_target(std::move(a), begin, i, end);
      }
      i = word(i) == "(" || word(i) == "[" || word(i) == "{" ? after_bracket(i) : i + 1;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Assignment> counter(Assignment a, const std::string& op,
                                                  std::size_t begin, std::size_t end) const {
    std::optional<Expression> target = parse(begin, end);
    if (!target) {
      return std::nullopt;
    }
    a.op = op;
    a.target = std::move(*target);
    return a;
  }

  [[nodiscard]] std::optional<Assignment> with_target(Assignment a, std::size_t begin,
                                                      std::size_t op, std::size_t end) const {
    a.value = parse(op + 1, end);
    if (std::optional<Expression> target = parse(begin, op);
        target && !target->is(Form::Binary) && !target->is(Form::Integer)) {
      a.target = std::move(*target);
      return a;
    }
    // A declaration: the name is the last word before any "[".
    std::size_t name = op;
    for (std::size_t i = begin; i < op; ++i) {
      if (word(i) == "[" && i > begin) {
        name = i;
        break;
      }
    }
    if (name <= begin || !problem::is_identifier(word(name - 1))) {
      return std::nullopt;
    }
    a.declares = true;
    a.target.kind = Form::Name;
    a.target.text = word(name - 1);
    return a;
  }

  SourceMap& map_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::size_t last_bracket_ = 0;
};

SourceMap::SourceMap(const std::string& source) {
  SourceReader(*this, tokens_of(source)).read();
  for (std::size_t i = 0; i < statements_.size(); ++i) {
    const SourceStatement& s = statements_[i];
    if (s.kind == StatementKind::Block) {
      continue;
    }
    for (std::uint32_t line = s.first_line; line <= s.last_line; ++line) {
      by_line_[line].push_back(static_cast<int>(i));
    }
  }
  const problem::CudaText text = problem::read_cuda_text(source);
  for (const auto& [name, value] : text.constants) {
    Expression e;
    e.integer = value;
    macros_[name] = std::move(e);
  }
  for (const problem::CudaKernel& kernel : text.kernels) {
    for (const problem::CudaParameter& p : kernel.template_parameters) {
      templates_[kernel.name].push_back(p.name);
    }
  }
}

const std::vector<int>& SourceMap::at(std::uint32_t line) const {
  static const std::vector<int> none;
  const auto found = by_line_.find(line);
  return found == by_line_.end() ? none : found->second;
}

int SourceMap::enclosing(int statement, StatementKind kind) const {
  for (int i = (*this)[statement].parent; i != kNoStatement; i = (*this)[i].parent) {
    if ((*this)[i].kind == kind) {
      return i;
    }
  }
  return kNoStatement;
}

int SourceMap::function_at(std::uint32_t line) const {
  int best = kNoStatement;
  for (std::size_t i = 0; i < statements_.size(); ++i) {
    const SourceStatement& s = statements_[i];
    if (s.kind == StatementKind::Function && s.first_line <= line && line <= s.end_line) {
      best = static_cast<int>(i);  // later ones are inside earlier ones
    }
  }
  return best;
}

bool SourceMap::contains(int statement, std::uint32_t line) const {
  const SourceStatement& s = (*this)[statement];
  return s.first_line <= line && line <= s.end_line;
}

const std::vector<std::string>& SourceMap::template_parameters(const std::string& name) const {
  static const std::vector<std::string> none;
  const auto found = templates_.find(name);
  return found == templates_.end() ? none : found->second;
}

}  // namespace tilestep::narration
