// Grades the user's text for a lab by running it: for the rows in order, each launch must compile,
// give the correct result without findings, and meet the row's requirements. The first row that
// does not is the result, with a state that shows the reason. The grade never depends on the text
// itself.
//
//   const LabGrade grade = grade_lab(lesson.labs[0], text, answers);
//   grade.causes.front().sentence      "C[0][0] is 3194, expected 4211."
//   grade.counterexample               the state that the stage opens
//
// Pure, except for the compiler and Tools::cancel, which ends a kernel that never ends. The caller
// must limit what a text can do to the grading process (memory, a compiler that crashes or hangs):
// cli/lab_batch.h uses a process for each text.
#pragma once

#include "course/answers.h"
#include "lesson/lesson.h"
#include "problem/words.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace tilestep::course {

// The outcome of a row or of a whole grading.
enum class LabOutcome {
  Passed,
  NotCompiled,
  Refused,    // there is no such launch: an unmet requirement, unsuitable parameters
  Found,      // findings: a race, an access out of range, …
  Wrong,      // a wrong result
  Condition,  // a `require` does not hold
  Unknown,    // a `require` has no value in this run
  CutOff,     // cancelled before its end
  // The next two are for the process that graded it (cli/lab_batch.h).
  OutOfMemory,
  Crashed,
  Unreadable,  // the file is not text
};

// One reason why a row fails.
struct LabCause {
  LabOutcome outcome = LabOutcome::Wrong;
  std::string sentence;
  int line = 0;  // of the graded text; 0: none
};

// The grade of one text.
struct LabGrade {
  std::size_t rows = 0;
  std::size_t rows_passed = 0;  // before the failed one
  std::vector<LabCause> causes;
  // The counterexample of the failed row: the lab's kernel with the graded text as its edit, the
  // row's launch, the block and thread of the first finding or of the first wrong element, and the
  // place that shows it.
  lesson::Position counterexample;

  [[nodiscard]] bool passed() const { return causes.empty(); }
  [[nodiscard]] LabOutcome outcome() const {
    return causes.empty() ? LabOutcome::Passed : causes.front().outcome;
  }
};

// Reported at the beginning of each stage.
struct LabProgress {
  enum class Stage { Compiling, Running, Conditions, Placing };
  std::size_t row = 0;  // from 0
  Stage stage = Stage::Compiling;
};
using OnLabProgress = std::function<void(const LabProgress&)>;

// `answers`: for the lab's lesson. If they are cancelled meanwhile, the outcome is CutOff.
[[nodiscard]] LabGrade grade_lab(const lesson::Lab& lab, const std::string& text, Answers& answers,
                                 const OnLabProgress& progress = {});

}  // namespace tilestep::course

namespace tilestep {

template <>
inline constexpr auto kWords<course::LabOutcome> = std::to_array<Word<course::LabOutcome>>(
    {{course::LabOutcome::Passed, "passed", "passed"},
     {course::LabOutcome::NotCompiled, "not-compiled", "does not compile"},
     {course::LabOutcome::Refused, "refused", "cannot be launched"},
     {course::LabOutcome::Found, "finding", "has findings"},
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
