// Numbers in little room.
#pragma once

#include <string>

namespace tilestep::ui {

// `value` in at most `max_chars` characters (3 or more), as exact as fits: "73", "-0.25", ".33",
// "1e9"; "nan", "inf". What does not fit at all is "#".
[[nodiscard]] std::string short_number(double value, int max_chars);

// As many digits as it takes to read a float back: for tooltips and sums.
[[nodiscard]] std::string full_number(double value);

}  // namespace tilestep::ui
