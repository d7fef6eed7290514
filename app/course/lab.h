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
// cli/lab.h uses a process for each text.
#pragma once

#include "course/answers.h"
#include "lesson/lesson.h"
#include "problem/words.h"

#include <cstddef>
#include <functional>
#include <optional>
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
  // The next two are for the process that graded it (cli/lab.h).
  OutOfMemory,
  Crashed,
  Unreadable,  // the file is not text
  OtherVariant,
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

// Texts about a lab's rows and conditions.

// "10×7×8, BLOCK_SIZE 4, sequential": a row's launch without the kernel. Names schedule and warp
// size only if they are not the defaults.
[[nodiscard]] std::string launch_text(const state::AppState& state,
                                      const problem::Catalog& catalog);

// "loads of A" for count(loads.A), "loads of B of tiled" for with(kernel = tiled, count(loads.B)),
// "table[0][1]" for cell(table[0][1], end), "1.1 * K" unchanged.
[[nodiscard]] std::string words_of_expression(const lesson::Expression& expression);

// Explains why a false condition does not hold, with both of its numbers: "Loads of A are 128; at
// most 64 = M * K are allowed."; and where: "Line 24 has most of them."
[[nodiscard]] LabCause broken_condition(const lesson::Expression& condition,
                                        const lesson::Position& at, Answers& answers);

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
     {course::LabOutcome::Unreadable, "unreadable", "cannot be read"},
     {course::LabOutcome::OtherVariant, "other-variant", "is of another variant"}});

template <>
inline constexpr auto kWords<course::LabProgress::Stage> =
    std::to_array<Word<course::LabProgress::Stage>>(
        {{course::LabProgress::Stage::Compiling, "compiling", "compiling"},
         {course::LabProgress::Stage::Running, "running", "running"},
         {course::LabProgress::Stage::Conditions, "conditions", "checking the conditions"},
         {course::LabProgress::Stage::Placing, "placing", "locating the failure"}});

}  // namespace tilestep

namespace tilestep::course::lab_english {

// The texts about a graded text, in one table for reading, tests and translation.
inline constexpr Message kEmpty = "The text is empty.";
inline constexpr Message kNoText = "Byte {byte} is 0: this is not text.";
inline constexpr Message kCompiler = "Line {line}: {message}";
// A message without a line is about the launched kernel.
inline constexpr Message kEntry =
    "Keep the kernel's original name, template and parameters: {message}";
inline constexpr Message kWrong = "{element} is {value}, expected {expected}.";
inline constexpr Message kNeverStored = "No thread stored {element}, expected {expected}.";
inline constexpr Message kMoreWrong = " {wrong} of {elements} elements are wrong.";
inline constexpr Message kNoReference =
    "No expected result is given, so the kernel cannot be graded.";

// {what}: a count in the plural, or one thing.
inline constexpr Message kAtMost = "{what} are {value}; at most {limit} are allowed.";
inline constexpr Message kAtMostOne = "{what} are {value}; at most {limit} is allowed.";
inline constexpr Message kOneAtMost = "{what} is {value}; at most {limit} is allowed.";
inline constexpr Message kLess = "{what} are {value}; fewer than {limit} are allowed.";
inline constexpr Message kOneLess = "{what} is {value}; less than {limit} is allowed.";
inline constexpr Message kAtLeast = "{what} are {value}; at least {limit} are required.";
inline constexpr Message kOneAtLeast = "{what} is {value}; at least {limit} is required.";
inline constexpr Message kMore = "{what} are {value}; more than {limit} are required.";
inline constexpr Message kOneMore = "{what} is {value}; more than {limit} is required.";
inline constexpr Message kEqual = "{what} are {value}, expected {limit}.";
inline constexpr Message kOneEqual = "{what} is {value}, expected {limit}.";
inline constexpr Message kOther = "{what} are {value}, which is not allowed.";
inline constexpr Message kOneOther = "{what} is {value}, which is not allowed.";
// A limit that is computed: "64 = M * K".
inline constexpr Message kLimit = "{limit} = {formula}";
inline constexpr Message kMostOfThem = " Line {line} has most of them.";
inline constexpr Message kNotTrue = "{condition} does not hold.";
inline constexpr Message kNoValue = "{condition} has no value: {reason}";
inline constexpr Message kSum = "{a} plus {b}";
inline constexpr Message kOfKernel = "{count} of {kernel}";

inline constexpr Message kSizes = "{m}×{n}×{k}";
inline constexpr Message kBlockSize = ", BLOCK_SIZE {block_size}";
inline constexpr Message kSchedule = ", {schedule}";
inline constexpr Message kRunAhead = ", warp {warp} runs ahead";
inline constexpr Message kWarpSize = ", {lanes} lanes per warp";
inline constexpr Message kOneLane = ", one lane per warp";

}  // namespace tilestep::course::lab_english
