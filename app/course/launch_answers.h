// What a whole launch is, costs and gets wrong.
#pragma once

#include "course/asked.h"

#include <span>

namespace tilestep::course {

[[nodiscard]] std::span<const AnswerOf> launch_answers();

// error.max and error.average: of the fast build, relative to the reference.
[[nodiscard]] Result<Value> error_answer(const Asked& asked, bool average);

}  // namespace tilestep::course
