// What was measured: read from the data set.
#pragma once

#include "course/asked.h"

#include <span>

namespace tilestep::course {

[[nodiscard]] std::span<const AnswerOf> timing_answers();

}  // namespace tilestep::course
