// The open lesson as a frame shows it. Made by the workspace.
#pragma once

#include "course/value.h"
#include "lesson/lesson.h"
#include "problem/result.h"
#include "workspace/paths.h"

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tilestep::workspace {

// The verdict on an answer, in the language on screen.
struct ShownVerdict {
  bool is_right = false;
  std::string says;      // what a wrong answer reveals; may be empty
  course::Value answer;  // the correct one
  std::string answer_text;
};

// A row of a lab's table.
struct ShownLabRow {
  std::string launch;        // "10×7×8, BLOCK_SIZE 4"
  std::string requires_too;  // further requirements, one per line; may be empty
};

// The grade of a text for a lab.
struct ShownGrade {
  std::size_t rows_passed = 0;  // before the failed one
  bool is_passed = false;
  std::vector<std::string> causes;
  std::string hint;          // of the failed row; may be empty
  bool is_on_stage = false;  // the stage is at the first cause of the failure
  bool is_old = false;       // the text has changed since
};

// An answer to a question for a number, for which a hall can vote.
struct NumberChoice {
  std::string text;   // "1.07"
  std::string given;  // as an answer: every digit
};

// The texts of one beat in one language, with the values of their {{ expressions }}; a text is
// empty until these are known.
struct BeatWords {
  std::string title;
  std::string intro;  // Markdown before the first beat's text; empty elsewhere
  std::string text;   // Markdown; of a question: shown after the answer
  std::string note;   // for the lecturer
  std::string hint;   // of a question or a lab
  std::string right;  // of a question: why the answer is correct
  std::string ask;    // of a question
  std::vector<std::string> choices;
  std::vector<std::string> labels;  // of a scene's points, as Scene::points
  std::vector<std::string> tries;   // of a scene: Markdown
  std::string where;                // the content of the stage: kernel, sizes, phase
  // Hidden while the question is open; nullopt: unknown yet (then everything that might be the
  // answer is hidden).
  std::optional<course::Value> answer;
  std::vector<NumberChoice> numbers;  // the answer and the foreseen wrong ones, in order
  std::string answer_text;            // in words, for the lecturer; empty: unknown
  std::string mistake;  // the first expression without a value, or why there is no answer
};

// Its words are in the language on screen.
struct ShownLesson : BeatWords {
  std::shared_ptr<const lesson::Lesson> lesson;
  std::size_t beat = 0;  // index into lesson->beats
  // For a question.
  std::shared_ptr<const lesson::Question> question;  // null: the beat is not a question
  std::optional<ShownVerdict> verdict;  // of the given or shown answer, once it is ready
  // The verdict on a wrong first answer, while the question is asked a second time.
  std::optional<ShownVerdict> missed;
  // For a lab.
  std::shared_ptr<const lesson::Lab> lab;
  std::vector<ShownLabRow> lab_rows;
  std::string
      starter;  // its text as handed out, if that is not the file's: its comments translated
  std::optional<ShownGrade> grade;
  bool is_grading = false;
  std::size_t grading_row = 0;  // from 0
  int lab_failures = 0;         // of all gradings, from the saved progress
  bool lab_is_passed = false;   // at least once, from the saved progress
  bool has_wandered = false;    // the state differs from the beat's
  bool is_other_run = false;    // what is executed differs, too: the text is not about it
  double minutes_left = 0.0;    // for this beat and the following ones
  std::string lesson_title;
  std::string next;         // the subject of the next beat; empty: this is the last
  std::string next_where;   // its content of the stage: kernel, sizes, phase
  std::string next_text;    // its first paragraph, or its question, in plain words
  double film_share = 0.0;  // of a film: the played share, 0…1
  std::shared_ptr<const lesson::Scene> scene;  // null: the beat is not a scene
  state::Setup home;                           // the subject of the beat's text
  bool is_filled = false;                      // every expression has its value or a mistake
  std::vector<bool> seen;                      // by beat; from the saved progress
  // For a recap: the questions' subjects that were understood, and those to look at again.
  std::vector<std::string> understood;
  struct Again {
    std::string about;
    std::size_t beat = 0;
  };
  std::vector<Again> again;
  std::string next_lesson;  // for a recap: the id of the next lesson; empty: there is none
  std::string next_lesson_title;
};

// An entry of the list.
struct LessonEntry {
  std::string lesson;  // its id, as state::OpenLesson takes it
  std::string title;
  std::string goal;
  double minutes = 0.0;
  std::size_t beats = 0;
  std::size_t seen = 0;  // beats; from the saved progress
  std::string mistake;   // why the file cannot be read; empty: readable
  std::size_t at = 0;    // the beat that was shown last; 0: none
  std::vector<std::string> beat_names;
  std::vector<std::string> beat_titles;
  std::vector<bool> is_question;
  std::vector<std::string> abouts;  // of questions, as beat_names; else empty
  std::size_t questions = 0;
  // Questions answered correctly at the first or second try; from the saved progress.
  std::vector<std::string> understood;  // what they are about
  std::vector<std::string> again;       // those that were answered wrong or shown
  bool is_film = false;                 // it starts over each time
};

// The existing lessons and their files.

// The folder beside the user's own timings: the list of lessons includes its Markdown files.
inline constexpr const char* kLessonFolder = "lessons";

// A lesson's name: its id if the list has it, else the path of its file.
[[nodiscard]] std::string name_of(const lesson::Lesson& lesson, const Paths& paths);

// Reads the lesson "3", "03-two-barriers", or the path of a file. Fails with file, line and cause.
[[nodiscard]] Result<lesson::Lesson> find_lesson(const std::string& name, const Paths& paths);

// The shipped ones, then the user's, each sorted by file name. An unreadable one has the reason.
[[nodiscard]] std::vector<LessonEntry> list_lessons(const Paths& paths,
                                                    const std::string& language);

// The user's progress in each lesson, kept across starts.
//
// One file, written to a temporary file and renamed at every change: a killed program loses
// nothing. Another window's progress is read again before this one's is added.
struct LessonProgress {
  std::string version;          // of the lesson for which this was noted
  std::set<std::string> beats;  // seen, by name
  std::string at;               // the last beat that was shown
  struct Answer {
    std::string given;           // at the first try; "": the answer was shown without one
    bool is_right = false;       // at the first try
    std::string second;          // the answer at the second try; "": none
    bool is_understood = false;  // correct at the first or second try
    bool is_over = false;        // what is answered later counts no more
    friend bool operator==(const Answer&, const Answer&) = default;
  };
  std::map<std::string, Answer> answers;  // the first two tries of each question, by name
  struct Lab {
    bool is_passed = false;  // at least once
    int failures = 0;        // gradings
    std::string text;        // the user's text; "": the original one
    friend bool operator==(const Lab&, const Lab&) = default;
  };
  std::map<std::string, Lab> labs;  // by name
  // How long each beat was on stage, by name: of a question until it was over. Without input at
  // most kLongestPause counts.
  std::map<std::string, double> seconds;

  friend bool operator==(const LessonProgress&, const LessonProgress&) = default;
};

inline constexpr double kLongestPause = 120.0;  // seconds

// A progress as a student hands it in (docs/formats/progress.md).
struct HandedIn {
  std::string student;
  std::map<std::string, LessonProgress> lessons;  // by the lesson's id, or its path
};
// JSON, with a check sum that shows whether somebody has edited it.
[[nodiscard]] std::string text_of(const HandedIn& progress);
// `name`: of the file. Fails with a sentence: another file, of a newer Tilestep, or an edited one.
[[nodiscard]] Result<HandedIn> read_handed_in(const std::string& text, const std::string& name);

class Progress {
 public:
  // An empty folder saves nothing.
  explicit Progress(const std::filesystem::path& user_state);

  // Finds the progress by a lesson's id, or its path.
  [[nodiscard]] const LessonProgress& of(const std::string& lesson) const;
  [[nodiscard]] const std::map<std::string, LessonProgress>& all() const { return lessons_; }
  // Entries of another version stay: names that a lesson no longer has are ignored. Fails, once,
  // with a sentence if it cannot be written.
  Result<void> see_beat(const std::string& lesson, const std::string& version,
                        const std::string& beat);
  // The first two tries count, until the correct answer is shown.
  Result<void> note_answer(const std::string& lesson, const std::string& version,
                           const std::string& question, const std::string& given, bool is_right);
  Result<void> note_shown(const std::string& lesson, const std::string& version,
                          const std::string& question);
  Result<void> note_grade(const std::string& lesson, const std::string& version,
                          const std::string& lab, bool is_passed);
  Result<void> keep_text(const std::string& lesson, const std::string& version,
                         const std::string& lab, const std::string& text);
  Result<void> add_time(const std::string& lesson, const std::string& version,
                        const std::string& beat, double seconds);
  // Who handed the progress in last; empty: nobody has.
  [[nodiscard]] const std::string& student() const { return student_; }
  // The progress of all lessons under this name, which is kept.
  [[nodiscard]] HandedIn hand_in(const std::string& student);
  // The reason why the existing file is not used; empty: it is, or there is none.
  [[nodiscard]] const std::string& mistake() const { return mistake_; }

 private:
  void read();
  Result<void> write();
  template <class Change>
  Result<void> change(const std::string& lesson, const std::string& version, const Change& change);

  std::filesystem::path file_;
  std::map<std::string, LessonProgress> lessons_;
  std::string student_;
  std::string mistake_;
  bool has_failed_ = false;
};

}  // namespace tilestep::workspace
