// Matrices as text, several in one file separated by lines of ---.
#pragma once

#include "problem/inputs.h"
#include "problem/result.h"

#include <optional>
#include <string>
#include <vector>

namespace tilestep::problem {

// At least one matrix, none of them empty. Fails with file:line, row and column.
[[nodiscard]] Result<std::vector<Matrix>> parse_matrices(const std::string& text,
                                                         const std::string& name);

}  // namespace tilestep::problem
