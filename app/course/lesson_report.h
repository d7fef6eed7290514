// A report on a lesson: every answer, every wrong answer and every number in its texts, and their
// mistakes. Printed by `tilestep lesson check`.
#pragma once

#include "course/answers.h"
#include "lesson/lesson.h"

#include <cstddef>
#include <string>
#include <vector>

namespace tilestep::course {

// One expression of a lesson with its value.
struct Said {
  std::string what;      // "answer", "wrong", "choice", "text", "hint", …
  std::string language;  // of a text; empty: not a text, or for all languages
  std::string expression;
  Value value;
  int line = 0;  // of the lesson's file
};

// The expressions of one beat with their values.
struct BeatReport {
  std::string name;  // of the beat; empty: of the lesson itself
  std::string kind;  // "scene", "question", "lab"; empty: the lesson itself
  int line = 0;
  std::vector<Said> said;
};

struct LessonMistake {
  int line = 0;
  std::string sentence;
};

struct LessonReport {
  std::vector<BeatReport> beats;  // the lesson's own first, then in the order of the file
  std::vector<LessonMistake> mistakes;
};

// Runs everything that the lesson shows. `answers`: for this lesson.
[[nodiscard]] LessonReport report_on(const lesson::Lesson& lesson, Answers& answers);

}  // namespace tilestep::course
