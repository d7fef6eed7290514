// Captions for a film of a lesson: WebVTT (W3C Candidate Recommendation of 2019-04-04), which
// players and browsers show.
#pragma once

#include "course/answers.h"
#include "lesson/lesson.h"
#include "problem/result.h"

#include <cstddef>
#include <span>
#include <string>

namespace tilestep::course {

// A beat in a film; a question is shown twice: asked and answered.
struct ShownBeat {
  std::size_t beat = 0;
  bool is_answered = false;
  double from = 0.0;  // seconds
  double until = 0.0;
};

// The first paragraph of each beat's text, or the question and its answer, sentence by sentence: a
// caption's time is in proportion to its length. Fails if a text has an expression without a value.
[[nodiscard]] Result<std::string> captions_of(const lesson::Lesson& lesson, Answers& answers,
                                              const std::string& language,
                                              std::span<const ShownBeat> shown);

}  // namespace tilestep::course
