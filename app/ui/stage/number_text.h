// Numbers in little room.
#pragma once

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

}  // namespace tilestep::ui
