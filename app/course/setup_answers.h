// What the same expression is worth for other set-ups.
#pragma once

#include "course/asked.h"

#include <span>

namespace tilestep::course {

[[nodiscard]] std::span<const AnswerOf> setup_answers();

}  // namespace tilestep::course
