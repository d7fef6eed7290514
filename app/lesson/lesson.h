// Lessons: scenes, questions and labs in a file, with their texts.
//
// A lesson is a Markdown file. Its ```scene, ```question and ```lab blocks (TOML) are its beats, in
// the order of the file; the text after a block belongs to it (docs/formats/lesson.md). A scene
// starts from the program's initial state or from a named scene above, so each can be read and
// shown alone. The opening scenes (assets/lessons/opening.md) are rendered by a start without a
// display and shown in the README.
#pragma once

#include "lesson/expression.h"
#include "lesson/place.h"
#include "lesson/text.h"
#include "problem/words.h"
#include "state/app_state.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tilestep::lesson {

// An expression and its line.
struct Formula {
  Expression expression;
  int line = 0;  // of the lesson's file

  [[nodiscard]] const std::string& text() const { return expression.source; }
};

// A highlighted part while a scene is shown.
struct Annotation {
  // Exactly one target: cells A[0..2][3..5] of a matrix or shared array; a source line; a phase of
  // the focus block.
  std::string of;
  int first_row = 0;
  int last_row = 0;
  int first_col = 0;
  int last_col = 0;
  std::optional<int> line;
  std::optional<int> phase;
  Words label;
  bool has_frame = true;  // else only its label, in the middle
};

// The end of a lesson: what it was about, and where to go on.
struct Recap {
  std::vector<Words> lines;  // kRecapLines of them
  Words teaser;              // a question that the next lesson answers; may be empty
  std::string next;          // id of the next lesson; empty: this is the last one
};
inline constexpr std::size_t kRecapLines = 3;

// A state to show, with its texts.
struct Scene {
  std::string name;  // "multiply": file name of its picture
  Words title;       // its own, else the heading above, else its name
  Words text;        // the Markdown that follows
  state::AppState state;
  Place place;
  double minutes = 0.0;  // that a lecturer needs for it; 0: unspecified
  Words note;            // for the lecturer only
  std::vector<Annotation> points;
  std::vector<Words> tries;  // Markdown: suggestions of what to try
  // Film only: how long the scene is shown, and how many units the run advances meanwhile.
  double seconds = 0.0;
  int moves = 0;
  state::Unit moves_by = state::Unit::Statement;
  std::optional<Recap> recap;  // of a ```recap block, which is shown as the last scene
  int line = 0;                // of the lesson's file, where its block begins

  [[nodiscard]] Position position() const { return {state, place}; }
};

enum class QuestionKind { Number, Cell, Line, Thread, YesNo, Choice };

// An expected wrong answer with its feedback.
struct Wrong {
  Formula is;
  Words says;  // the feedback for this answer
};

// A choice of a multiple-choice question. The question's answer says which is correct.
struct Choice {
  Words text;
  Formula is;
  Words says;  // the feedback if it is wrong
};

// The allowed deviation of a number.
struct Tolerance {
  double absolute = 0.0;
  double relative = 0.0;  // of the answer: 0.01 for "1 %"

  [[nodiscard]] bool accepts(double given, double answer) const;
};

// A question about a position, with its answer.
struct Question {
  std::string name;
  Words title;  // the heading above; may be empty
  QuestionKind kind = QuestionKind::Number;
  Words ask;   // the question
  Words text;  // the Markdown that follows; shown after the answer
  Words hint;
  Words right;  // why the answer is correct
  Words about;  // what somebody understood who answers it: a few words
  Position at;  // the position that it is about and that is shown meanwhile
  Formula answer;
  std::vector<Formula> also;  // as correct as the answer, which is the one that is shown
  Tolerance tolerance;
  std::vector<Wrong> wrong;
  std::vector<Choice> choices;
  double minutes = 0.0;
  Words note;
  int line = 0;
};

// A row of a lab's table: a launch that must be correct and without findings, and further
// requirements.
struct LabRow {
  state::AppState state;  // the kernel of this state is the lab's
  std::vector<Formula> require;
  Words hint;
  int line = 0;
  bool repeats_launch = false;      // of the row before
  std::vector<LabRow> others = {};  // what variants of the lab have in its place
  std::string together = {};        // see LabChange
};

// Texts of the starter code that differ between variants of a lab.
struct LabChange {
  // What each variant has in place of the first one's texts, which are those of the file.
  std::vector<std::vector<std::string>> alternatives;
  std::string together;  // changes and rows with the same word choose alike; empty: by itself
};

// A programming task; its rows are graded in order.
struct Lab {
  std::string name;
  Words title;
  Words text;          // of the block, then the Markdown that follows
  std::string kernel;  // "labs/lab3_mend.cu", beside the lesson; load_lesson makes it a path
  Words hint;
  std::vector<LabRow> rows;
  std::vector<LabChange> changes;  // variant.h
  double minutes = 0.0;
  Words note;
  int line = 0;
};

enum class BeatKind { Scene, Question, Lab };

// An index into the lesson's scenes, questions or labs.
struct Beat {
  BeatKind kind = BeatKind::Scene;
  std::size_t index = 0;

  friend bool operator==(const Beat&, const Beat&) = default;
};

struct Lesson {
  std::string file;              // as in error messages
  std::filesystem::path folder;  // of its kernels; empty: the lesson was read from a text
  std::string id;                // of its block; empty: none
  Words title;                   // the first heading
  Words goal;
  Words text;  // Markdown before the first beat
  // Ordered like the parts of a title; keys without a language have the first one.
  std::vector<std::string> languages{kFirstLanguage, "zh"};
  std::vector<std::string> texts;  // named texts whose questions it answers: "A"
  std::vector<std::string> after;  // ids of the lessons to take first
  double minutes = 0.0;            // 0: the sum of its beats
  std::vector<Beat> beats;
  std::vector<Scene> scenes;
  std::vector<Question> questions;
  std::vector<Lab> labs;

  [[nodiscard]] const Scene* find_scene(const std::string& name) const;
  [[nodiscard]] const std::string& name_of(const Beat& beat) const;
  [[nodiscard]] const Words& title_of(const Beat& beat) const;
  // The recap at its end; null: none.
  [[nodiscard]] const Scene* recap() const;
  // What a question is about: its own words, else its title or that of the next scene.
  [[nodiscard]] const Words& about(const Beat& question) const;
  // True if it plays by itself: a scene has seconds.
  [[nodiscard]] bool is_film() const;
  // The beat's own, else its seconds, else 3 for a scene, 2 for a question, 10 for a lab.
  [[nodiscard]] double minutes_of(const Beat& beat) const;
  [[nodiscard]] double total_minutes() const;
  [[nodiscard]] PositionNamed scene_named() const;
  // Applies the changes of links and with(), which may name this lesson's scenes and kernels beside
  // it.
  [[nodiscard]] Follow follow() const;
};

// Errors name `name` and the line. The step of each state is still 0; resolve() finds it.
[[nodiscard]] Result<Lesson> parse_lesson(const std::string& markdown, const std::string& name);
// Looks beside the lesson for files that scenes, questions and labs name (kernels, CSV inputs).
[[nodiscard]] Result<Lesson> load_lesson(const std::filesystem::path& file);

// One of a lesson's texts, for code that checks, translates or counts them.
struct TextOfLesson {
  const Words* words = nullptr;  // never empty
  std::string what;              // "title", "text", "says", …
  std::optional<Beat> beat;      // nullopt: the lesson's own text
  // The state that its {{ }} refer to.
  const state::AppState* state = nullptr;
  Place place;
};
// All texts in the order of the file. The pointers point into the lesson.
[[nodiscard]] std::vector<TextOfLesson> every_text(const Lesson& lesson);

// The first text with an invalid expression or link, as file:line and a sentence.
[[nodiscard]] std::optional<Error> mistake_in_texts(const Lesson& lesson);

}  // namespace tilestep::lesson

namespace tilestep {

template <>
inline constexpr auto kWords<lesson::Place::Kind> = std::to_array<Word<lesson::Place::Kind>>(
    {{lesson::Place::Kind::Start, "start", "start"},
     {lesson::Place::Kind::End, "end", "end"},
     {lesson::Place::Kind::Step, "step", "step"},
     {lesson::Place::Kind::Statement, "statement", "statement"},
     {lesson::Place::Kind::Phase, "phase-start", "start of a phase"},
     {lesson::Place::Kind::PhaseMiddle, "phase", "middle of a phase"},
     {lesson::Place::Kind::PhaseEnd, "phase-end", "end of a phase"}});

template <>
inline constexpr auto kWords<lesson::QuestionKind> = std::to_array<Word<lesson::QuestionKind>>(
    {{lesson::QuestionKind::Number, "number", "a number"},
     {lesson::QuestionKind::Cell, "cell", "a cell"},
     {lesson::QuestionKind::Line, "line", "a line"},
     {lesson::QuestionKind::Thread, "thread", "a thread"},
     {lesson::QuestionKind::YesNo, "yes-no", "yes or no"},
     {lesson::QuestionKind::Choice, "choice", "a choice"}});

template <>
inline constexpr auto kWords<lesson::BeatKind> =
    std::to_array<Word<lesson::BeatKind>>({{lesson::BeatKind::Scene, "scene", "scene"},
                                           {lesson::BeatKind::Question, "question", "question"},
                                           {lesson::BeatKind::Lab, "lab", "lab"}});

}  // namespace tilestep
