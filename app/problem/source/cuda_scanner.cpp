#include "problem/source/cuda_scanner.h"

#include "problem/source/cuda_names.h"

#include <cstddef>
#include <map>
#include <optional>

namespace tilestep::problem {
namespace {

bool starts_identifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

class Scanner {
 public:
  explicit Scanner(std::string_view source) : source_(source) {}

  CudaWords scan() {
    CudaWords text;
    std::vector<CudaWord>* words = &text.code;
    bool line_is_empty = true;  // so far: a '#' starts a directive only there
    while (place_ < source_.size()) {
      char c = source_[place_];
      if (c == '\n') {
        words = &text.code;
        line_is_empty = true;
        ++place_;
      } else if (!skip_blank()) {
        if (c == '#' && line_is_empty) {
          text.directives.emplace_back();
          words = &text.directives.back();
          ++place_;
        } else {
          take_word(*words);
        }
        line_is_empty = false;
      }
    }
    return text;
  }

 private:
  [[nodiscard]] char at(std::size_t place) const {
    return place < source_.size() ? source_[place] : '\0';
  }

  // Skips blanks, spliced line ends and comments. A block comment inside a directive may span
  // lines; the directive continues after it (C++ standard).
  bool skip_blank() {
    char c = at(place_);
    if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      ++place_;
      return true;
    }
    if (c == '\\' && at(place_ + 1) == '\n') {
      place_ += 2;
      return true;
    }
    if (c == '\\' && at(place_ + 1) == '\r' && at(place_ + 2) == '\n') {
      place_ += 3;
      return true;
    }
    if (c == '/' && at(place_ + 1) == '/') {
      while (place_ < source_.size() && source_[place_] != '\n') {
        place_ += source_[place_] == '\\' ? 2 : 1;
      }
      return true;
    }
    if (c == '/' && at(place_ + 1) == '*') {
      std::size_t end = source_.find("*/", place_ + 2);
      place_ = end == std::string_view::npos ? source_.size() : end + 2;
      return true;
    }
    return false;
  }

  void take_word(std::vector<CudaWord>& words) {
    std::size_t begin = place_;
    char c = source_[place_];
    if (c == '"' || c == '\'') {
      skip_quoted(c);
      return;
    }
    if (starts_identifier(c)) {
      while (starts_identifier(at(place_)) || is_digit(at(place_))) {
        ++place_;
      }
      std::string_view word = source_.substr(begin, place_ - begin);
      if (at(place_) == '"' && word.ends_with('R') && word.size() <= 3) {
        skip_raw_string();
        return;
      }
    } else if (is_digit(c)) {
      // A digit separator is part of a number, not the start of a character constant.
      while (starts_identifier(at(place_)) || is_digit(at(place_)) || at(place_) == '.' ||
             (at(place_) == '\'' && starts_identifier_or_digit(at(place_ + 1)))) {
        ++place_;
      }
    } else {
      ++place_;
    }
    words.push_back({source_.substr(begin, place_ - begin), static_cast<std::uint32_t>(begin)});
  }

  static bool starts_identifier_or_digit(char c) { return starts_identifier(c) || is_digit(c); }

  // Ends at the line's end if the closing quote is missing, as in a compiler.
  void skip_quoted(char quote) {
    ++place_;
    while (place_ < source_.size() && source_[place_] != quote && source_[place_] != '\n') {
      place_ += source_[place_] == '\\' ? 2 : 1;
    }
    if (at(place_) == quote) {
      ++place_;
    }
  }

  void skip_raw_string() {  // R"delimiter( … )delimiter"
    std::size_t open = source_.find('(', place_);
    if (open == std::string_view::npos) {
      place_ = source_.size();
      return;
    }
    std::string close = ")" + std::string(source_.substr(place_ + 1, open - place_ - 1)) + "\"";
    std::size_t end = source_.find(close, open);
    place_ = end == std::string_view::npos ? source_.size() : end + close.size();
  }

  std::string_view source_;
  std::size_t place_ = 0;
};

constexpr Word kIntroducers[] = {"struct", "class",     "union",    "enum",
                                 "using",  "namespace", "typename", "concept"};
// Identifiers that end a part of an expression and are not types.
constexpr Word kNoTypes[] = {"return",   "else",  "do",    "case", "goto",   "new",
                             "delete",   "throw", "not",   "and",  "or",     "co_return",
                             "co_yield", "if",    "while", "for",  "switch", "sizeof"};
constexpr Word kQualifiers[] = {
    "const",    "constexpr",    "static",       "volatile",   "inline",           "extern",
    "register", "__shared__",   "__constant__", "__device__", "__managed__",      "typedef",
    "typename", "__restrict__", "__restrict",   "restrict",   "__grid_constant__"};
constexpr Word kBuiltIn[] = {"int",  "unsigned", "signed", "long", "short",  "char",
                             "bool", "float",    "double", "void", "size_t", "half"};

// The tokens around one occurrence of a name.
class Place {
 public:
  Place(const std::vector<std::string>& tokens, std::size_t at) : tokens_(tokens), at_(at) {}

  [[nodiscard]] bool declares() const {
    if (at_ == 0) {
      return false;
    }
    const Word before = token(at_ - 1);
    const Word next = token(at_ + 1);
    if (is_one_of(kIntroducers, before) || (before == "}" && (next == ";" || next == "="))) {
      return true;
    }
    if (before == "{" || before == ",") {
      return is_listed();
    }
    return follows_type();
  }

 private:
  [[nodiscard]] Word token(std::size_t i) const {
    return i < tokens_.size() ? Word(tokens_[i]) : Word();
  }
  [[nodiscard]] bool is_type(std::size_t i) const {
    return is_identifier(token(i)) && !is_one_of(kNoTypes, token(i));
  }
  [[nodiscard]] static bool is_reference(Word token) {
    return token == "*" || token == "&" || token == "." || is_one_of(kQualifiers, token);
  }

  // `int name`, `const float* __restrict__ name`, `array<int, 4> name`, `int... name`.
  [[nodiscard]] bool follows_type() const {
    std::size_t i = at_ - 1;
    bool has_reference = false;
    while (i > 0 && is_reference(token(i))) {
      has_reference = has_reference || !is_one_of(kQualifiers, token(i));
      --i;
    }
    if (token(i) == ">") {
      const auto open = template_list(i);
      return open && *open > 0 && is_type(*open - 1) && starts_declaration(*open - 1);
    }
    // `a * name` may be a product.
    const bool is_behind_type = is_type(i) && !is_one_of(kQualifiers, token(i));
    return is_behind_type &&
           (!has_reference || is_one_of(kBuiltIn, token(i)) ||
            (i > 0 && is_one_of(kQualifiers, token(i - 1))) ||
            (starts_declaration(i) && token(i - 1) != "(" && token(i - 1) != ","));
  }

  // The opening bracket of the template argument list that `close` closes.
  [[nodiscard]] std::optional<std::size_t> template_list(std::size_t close) const {
    int depth = 0;
    for (std::size_t i = close + 1; i-- > 0;) {
      depth += token(i) == ">" ? 1 : 0;
      depth -= token(i) == "<" ? 1 : 0;
      if (depth == 0) {
        return i;
      }
      if (!is_identifier(token(i)) && Word("<>,:*").find(token(i)) == Word::npos &&
          (token(i)[0] < '0' || token(i)[0] > '9')) {
        return std::nullopt;
      }
    }
    return std::nullopt;
  }

  // Whether a declaration may start at the type `i`.
  [[nodiscard]] bool starts_declaration(std::size_t i) const {
    while (i > 1 && (token(i - 1) == ":" || is_identifier(token(i - 1))) &&
           !is_one_of(kNoTypes, token(i - 1))) {
      --i;
    }
    return i == 0 || Word(";{}(,<").find(token(i - 1)) != Word::npos;
  }

  // The position after the bracket, brace or semicolon before the list with this place.
  [[nodiscard]] std::size_t list_start() const {
    int depth = 0;
    for (std::size_t i = at_; i-- > 0;) {
      const Word one = token(i);
      depth += one == ")" || one == "}" || one == "]" ? 1 : 0;
      depth -= one == "(" || one == "{" || one == "[" ? 1 : 0;
      if (depth < 0 || (depth == 0 && one == ";") || (depth == 1 && one == "}" && is_body(i))) {
        return i + 1;
      }
    }
    return 0;
  }
  // Whether a statement may follow the closing brace: not after an initializer.
  [[nodiscard]] bool is_body(std::size_t close) const {
    return token(close + 1) != "," && token(close + 1) != ")" && token(close + 1) != ";";
  }

  // `enum { A, name`, `int a = 1, name`.
  [[nodiscard]] bool is_listed() const {
    const std::size_t start = list_start();
    if (start > 0 && token(start - 1) == "{") {
      for (std::size_t i = start - 1; i > 0; --i) {
        const auto& before = token(i - 1);
        if (before == "enum") {
          return true;
        }
        if (!is_identifier(before) && before != ":") {
          break;
        }
      }
    }
    if (token(at_ - 1) == "{") {
      return false;
    }
    std::size_t i = start;
    while (is_one_of(kQualifiers, token(i))) {
      ++i;
    }
    if (!is_type(i)) {
      return false;
    }
    for (++i; i < at_ && (is_reference(token(i)) || is_one_of(kBuiltIn, token(i))); ++i) {
    }
    return is_type(i) && i < at_ && Word("=[,({").find(token(i + 1)) != Word::npos &&
           token(i + 2) != "=";
  }

  const std::vector<std::string>& tokens_;
  std::size_t at_;
};

struct Range {
  std::size_t from = 0;  // bytes
  std::size_t to = 0;
};

Range range_of(const CudaWord& first, const CudaWord& last) {
  return {first.offset, last.offset + last.text.size()};
}

bool starts_number(std::string_view word) {
  return !word.empty() && word[0] >= '0' && word[0] <= '9';
}

// The positions of values; nullopt for names that have several, or another meaning.
using Values = std::map<std::string_view, std::optional<Range>>;

void note(Values& values, std::string_view name, std::optional<Range> value) {
  const auto [place, is_new] = values.try_emplace(name, value);
  if (!is_new) {
    place->second.reset();
  }
}

// `#define NAME 16`. Excludes `#define NAME(x) x` and names with `#ifndef NAME` or `#undef NAME`.
void note_defined(Values& values, const CudaWords& words) {
  for (const auto& directive : words.directives) {
    if (directive.size() < 2) {
      continue;
    }
    const CudaWord& name = directive[1];
    const std::string_view kind = directive[0].text;
    if (kind == "ifndef" || kind == "undef") {
      note(values, name.text, std::nullopt);
    } else if (kind == "define") {
      const bool has_value =
          directive.size() > 2 && directive[2].offset > name.offset + name.text.size();
      note(values, name.text,
           has_value ? std::optional(range_of(directive[2], directive.back())) : std::nullopt);
    }
  }
}

// `const int NAME = 16`, `constexpr unsigned NAME = 16`: with one number each.
void note_declared(Values& values, const CudaWords& words) {
  bool is_constant = false;  // since the statement began
  for (std::size_t i = 0; i + 3 < words.code.size(); ++i) {
    const std::string_view word = words.code[i].text;
    if (word == ";" || word == "{" || word == "}") {
      is_constant = false;
    }
    is_constant = is_constant || word == "const" || word == "constexpr";
    const std::string_view end = words.code[i + 3].text;
    if (is_constant && is_identifier(word) && words.code[i + 1].text == "=" &&
        starts_number(words.code[i + 2].text) && (end == ";" || end == ",")) {
      note(values, word, range_of(words.code[i + 2], words.code[i + 2]));
    }
  }
}

// Views into `source`.
Values values_in(std::string_view source) {
  const CudaWords words = scan_cuda(source);
  Values values;
  note_defined(values, words);
  note_declared(values, words);
  return values;
}

}  // namespace

CudaWords scan_cuda(std::string_view source) {
  return Scanner(source).scan();
}

bool is_identifier(std::string_view word) {
  return !word.empty() && starts_identifier(word[0]);
}

bool declares_name(const std::vector<std::string>& tokens, std::string_view name) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] == name && Place(tokens, i).declares()) {
      return true;
    }
  }
  return false;
}

std::vector<std::string> fixed_constants(std::string_view source) {
  std::vector<std::string> names;
  for (const auto& [name, value] : values_in(source)) {
    if (value) {
      names.emplace_back(name);
    }
  }
  return names;
}

bool has_fixed_constant(std::string_view source, std::string_view name) {
  const Values values = values_in(source);
  const auto found = values.find(name);
  return found != values.end() && found->second;
}

std::string with_constant(std::string source, std::string_view name, std::string_view value) {
  std::optional<Range> range;
  {
    const Values values = values_in(source);
    const auto found = values.find(name);
    range = found == values.end() ? std::nullopt : found->second;
  }
  if (range) {
    source.replace(range->from, range->to - range->from, value);
  }
  return source;
}

}  // namespace tilestep::problem
