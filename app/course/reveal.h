// What a wrong answer would have been true of: computed from the run, for every wrong answer that
// the lesson itself has no words for.
//
//   what_it_is(question, number_value(206), answers)   "206 is C[0][0] at the end."
//
// The question's expression is evaluated for its relatives: another thread, block, phase, element,
// array, count, BLOCK_SIZE or schedule. A sentence is only returned if its value is the given one.
// If none is, the sentence says what was asked, and of a number whether it is too small.
#pragma once

#include "course/answers.h"
#include "course/value.h"
#include "lesson/lesson.h"

#include <string>

namespace tilestep::course {

// Whether a wrong first answer leaves more than one: of yes and no it does not.
[[nodiscard]] bool has_second_try(const lesson::Question& question);

// In the current language. `given`: a wrong answer; of a choice its value. Never empty.
[[nodiscard]] std::string what_it_is(const lesson::Question& question, const Value& given,
                                     Answers& answers);

// "The question asks for Cvalue of thread (0,0)."
[[nodiscard]] std::string what_is_asked(const lesson::Question& question, Answers& answers);

}  // namespace tilestep::course
