// What threads and cells hold, read and store, at a place in a run.
#pragma once

#include "course/asked.h"

#include <span>

namespace tilestep::course {

[[nodiscard]] std::span<const AnswerOf> thread_answers();

}  // namespace tilestep::course
