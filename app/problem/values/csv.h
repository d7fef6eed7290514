// Matrices as text, several in one file separated by lines of ---. Cells are separated by commas,
// semicolons, tabs or blanks; one row a line; empty lines and # lines are skipped.
#pragma once

#include "problem/result.h"
#include "problem/values/inputs.h"

#include <string>
#include <vector>

namespace tilestep::problem {

// At least one matrix, none of them empty. Fails with file:line, row and column.
[[nodiscard]] Result<std::vector<Numbers>> parse_matrices(const std::string& text,
                                                          const std::string& name);

// The only matrix of a text.
[[nodiscard]] Result<Numbers> parse_csv(const std::string& text, const std::string& name);

}  // namespace tilestep::problem
