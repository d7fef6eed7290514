// The lesson that is open, as a frame shows it. Made by the workspace; pointers are valid until its
// next update().
#pragma once

#include "course/value.h"
#include "lesson/lesson.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tilestep::workspace {

// What became of an answer, in the language on screen.
struct ShownVerdict {
  bool is_right = false;
  std::string says;      // what a wrong answer reveals; may be empty
  course::Value answer;  // the right one
  std::string answer_text;
};

// A row of a lab's table.
struct ShownLabRow {
  std::string launch;        // "10×7×8, BLOCK_SIZE 4"
  std::string requires_too;  // beside a right result without findings, one a line; may be empty
};

// What became of a text for a lab.
struct ShownGrade {
  std::size_t rows_passed = 0;  // before the one that failed
  bool is_passed = false;
  std::vector<std::string> causes;
  std::string hint;          // of the row that failed; may be empty
  bool is_on_stage = false;  // the stage stands where the first cause is to be seen
  bool is_old = false;       // the text has changed since
};

struct ShownLesson {
  const lesson::Lesson* lesson = nullptr;
  std::size_t beat = 0;  // index into lesson->beats
  // The beat's words in the language on screen, with the values of their {{ expressions }}; a text
  // is empty until those are there.
  std::string title;
  std::string intro;  // Markdown before the first beat's text; empty elsewhere
  std::string text;   // Markdown; of a question: told once it is answered
  std::string note;   // for the lecturer
  // Of a question.
  const lesson::Question* question = nullptr;  // null: the beat is none
  std::string ask;
  std::vector<std::string> choices;
  // What to hide while it is asked; nothing: not known yet (then all that could be is hidden).
  std::optional<course::Value> answer;
  std::optional<ShownVerdict> verdict;  // of what was given or is shown, once it is there
  std::string mistake;                  // why the question has no answer; empty: it has one
  // Of a lab.
  const lesson::Lab* lab = nullptr;
  std::vector<ShownLabRow> lab_rows;
  std::optional<ShownGrade> grade;
  bool is_grading = false;
  std::size_t grading_row = 0;  // from 0
  int lab_failures = 0;         // of all gradings, from the kept progress
  bool lab_is_passed = false;   // likewise: once
  bool has_wandered = false;    // the state is not the beat's any more
  bool is_other_run = false;    // … and neither is what is executed: the text is not about it
  double minutes_left = 0.0;    // for this beat and those that follow
  std::string lesson_title;
  std::string next;                      // what the next beat is about; empty: this is the last
  std::string next_where;                // what is on stage then: kernel, sizes, phase
  std::string next_text;                 // its first paragraph, or what it asks, in plain words
  std::string hint;                      // of a question or a lab
  std::vector<std::string> labels;       // of the scene's points, as Scene::points
  std::vector<std::string> tries;        // of the scene: Markdown
  double film_share = 0.0;               // of a film: how much of it has played, 0…1
  const lesson::Scene* scene = nullptr;  // null: the beat is none
  state::Setup home;                     // what the beat's text is about
  bool is_filled = false;                // every expression has its value, or a mistake
  std::vector<bool> seen;                // by beat; from the kept progress
};

// One of the list.
struct LessonEntry {
  std::string lesson;  // its id, as state::OpenLesson takes it
  std::string title;
  std::string goal;
  double minutes = 0.0;
  std::size_t beats = 0;
  std::size_t seen = 0;  // beats; from the kept progress
  std::string mistake;   // why the file cannot be read; empty: it can
  std::size_t at = 0;    // the beat that was shown last; 0: none was
  std::vector<std::string> beat_names;
  std::vector<std::string> beat_titles;
  std::vector<bool> is_question;
  bool is_film = false;  // it begins anew each time
};

}  // namespace tilestep::workspace
