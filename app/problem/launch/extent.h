// How many blocks a grid has, or threads a block, in each direction: "4×8", "4×8×4".
#pragma once

#include "problem/problem.h"

#include <fmt/format.h>

#include <string>

namespace tilestep::problem {

[[nodiscard]] inline std::string extent_text(Dim3 d) {
  return d.z > 1 ? fmt::format("{}×{}×{}", d.x, d.y, d.z) : fmt::format("{}×{}", d.x, d.y);
}

}  // namespace tilestep::problem
