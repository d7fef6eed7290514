// count(PATH): which of a launch's counts a path like loads.A names. docs/formats.md,
// "Expressions", has the table.
#pragma once

#include "course/run.h"
#include "problem/result.h"

#include <string>

namespace tilestep::course {

[[nodiscard]] Result<double> count_at(const Counted& counted, const std::string& path);

}  // namespace tilestep::course
