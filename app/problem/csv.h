// Matrices as text, several in one file separated by lines of ---.
#pragma once

#include "problem/inputs.h"
#include "problem/result.h"

#include <optional>
#include <string>
#include <vector>

namespace tilestep::problem {

// Numbers as they stand in the text, in float64.
struct NumberTable {
  int rows = 0;
  int cols = 0;
  std::vector<double> values;
};

// The only matrix of a text; numbers need not fit float32.
[[nodiscard]] Result<NumberTable> parse_numbers(const std::string& text, const std::string& name);

// At least one matrix, none of them empty. Fails with file:line, row and column.
[[nodiscard]] Result<std::vector<Matrix>> parse_matrices(const std::string& text,
                                                         const std::string& name);

}  // namespace tilestep::problem
