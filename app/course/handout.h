// A lesson on paper: goal, scenes, questions without answers, labs with their tables, and the
// answers at the end, as Markdown in one language.
#pragma once

#include "course/answers.h"
#include "lesson/lesson.h"
#include "problem/result.h"

#include <functional>
#include <string>

namespace tilestep::course {

struct HandoutOptions {
  std::string language = lesson::kFirstLanguage;
  // The address of a scene's picture; "" or an empty function: none.
  std::function<std::string(const lesson::Scene&)> picture = {};
};

// Fills in numbers, and replaces links that set the stage by their words. The words between the
// lesson's parts are in its language, too (problem/language.h). Fails with a sentence if something
// has no value, or the lesson is not in that language.
[[nodiscard]] Result<std::string> handout(const lesson::Lesson& lesson, Answers& answers,
                                          const HandoutOptions& options);

}  // namespace tilestep::course
