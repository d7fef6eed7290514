// All texts of a lesson, one after the other: for whoever checks, translates or counts them.
#pragma once

#include "lesson/lesson.h"

#include <optional>
#include <string>
#include <vector>

namespace tilestep::lesson {

struct TextOfLesson {
  const Words* words = nullptr;  // never empty
  std::string what;              // "title", "text", "says", …
  std::optional<Beat> beat;      // nothing: the lesson's own
  // What its {{ }} are about.
  const state::AppState* state = nullptr;
  Place place;
};
// In the order of the file. Pointers are into the lesson.
[[nodiscard]] std::vector<TextOfLesson> every_text(const Lesson& lesson);

// The first text with an expression or a link that means nothing, as file:line and a sentence.
[[nodiscard]] std::optional<Error> mistake_in_texts(const Lesson& lesson);

}  // namespace tilestep::lesson
