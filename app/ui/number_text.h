// Formats numbers for little room.
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

// `value` in at most `max_chars` characters (3 or more), as exactly as fits: "73", "-0.25", ".33",
// "1e9"; "nan", "inf". "#" if nothing fits.
[[nodiscard]] std::string short_number(double value, int max_chars);

inline constexpr int kLongestNumber = 8;  // the largest result of number_room(), in characters

// The preferred and the smallest length of a number: a fraction may lose digits, a whole number may
// not.
struct NumberRoom {
  int longest = 1;
  int least = 1;
};
[[nodiscard]] NumberRoom number_room(double value);

// All digits needed to read a float back: for tooltips and sums. Its minus is U+2212.
[[nodiscard]] std::string full_number(double value);

// The same as a factor: "(−7)", because a sign would touch the dot before it.
[[nodiscard]] std::string factor_number(double value);

// Replaces every "-" by U+2212, which is as wide as a digit and a plus.
[[nodiscard]] std::string with_minus(const std::string& number);

// Numbers of the run in the chosen form: decimal, the bits as hexadecimal or binary, or every
// digit.

// An element of this type; nullopt: a float32. Decimal is full_number's.
//   Hex      "0x40A00000": the element's bits
//   Binary   "0 10000001 01000000000000000000000": sign, exponent, fraction; integers by bytes
//   Exact    "0.100000001490116119384765625": the exact value of a float, without rounding
[[nodiscard]] std::string formed_number(double value, std::optional<problem::ElementType> type,
                                        state::NumberForm form);

// A variable's bits if it is a number or a pointer; structures and arrays are unchanged.
[[nodiscard]] std::string formed_value(const simt::Program& program, const record::Value& value,
                                       state::NumberForm form);

// The element types of buffers and arrays.

// Nullopt for structs and anything that is not a number.
[[nodiscard]] std::optional<problem::ElementType> element_type(const ptx::SourceType& type);

// The type of a buffer's elements or of a declared variable; nullopt if unknown.
[[nodiscard]] std::optional<problem::ElementType> element_type(const simt::Program& program,
                                                               const simt::Place& place);

// "3", "0.5, 1, 2, 3": the numbers in `bytes`; empty if the size is not a multiple of the
// element's.
[[nodiscard]] std::string numbers_text(problem::ElementType type, std::span<const std::byte> bytes);

}  // namespace tilestep::ui
