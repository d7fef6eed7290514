// Expressions of C++ as spelled in the source: enough of the language for index sums, products and
// conditions. Anything else is no expression, and the narration omits it.
#pragma once

#include "problem/source/cuda_scanner.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilestep::narration {

// A word or an operator: "<<=" is one token, which the scanner returns as three.
struct Token {
  std::string text;
  std::uint32_t line = 0;

  friend bool operator==(const Token&, const Token&) = default;
};
using Tokens = std::span<const Token>;

// The words of a text with their lines, operators joined.
[[nodiscard]] std::vector<Token> tokens_of(const std::string& source);

enum class Form : std::uint8_t {
  Integer,    // integer
  Real,       // real
  Name,       // text
  Member,     // parts[0].text
  Subscript,  // parts[0] [ parts[1] ]
  Call,       // text ( parts )
  Unary,      // text parts[0]: - + ! ~ * &
  Binary,     // parts[0] text parts[1]
  Ternary,    // parts[0] ? parts[1] : parts[2]
  Cast,       // parts[0], to `text`
};

struct Expression {
  Form kind = Form::Integer;
  std::string text;
  std::int64_t integer = 0;
  double real = 0.0;
  std::vector<Expression> parts;

  [[nodiscard]] bool is(Form k) const { return kind == k; }
  [[nodiscard]] bool is_binary(const char* op) const { return is(Form::Binary) && text == op; }
};

[[nodiscard]] Expression name_expression(const std::string& name);

// All of the tokens form the expression; otherwise empty.
[[nodiscard]] std::optional<Expression> parse_expression(Tokens tokens);

// Precedence of a binary operator: larger binds tighter; 0: not a binary operator.
[[nodiscard]] int precedence(const std::string& op);

// The expression with the words of the source: "row < M".
[[nodiscard]] std::string spelled(const Expression& expression);

}  // namespace tilestep::narration
