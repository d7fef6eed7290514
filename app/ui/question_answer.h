// Answers as they are chosen with keys, in the form that state::ChooseAnswer takes: "A[1][2]",
// "(2,1)", "29", "-3.5". Pure.
#pragma once

#include "lesson/lesson.h"
#include "problem/problem.h"
#include "record/recording.h"
#include "state/app_state.h"
#include "ui/stage/geometry.h"
#include "ui/stage/sheet.h"
#include "workspace/shown_lesson.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tilestep::ui {

// "A[1][2]"; "x[5]" of a vector.
[[nodiscard]] std::string element_of(const Sheet& sheet, CellPlace place);
// Nothing: no sheet has it.
[[nodiscard]] std::optional<CellHit> find_element(const StageShape& shape, const std::string& name);
// The only array that a text names; empty: none, or several.
[[nodiscard]] std::string named_array(const StageShape& shape, const std::string& text);
// "(2,1)" → its linear index.
[[nodiscard]] std::optional<std::uint32_t> find_thread(const problem::Launch& launch,
                                                       const std::string& coordinates);

// One cell further; beyond an array's left or right edge the next array. From nothing: the first
// cell, of the array that the question names if it names one.
[[nodiscard]] std::string moved_cell(const StageShape& shape, const std::string& given, int dx,
                                     int dy, const std::string& ask = "");
[[nodiscard]] std::string moved_thread(const problem::Launch& launch, const std::string& given,
                                       int dx, int dy);
// From nothing: `from`.
[[nodiscard]] std::string moved_line(const std::string& given, int by, int from, int last);

// A number with one more character: a digit, a point, a minus in front (again: taken away), the
// line of a fraction.
// 'b' takes the last one away.
[[nodiscard]] std::string typed(std::string given, char what);

// What was given, as a reader has it: "yes" in the language that is spoken; of a choice its words.
[[nodiscard]] std::string told_answer(const workspace::ShownLesson& asked,
                                      const std::string& given);

// Where what was asked is to be seen: the latest place that the answer's expression names. Nothing:
// it is not of a place in the run, or not of one after the question.
[[nodiscard]] std::optional<std::uint64_t> step_of_answer(const lesson::Question& question,
                                                          const record::Recording& recording);
// Who is to be watched there: the thread that the answer's expression names; else `from`.
[[nodiscard]] state::Focus watched_thread(const lesson::Expression& answer, state::Focus from);

}  // namespace tilestep::ui
