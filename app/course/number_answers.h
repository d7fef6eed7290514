// Operators and functions of numbers.
#pragma once

#include "course/asked.h"

#include <span>

namespace tilestep::course {

[[nodiscard]] std::span<const AnswerOf> number_answers();

[[nodiscard]] Result<Value> unary_answer(const std::string& op, const Value& of);
[[nodiscard]] Result<Value> binary_answer(const std::string& op, const Value& left,
                                          const Value& right);

}  // namespace tilestep::course
