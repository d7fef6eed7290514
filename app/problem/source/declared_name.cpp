#include "problem/source/declared_name.h"

#include "problem/source/cuda_names.h"
#include "problem/source/cuda_scanner.h"

#include <optional>

namespace tilestep::problem {
namespace {

constexpr Word kIntroducers[] = {"struct", "class",     "union",    "enum",
                                 "using",  "namespace", "typename", "concept"};
// Identifiers that end an expression's part, not a type.
constexpr Word kNoTypes[] = {"return",   "else",  "do",    "case", "goto",   "new",
                             "delete",   "throw", "not",   "and",  "or",     "co_return",
                             "co_yield", "if",    "while", "for",  "switch", "sizeof"};
constexpr Word kQualifiers[] = {
    "const",    "constexpr",    "static",       "volatile",   "inline",           "extern",
    "register", "__shared__",   "__constant__", "__device__", "__managed__",      "typedef",
    "typename", "__restrict__", "__restrict",   "restrict",   "__grid_constant__"};
constexpr Word kBuiltIn[] = {"int",  "unsigned", "signed", "long", "short",  "char",
                             "bool", "float",    "double", "void", "size_t", "half"};

// What is around one place that names it.
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

  // Where the list of types and numbers that `close` closes is opened.
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

  // Behind the bracket, brace or semicolon that the list with this place starts at.
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
  // A closing brace behind which a statement starts: none of an initialiser.
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

}  // namespace

bool declares_name(const std::vector<std::string>& tokens, std::string_view name) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] == name && Place(tokens, i).declares()) {
      return true;
    }
  }
  return false;
}

}  // namespace tilestep::problem
