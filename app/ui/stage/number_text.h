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

// As many digits as it takes to read a float back: for tooltips and sums.
[[nodiscard]] std::string full_number(double value);

}  // namespace tilestep::ui
