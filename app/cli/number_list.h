// Lists of numbers on the command line: "1..8,16,32".
#pragma once

#include "problem/problem.h"
#include "problem/result.h"

#include <string>
#include <vector>

namespace tilestep::cli {

// Numbers and ranges with both ends, separated by commas; every number is 1 or more.
// `option` stands in the message: "--block-sizes 1..x: …".
[[nodiscard]] Result<std::vector<int>> parse_number_list(const std::string& text,
                                                         const std::string& option);

// "512,1024,100x200x50": one number is M = N = K, three joined by x are M, N and K.
[[nodiscard]] Result<std::vector<problem::Problem>> parse_problem_list(const std::string& text,
                                                                       const std::string& option);

}  // namespace tilestep::cli
