// Words of a PTX text, with one token of look-ahead.
//
// A word keeps its dots: `ld.param.u64`, `%tid.x` and `ld.shared::cta.L2::128B.u32` are one token
// each. Only a word that starts with a dot ends at the next one: `.reg.b32` is `.reg`, `.b32`.
// Comments and blanks separate tokens and are dropped.
//
// Errors are sticky: the first one is kept, and from then on every token is End. So the loops of a
// reader end, and its functions need no result to propagate failure.
#pragma once

#include "problem/result.h"
#include "problem/words.h"
#include "ptx/model/instruction.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tilestep::ptx {

enum class TokenKind : std::uint8_t {
  End,
  Word,    // starts with a letter, _, $, % or .
  Number,  // as written: "0x1F", "0f3F800000", "12U", "1.5e3"
  String,  // without its quotes
  Punctuation,
};

struct Token {
  TokenKind kind = TokenKind::End;
  std::string_view text;
  std::uint32_t line = 1;    // 1-based
  std::uint32_t offset = 0;  // of its first character in the text

  [[nodiscard]] bool is(char punctuation) const {
    return kind == TokenKind::Punctuation && text[0] == punctuation;
  }
  [[nodiscard]] bool is(std::string_view word) const {
    return kind == TokenKind::Word && text == word;
  }
};

class Lexer {
 public:
  explicit Lexer(std::string_view text);

  [[nodiscard]] const Token& peek() const { return token_; }
  Token take();
  [[nodiscard]] bool at_end() const { return token_.kind == TokenKind::End; }

  // Whether the text from the next token's first character on is `sign`: operators of two
  // characters.
  [[nodiscard]] bool looking_at(std::string_view sign) const {
    return text_.substr(token_.offset).starts_with(sign);
  }
  [[nodiscard]] std::string_view text() const { return text_; }

  // Takes the token and returns true if it is this one.
  bool accept(char punctuation);
  bool accept(std::string_view word);

  // Takes a plain decimal number: a fast path for long lists of bytes.
  bool accept_number(std::uint64_t& value);

  // Takes the next token if it is this one; otherwise reports an error. `where` completes the
  // sentence: "after the parameters of a function".
  void expect(char punctuation, Message where);
  Token expect_word(Message what);
  std::uint32_t expect_count(Message what);  // a plain number below 2^32

  // Drops everything up to and including the next `;`.
  void skip_statement();

  void error(std::uint32_t line, std::string message);
  // Reports "…, but found 'x'" at the next token.
  void error_expected(std::string_view what);
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] const Error& first_error() const { return error_; }

 private:
  void advance();
  void skip_blanks();
  void scan_word();
  void scan_number();
  void scan_string();

  std::string_view text_;
  std::size_t position_ = 0;
  std::uint32_t line_ = 1;
  Token token_;
  bool failed_ = false;
  Error error_;
};

// Private to app/ptx: literals and constant expressions (PTX ISA 9.0, 4.5).

enum class ConstantKind : std::uint8_t {
  Integer,
  Float32,  // 0f…: exactly these bits
  Float64,  // 0d… or decimal
};

// `bits`: the integer, or the float's own bits.
struct Constant {
  ConstantKind kind = ConstantKind::Integer;
  std::int64_t bits = 0;
};

// "0x1F", "017", "0b101", "42U", "0f3F800000", "0d3FF0000000000000", "1.5e3"
[[nodiscard]] std::optional<Constant> parse_literal(std::string_view text);

// The bits of a constant as an operand or initializer of `type`, sign-extended from the type's
// width to 64 (predicates: 0 or -1). Empty if the type cannot hold it (an integer for a float, a
// float for an integer of another width).
[[nodiscard]] std::optional<std::int64_t> constant_bits(const Constant& constant, Type type);

// A constant expression at the lexer: literals, WARP_SZ, + - * / % ! ~ & | ^ << >> comparisons, &&
// || ?: and parentheses, with C's precedence. Reports its errors to the lexer.
[[nodiscard]] Constant read_constant_expression(Lexer& lexer);

}  // namespace tilestep::ptx
