// tilestep tune: finds the fastest kernel and tile sizes at each problem size.
#pragma once

#include "problem/describe/best_by_size.h"

#include <string>

namespace tilestep::cli {

// A row per size: the winner with its sizes, its speed, the middle half of its samples, its share
// of cuBLAS and its lead over the second.
[[nodiscard]] std::string winners_text(const problem::BestTable& table);
[[nodiscard]] std::string winners_json(const problem::BestTable& table);

}  // namespace tilestep::cli
