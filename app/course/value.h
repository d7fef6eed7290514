// The value of an expression about a run.
#pragma once

#include <cstdint>
#include <string>

namespace tilestep::course {

struct Value {
  enum class Kind : std::uint8_t { Number, Cell, Line, Thread, YesNo, Text };
  Kind kind = Kind::Number;
  double number = 0.0;      // Number; Line; YesNo: 1 or 0
  std::string text;         // Cell: "As[1][2]"; Thread: "(2,1)"; Text
  std::string phrase;       // Thread: "thread (2,1) of block (1,0)"
  std::uint32_t block = 0;  // Thread, linear
  std::uint32_t thread = 0;

  [[nodiscard]] bool is_yes() const { return kind == Kind::YesNo && number != 0.0; }
};

[[nodiscard]] Value number_value(double number);
[[nodiscard]] Value line_value(std::uint32_t line);
[[nodiscard]] Value yes_no_value(bool yes);
[[nodiscard]] Value text_value(std::string text);
[[nodiscard]] Value cell_value(std::string name);

// True if it has a number: a number, a line, or yes and no as 1 and 0.
[[nodiscard]] bool is_countable(const Value& value);

// "a number", "a cell", …
[[nodiscard]] const char* kind_word(Value::Kind kind);

// As in a lesson's text in any language: "389", "1912.2", "504,000", "B[0][1]", "(0,1)", "yes".
[[nodiscard]] std::string text_of(const Value& value);
// The same for a setting: without grouped digits.
[[nodiscard]] std::string plain_text_of(const Value& value);

// The value by itself: "thread (0,1)".
[[nodiscard]] std::string shown_text(const Value& value);

// Equal values; numbers may differ by some units in the last place; a line equals its number.
[[nodiscard]] bool are_same(const Value& a, const Value& b);

}  // namespace tilestep::course
