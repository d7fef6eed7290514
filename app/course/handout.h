// A lesson on paper, as Markdown in one language: for students, for their teacher, for a projector.
#pragma once

#include "course/answers.h"
#include "lesson/lesson.h"
#include "problem/result.h"
#include "problem/words.h"

#include <functional>
#include <string>

namespace tilestep::course {

// What is printed of a lesson.
enum class Paper {
  Lesson,   // scenes, questions and labs in order, answers at the end
  Handout,  // for students: without answers, with room to write and the listings
  Key,      // answers with their reasons, and what wrong answers reveal
  Guide,    // for the teacher: every beat with minutes, picture, note, answer and wrong answers
  Slides,   // a slide for each beat; a question's answer is on the next slide
};

struct HandoutOptions {
  std::string language = lesson::kFirstLanguage;
  Paper paper = Paper::Lesson;
  // The address of a beat's picture, of a question before or after the answer is shown; "" or an
  // empty function: none.
  std::function<std::string(const lesson::Beat&, bool is_answered)> picture = {};
};

// Fills in numbers, and replaces links that set the stage by their words. The words between the
// lesson's parts are in its language, too (problem/language.h). Papers other than Lesson have
// tables, listings and sections in HTML, for page_of(). Fails with a sentence if something has no
// value, or the lesson is not in that language.
[[nodiscard]] Result<std::string> handout(const lesson::Lesson& lesson, Answers& answers,
                                          const HandoutOptions& options);

// A page of HTML from Markdown, with its styles, to read in a browser or to print.
struct Page {
  std::string title;
  std::string language;
  std::string kind;   // the class of its body: a word of Paper, or "index"
  std::string fonts;  // the address of the folder with kPageFonts
};
[[nodiscard]] std::string page_of(const std::string& markdown, const Page& page);
// The program's fonts that a page uses.
inline constexpr auto kPageFonts =
    std::to_array<const char*>({"Roboto-Regular.ttf", "Roboto-Bold.ttf", "Inconsolata-Medium.ttf",
                                "DroidSansFallbackFull.ttf"});

}  // namespace tilestep::course

namespace tilestep {

template <>
inline constexpr auto kWords<course::Paper> =
    std::to_array<Word<course::Paper>>({{course::Paper::Lesson, "lesson", "Lesson"},
                                        {course::Paper::Handout, "handout", "Hand-out"},
                                        {course::Paper::Key, "key", "Answers"},
                                        {course::Paper::Guide, "guide", "Teacher's guide"},
                                        {course::Paper::Slides, "slides", "Slides"}});

}  // namespace tilestep
