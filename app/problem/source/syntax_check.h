// Where a text that does not compile lacks a bracket or a semicolon: the true cause, which
// compilers tell of lines further down, or of the end of the file. Works on words and indentation;
// text that compiles is none of its business.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tilestep::problem {

// A place in a text, 1-based; columns in bytes.
struct TextPlace {
  int line = 0;
  int column = 0;

  friend bool operator==(const TextPlace&, const TextPlace&) = default;
};

struct SyntaxMistake {
  TextPlace at;  // where it is missing: behind the last word before it
  std::string sentence;

  friend bool operator==(const SyntaxMistake&, const SyntaxMistake&) = default;
};

// The first bracket that has no partner. Of braces, indentation tells which one it is: where the
// text goes back to the indentation of a statement whose brace is open, a '}' is missing. Nothing
// where all have one, and where branches of #if have brackets of their own.
[[nodiscard]] std::optional<SyntaxMistake> bracket_mistake(std::string_view source);

// A sign that the compiler expected at `found`: missing behind the word before that. Nothing where
// there is no word before it.
[[nodiscard]] std::optional<SyntaxMistake> missing_sign(std::string_view source, TextPlace found,
                                                        std::string_view sign);

}  // namespace tilestep::problem
