// Reads floating-point numbers from text.
#pragma once

#include <charconv>

namespace tilestep::problem {

// Does what std::from_chars does, which clang's standard library has for integers only: a number
// that is too large or too small for double is result_out_of_range.
std::from_chars_result read_number(const char* first, const char* last, double& value);

}  // namespace tilestep::problem
