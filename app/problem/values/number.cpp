#include "problem/values/number.h"

#include <algorithm>
#include <cmath>
#include <fast_float/fast_float.h>
#include <system_error>

namespace tilestep::problem {

std::from_chars_result read_number(const char* first, const char* last, double& value) {
  double read = 0.0;
  const auto [end, error] = fast_float::from_chars(first, last, read);
  if (error != std::errc{}) {
    return {end, error};
  }
  // The library reads "1e999" as infinity, as it does "inf", and "1e-999" as 0, as it does "0e9".
  const char* const exponent =
      std::find_if(first, end, [](char c) { return c == 'e' || c == 'E'; });
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_nonzero = [](char c) { return c >= '1' && c <= '9'; };
  if ((std::isinf(read) && std::any_of(first, end, is_digit)) ||
      (read == 0.0 && std::any_of(first, exponent, is_nonzero))) {
    return {end, std::errc::result_out_of_range};
  }
  value = read;
  return {end, error};
}

}  // namespace tilestep::problem
