// The process that grades one submission, and what it tells the one that started it.
#pragma once

#include "cli/context.h"
#include "cli/lab_batch.h"
#include "course/lab.h"

#include <nlohmann/json.hpp>

#include <string>

namespace tilestep::cli {

// Reads the text from standard input, limits this process, and prints a line of JSON whenever it
// begins something, {"row": 0, "stage": "compiling"}, and {"grade": …} in the last one.
[[nodiscard]] int work_on_lab(const NamedLab& lab, const LabLimits& limits, Context& context);

// What those lines say.
struct LabWork {
  course::LabProgress at;  // what it began last
  nlohmann::json grade;    // null: it came to none
};
[[nodiscard]] LabWork read_lab_work(const std::string& lines);

// Of a text that was not graded to the end.
[[nodiscard]] course::LabGrade cut_off_grade(const lesson::Lab& lab, const course::LabProgress& at,
                                             const std::string& text, course::LabOutcome outcome,
                                             std::string sentence);
// "The compiler had not ended after 5 s and was cut off."
[[nodiscard]] std::string cut_off_sentence(const course::LabProgress& at, const LabLimits& limits);
[[nodiscard]] std::string memory_sentence(const LabLimits& limits);

}  // namespace tilestep::cli
