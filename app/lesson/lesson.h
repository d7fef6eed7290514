// Lessons: scenes, questions and labs in a file, with the words that go with them.
//
// A lesson is a Markdown file; its ```scene, ```question and ```lab blocks (TOML) are its beats, in
// the order of the file, and the text after one is its own (docs/formats.md, "Lesson"). A scene
// starts from the state the program opens with, or from a scene above that it names, so each can be
// read and shown alone. The opening scenes (assets/lessons/opening.md) are what a start without a
// display renders and what the README shows.
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

// An expression and where it stands.
struct Formula {
  Expression expression;
  int line = 0;  // of the lesson's file

  [[nodiscard]] const std::string& text() const { return expression.source; }
};

// What is pointed at while a scene is shown.
struct Annotation {
  // One of them: cells A[0..2][3..5] of a matrix or shared array; a source line; a phase of the
  // focus block.
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

struct Scene {
  std::string name;  // "multiply": file name of its picture
  Words title;       // its own, or the heading above, or its name
  Words text;        // Markdown that follows
  state::AppState state;
  Place place;
  double minutes = 0.0;  // that a lecturer takes for it; 0: nobody says
  Words note;            // for the lecturer alone
  std::vector<Annotation> points;
  std::vector<Words> tries;  // Markdown: what to try beside
  // Of a film: how long it is shown, and how many units the run goes on meanwhile.
  double seconds = 0.0;
  int moves = 0;
  state::Unit moves_by = state::Unit::Statement;
  int line = 0;  // of the lesson's file, where its block begins

  [[nodiscard]] Position position() const { return {state, place}; }
};

enum class QuestionKind { Number, Cell, Line, Thread, YesNo, Choice };

struct Wrong {
  Formula is;
  Words says;  // what this answer reveals
};

// Of a question of that kind. The right one is what the answer is.
struct Choice {
  Words text;
  Formula is;
  Words says;  // where it is wrong
};

// How far a number may be off.
struct Tolerance {
  double absolute = 0.0;
  double relative = 0.0;  // of the answer: 0.01 for "1 %"

  [[nodiscard]] bool accepts(double given, double answer) const;
};

struct Question {
  std::string name;
  Words title;  // the heading above; may be empty
  QuestionKind kind = QuestionKind::Number;
  Words ask;   // the question
  Words text;  // Markdown that follows: told once it is answered
  Words hint;
  Position at;  // what it is asked of, and what is shown while it is
  Formula answer;
  std::vector<Formula> also;  // as right as the answer, which is the one that is shown
  Tolerance tolerance;
  std::vector<Wrong> wrong;
  std::vector<Choice> choices;
  double minutes = 0.0;
  Words note;
  int line = 0;
};

// A row of a lab's table: a launch that has to be right and without findings, and what has to hold
// of it beside.
struct LabRow {
  state::AppState state;  // its kernel is the lab's
  std::vector<Formula> require;
  Words hint;
  int line = 0;
};

struct Lab {
  std::string name;
  Words title;
  Words text;          // of the block, then the Markdown that follows
  std::string kernel;  // "labs/lab3_mend.cu", beside the lesson; load_lesson makes it a path
  Words hint;
  std::vector<LabRow> rows;
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
  std::string file;              // as errors name it
  std::filesystem::path folder;  // of its kernels; empty: it was read from a text
  std::string id;                // of its block; empty: it has none
  Words title;                   // the first heading
  Words goal;
  Words text;  // Markdown before the first beat
  // In the order of a title's parts; the first is that of keys without a language.
  std::vector<std::string> languages{kFirstLanguage, "zh"};
  std::vector<std::string> texts;  // that it answers questions of: "A"
  std::vector<std::string> after;  // ids of lessons that come before it
  double minutes = 0.0;            // 0: what its beats add up to
  std::vector<Beat> beats;
  std::vector<Scene> scenes;
  std::vector<Question> questions;
  std::vector<Lab> labs;

  [[nodiscard]] const Scene* find_scene(const std::string& name) const;
  [[nodiscard]] const std::string& name_of(const Beat& beat) const;
  [[nodiscard]] const Words& title_of(const Beat& beat) const;
  // It plays by itself: a scene has seconds.
  [[nodiscard]] bool is_film() const;
  // Its own, or else its seconds, or else 3 for a scene, 2 for a question, 10 for a lab.
  [[nodiscard]] double minutes_of(const Beat& beat) const;
  [[nodiscard]] double total_minutes() const;
  [[nodiscard]] PositionNamed scene_named() const;
  // What links and with() change: they name its scenes, and kernels beside it.
  [[nodiscard]] Follow follow() const;
};

// Errors name `name` and the line. The step of each state is still 0: resolve() finds it.
[[nodiscard]] Result<Lesson> parse_lesson(const std::string& markdown, const std::string& name);
// Files that scenes, questions and labs name (kernels, CSV inputs) are looked for beside the
// lesson.
[[nodiscard]] Result<Lesson> load_lesson(const std::filesystem::path& file);

// All texts of a lesson, one after the other: for whoever checks, translates or counts them.
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
