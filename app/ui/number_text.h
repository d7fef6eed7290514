// Numbers in little room.
#pragma once

#include "problem/values/element.h"
#include "record/value.h"
#include "simt/machine/program.h"
#include "state/app_state.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace tilestep::ui {

// `value` in at most `max_chars` characters (3 or more), as exact as fits: "73", "-0.25", ".33",
// "1e9"; "nan", "inf". What does not fit at all is "#".
[[nodiscard]] std::string short_number(double value, int max_chars);

inline constexpr int kLongestNumber = 8;  // characters of any number_room()

// How many characters a number deserves, and how few it can do with: a fraction may lose digits, a
// whole number may not.
struct NumberRoom {
  int longest = 1;
  int least = 1;
};
[[nodiscard]] NumberRoom number_room(double value);

// As many digits as it takes to read a float back: for tooltips and sums. Its minus is U+2212.
[[nodiscard]] std::string full_number(double value);

// The same as a factor: "(−7)" where a sign would run into the dot before it.
[[nodiscard]] std::string factor_number(double value);

// Every "-" as U+2212, which is as wide as a digit and as a plus.
[[nodiscard]] std::string with_minus(const std::string& number);

// Numbers of the run in the form that was chosen: decimal, the bits as hexadecimal or binary, or
// every digit.

// An element of this type; nothing: a float32. Decimal is full_number's.
//   Hex      "0x40A00000": the element's bits
//   Binary   "0 10000001 01000000000000000000000": sign, exponent, fraction; integers by bytes
//   Exact    "0.100000001490116119384765625": the number that a float is, without rounding
[[nodiscard]] std::string formed_number(double value, std::optional<problem::ElementType> type,
                                        state::NumberForm form);

// A variable: its bits where it is a number or a pointer; structures and arrays stay as they are.
[[nodiscard]] std::string formed_value(const simt::Program& program, const record::Value& value,
                                       state::NumberForm form);

// What the bytes of a buffer or an array are.

// Nothing for structs and what is no number.
[[nodiscard]] std::optional<problem::ElementType> element_type(const ptx::SourceType& type);

// The type of a buffer's elements or of a declared variable; nothing if it is unknown.
[[nodiscard]] std::optional<problem::ElementType> element_type(const simt::Program& program,
                                                               const simt::Place& place);

// "3", "0.5, 1, 2, 3": the numbers in bytes; empty where they are no whole number of elements.
[[nodiscard]] std::string numbers_text(problem::ElementType type, std::span<const std::byte> bytes);

}  // namespace tilestep::ui
