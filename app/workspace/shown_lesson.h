// The lesson that is open, as a frame shows it. Made by the workspace; pointers are valid until its
// next update().
#pragma once

#include "course/value.h"
#include "lesson/lesson.h"
#include "problem/result.h"
#include "workspace/paths.h"

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
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

// Which lessons there are, and where.

// Beside the user's own timings: Markdown files in it are in the list of lessons.
inline constexpr const char* kLessonFolder = "lessons";

// How a lesson is called: by its id where the list has it, else by the path of its file.
[[nodiscard]] std::string name_of(const lesson::Lesson& lesson, const Paths& paths);

// "3", "03-two-barriers", or the path of a file. Reads it: fails with file, line and cause.
[[nodiscard]] Result<lesson::Lesson> find_lesson(const std::string& name, const Paths& paths);

// Those that ship, then the user's, each by file name. One that cannot be read says why.
[[nodiscard]] std::vector<LessonEntry> list_lessons(const Paths& paths,
                                                    const std::string& language);

// How far somebody is with each lesson, kept from start to start.
//
// One file, written beside itself and renamed whenever something is new: a killed program loses
// nothing. Another window's progress is read again before this one's is added.
struct LessonProgress {
  std::string version;          // of the lesson that this was noted of
  std::set<std::string> beats;  // seen, by name
  std::string at;               // the beat that was shown last
  struct Answer {
    std::string given;
    bool is_right = false;
    friend bool operator==(const Answer&, const Answer&) = default;
  };
  std::map<std::string, Answer> answers;  // the first one to each question, by name
  struct Lab {
    bool is_passed = false;  // once
    int failures = 0;        // gradings
    std::string text;        // what is written for it; "": what it begins with
    friend bool operator==(const Lab&, const Lab&) = default;
  };
  std::map<std::string, Lab> labs;  // by name

  friend bool operator==(const LessonProgress&, const LessonProgress&) = default;
};

class Progress {
 public:
  // An empty folder keeps nothing.
  explicit Progress(const std::filesystem::path& user_state);

  // By a lesson's id, or its path.
  [[nodiscard]] const LessonProgress& of(const std::string& lesson) const;
  [[nodiscard]] const std::map<std::string, LessonProgress>& all() const { return lessons_; }
  // What is noted of another version stays: names that a lesson has no more are of no account.
  // Fails, once, with a sentence where it cannot be written.
  Result<void> see_beat(const std::string& lesson, const std::string& version,
                        const std::string& beat);
  Result<void> note_answer(const std::string& lesson, const std::string& version,
                           const std::string& question, LessonProgress::Answer answer);
  Result<void> note_grade(const std::string& lesson, const std::string& version,
                          const std::string& lab, bool is_passed);
  Result<void> keep_text(const std::string& lesson, const std::string& version,
                         const std::string& lab, const std::string& text);
  // Why the file that was there is not used; empty: it is, or there is none.
  [[nodiscard]] const std::string& mistake() const { return mistake_; }

 private:
  void read();
  Result<void> write();
  template <class Change>
  Result<void> change(const std::string& lesson, const std::string& version, const Change& change);

  std::filesystem::path file_;
  std::map<std::string, LessonProgress> lessons_;
  std::string mistake_;
  bool has_failed_ = false;
};

}  // namespace tilestep::workspace
