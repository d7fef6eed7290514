// Somebody's text for a lab, graded by running it: rows in order, each launch has to compile, be
// right and without findings, and what the row requires has to hold. The first row that does not is
// the result, with the state that shows why. A grade never looks at the text.
//
//   const LabGrade grade = grade_lab(lesson.labs[0], text, answers);
//   grade.causes.front().sentence      "C[0][0] is 3194, expected 4211."
//   grade.counterexample               what the stage opens on
//
// Pure but for the compiler and what Tools::cancel stops: a kernel that never ends is ended by it.
// What a text can do to the process that grades it (memory, a compiler that crashes or hangs) is
// the caller's to hold: cli/lab_batch.h gives each a process of its own.
#pragma once

#include "course/answers.h"
#include "lesson/lesson.h"
#include "problem/words.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace tilestep::course {

enum class LabOutcome {
  Passed,
  NotCompiled,
  Refused,    // there is no such launch: a requirement, parameters that the description lacks
  Found,      // a race, an access out of range, …
  Wrong,      // the result
  Condition,  // a `require` does not hold
  Unknown,    // a `require` has no value in this run
  CutOff,     // it had not ended when it was cancelled
  // Of a process that graded it (cli/lab_batch.h).
  OutOfMemory,
  Crashed,
  Unreadable,  // the file is no text
};

// One thing that a row fails for.
struct LabCause {
  LabOutcome outcome = LabOutcome::Wrong;
  std::string sentence;
  int line = 0;  // of the graded text; 0: it has none
};

struct LabGrade {
  std::size_t rows = 0;
  std::size_t rows_passed = 0;  // before the one that failed
  std::vector<LabCause> causes;
  // Of the row that failed: the lab's kernel with the graded text as its edit, the row's launch,
  // the block and thread of the first finding or of the first wrong element, and the place where it
  // is to be seen.
  lesson::Position counterexample;

  [[nodiscard]] bool passed() const { return causes.empty(); }
  [[nodiscard]] LabOutcome outcome() const {
    return causes.empty() ? LabOutcome::Passed : causes.front().outcome;
  }
};

// Told before it begins.
struct LabProgress {
  enum class Stage { Compiling, Running, Conditions, Placing };
  std::size_t row = 0;  // from 0
  Stage stage = Stage::Compiling;
};
using OnLabProgress = std::function<void(const LabProgress&)>;

// `answers` are of the lab's lesson. Where they are cancelled meanwhile the outcome is CutOff.
[[nodiscard]] LabGrade grade_lab(const lesson::Lab& lab, const std::string& text, Answers& answers,
                                 const OnLabProgress& progress = {});

}  // namespace tilestep::course

namespace tilestep {

template <>
inline constexpr auto kWords<course::LabOutcome> = std::to_array<Word<course::LabOutcome>>(
    {{course::LabOutcome::Passed, "passed", "passed"},
     {course::LabOutcome::NotCompiled, "not-compiled", "does not compile"},
     {course::LabOutcome::Refused, "refused", "cannot be launched"},
     {course::LabOutcome::Found, "finding", "has a finding"},
     {course::LabOutcome::Wrong, "wrong", "is wrong"},
     {course::LabOutcome::Condition, "condition", "breaks a condition"},
     {course::LabOutcome::Unknown, "unknown", "cannot be judged"},
     {course::LabOutcome::CutOff, "cut-off", "was stopped"},
     {course::LabOutcome::OutOfMemory, "out-of-memory", "needs too much memory"},
     {course::LabOutcome::Crashed, "crashed", "crashed"},
     {course::LabOutcome::Unreadable, "unreadable", "cannot be read"}});

template <>
inline constexpr auto kWords<course::LabProgress::Stage> =
    std::to_array<Word<course::LabProgress::Stage>>(
        {{course::LabProgress::Stage::Compiling, "compiling", "compiling"},
         {course::LabProgress::Stage::Running, "running", "running"},
         {course::LabProgress::Stage::Conditions, "conditions", "checking the conditions"},
         {course::LabProgress::Stage::Placing, "placing", "finding the place"}});

}  // namespace tilestep
