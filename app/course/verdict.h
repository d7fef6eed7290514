// Whether somebody's answer to a question is right, and what a wrong one reveals.
#pragma once

#include "course/answers.h"
#include "lesson/lesson.h"
#include "problem/result.h"

#include <cstddef>

namespace tilestep::course {

struct Verdict {
  bool is_right = false;
  // What the lesson says of this wrong answer; null: nothing. It is the question's.
  const lesson::Words* says = nullptr;
  Value answer;
};

// `given`: a number that was typed, a cell, line or thread that was clicked, yes or no. Fails with
// a sentence where the question itself has no answer, which `tilestep lesson check` tells.
[[nodiscard]] Result<Verdict> judge(const lesson::Question& question, const Value& given,
                                    Answers& answers);
// The same of a choice, by its index.
[[nodiscard]] Result<Verdict> judge_choice(const lesson::Question& question, std::size_t choice,
                                           Answers& answers);

// Whether a given value answers the question: the answer itself, or a number within its tolerance.
[[nodiscard]] bool answers_it(const lesson::Question& question, const Value& given,
                              const Value& answer);

}  // namespace tilestep::course
