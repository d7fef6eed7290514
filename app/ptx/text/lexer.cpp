#include "ptx/text/lexer.h"

#include "problem/tr.h"

#include <array>
#include <charconv>

namespace tilestep::ptx {
namespace {

enum CharacterClass : std::uint8_t { kBlank = 1, kWordStart = 2, kWordPart = 4, kDigit = 8 };

constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> classes{};
  for (const char c : {' ', '\t', '\n', '\r', '\f', '\v'}) {
    classes[static_cast<unsigned char>(c)] = kBlank;
  }
  for (char c = '0'; c <= '9'; ++c) {
    classes[static_cast<unsigned char>(c)] = kDigit | kWordPart;
  }
  for (char c = 'a'; c <= 'z'; ++c) {
    classes[static_cast<unsigned char>(c)] = kWordStart | kWordPart;
    classes[static_cast<unsigned char>(c - 'a' + 'A')] = kWordStart | kWordPart;
  }
  for (const char c : {'_', '$', '%', '.'}) {
    classes[static_cast<unsigned char>(c)] = kWordStart | kWordPart;
  }
  return classes;
}

constexpr std::array<std::uint8_t, 256> kClasses = make_classes();

std::uint8_t class_of(char c) {
  return kClasses[static_cast<unsigned char>(c)];
}

// Control bytes and invalid encodings must not reach a status line.
std::string printable(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::string shown;
  for (const char c : text.substr(0, kLongest)) {
    shown += c >= ' ' && c <= '~' ? c : '?';
  }
  return text.size() > kLongest ? shown + "..." : shown;
}

}  // namespace

Lexer::Lexer(std::string_view text) : text_(text) {
  advance();
}

Token Lexer::take() {
  const Token taken = token_;
  advance();
  return taken;
}

bool Lexer::accept(char punctuation) {
  if (!token_.is(punctuation)) {
    return false;
  }
  advance();
  return true;
}

bool Lexer::accept(std::string_view word) {
  if (!token_.is(word)) {
    return false;
  }
  advance();
  return true;
}

bool Lexer::accept_number(std::uint64_t& value) {
  if (token_.kind != TokenKind::Number || (token_.text.size() > 1 && token_.text[0] == '0')) {
    return false;
  }
  const char* const end = token_.text.data() + token_.text.size();
  const auto [parsed, failure] = std::from_chars(token_.text.data(), end, value);
  if (failure != std::errc{} || parsed != end) {
    return false;
  }
  advance();
  return true;
}

void Lexer::expect(char punctuation, Message where) {
  if (!accept(punctuation)) {
    error_expected(tr("'{}' {}", punctuation, where));
  }
}

Token Lexer::expect_word(Message what) {
  if (token_.kind != TokenKind::Word) {
    error_expected(what.text());
    return token_;
  }
  return take();
}

std::uint32_t Lexer::expect_count(Message what) {
  std::uint32_t value = 0;
  const char* const end = token_.text.data() + token_.text.size();
  if (token_.kind == TokenKind::Number) {
    const auto [parsed, failure] = std::from_chars(token_.text.data(), end, value);
    if (failure == std::errc{} && parsed == end) {
      advance();
      return value;
    }
  }
  error_expected(what.text());
  return 0;
}

void Lexer::skip_statement() {
  while (!at_end() && !token_.is(';')) {
    advance();
  }
  expect(';', "at the end of the statement");
}

void Lexer::error(std::uint32_t line, std::string message) {
  if (failed_) {
    return;
  }
  failed_ = true;
  error_.message = tr("PTX line {}: {}", line, message);
  position_ = text_.size();
  token_ = Token{TokenKind::End, {}, line, static_cast<std::uint32_t>(position_)};
}

void Lexer::error_expected(std::string_view what) {
  error(token_.line, at_end() ? tr("expected {}, but the text ends here.", what)
                              : tr("expected {}, but found '{}'.", what, printable(token_.text)));
}

void Lexer::skip_blanks() {
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (class_of(c) & kBlank) {
      line_ += c == '\n' ? 1 : 0;
      ++position_;
    } else if (c == '/' && text_.substr(position_, 2) == "//") {
      position_ = std::min(text_.find('\n', position_), text_.size());
    } else if (c == '/' && text_.substr(position_, 2) == "/*") {
      const std::size_t end = text_.find("*/", position_ + 2);
      if (end == std::string_view::npos) {
        error(line_, tr("this comment is not closed: the file is truncated."));
        return;
      }
      for (; position_ < end + 2; ++position_) {
        line_ += text_[position_] == '\n' ? 1 : 0;
      }
    } else {
      return;
    }
  }
}

void Lexer::advance() {
  if (failed_) {
    return;
  }
  skip_blanks();
  if (failed_) {
    return;
  }
  token_.line = line_;
  token_.offset = static_cast<std::uint32_t>(position_);
  if (position_ >= text_.size()) {
    token_.kind = TokenKind::End;
    token_.text = {};
    return;
  }
  const std::uint8_t kind = class_of(text_[position_]);
  if (kind & kWordStart) {
    scan_word();
  } else if (kind & kDigit) {
    scan_number();
  } else if (text_[position_] == '"') {
    scan_string();
  } else {
    token_.kind = TokenKind::Punctuation;
    token_.text = text_.substr(position_++, 1);
  }
}

void Lexer::scan_word() {
  // Inline asm in headers joins directives: `.reg.b32 %x` is `.reg .b32 %x`.
  const bool is_directive = text_[position_] == '.';
  std::size_t end = position_ + 1;
  while (end < text_.size()) {
    if (is_directive && text_[end] == '.') {
      break;
    }
    if (class_of(text_[end]) & kWordPart) {
      ++end;
    } else if (text_[end] == ':' && end + 2 < text_.size() && text_[end + 1] == ':' &&
               (class_of(text_[end + 2]) & kWordPart)) {
      end += 2;  // .shared::cta
    } else {
      break;
    }
  }
  token_.kind = TokenKind::Word;
  token_.text = text_.substr(position_, end - position_);
  position_ = end;
}

void Lexer::scan_number() {
  std::size_t end = position_ + 1;
  while (end < text_.size()) {
    const char c = text_[end];
    // Only the exponent of a decimal float may contain a sign.
    const char before = text_[end - 1];
    const bool exponent = (c == '+' || c == '-') && (before == 'e' || before == 'E') &&
                          text_.substr(position_, end - position_).find('.') != text_.npos;
    if (!(class_of(c) & kWordPart) && !exponent) {
      break;
    }
    ++end;
  }
  token_.kind = TokenKind::Number;
  token_.text = text_.substr(position_, end - position_);
  position_ = end;
}

void Lexer::scan_string() {
  const std::size_t end = text_.find('"', position_ + 1);
  if (end == std::string_view::npos) {
    error(line_, tr("this string is not closed: the file is truncated."));
    return;
  }
  token_.kind = TokenKind::String;
  token_.text = text_.substr(position_ + 1, end - position_ - 1);
  for (const char c : token_.text) {
    line_ += c == '\n' ? 1 : 0;
  }
  position_ = end + 1;
}

}  // namespace tilestep::ptx
