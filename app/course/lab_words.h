// What is said of a lab's rows and conditions.
#pragma once

#include "course/answers.h"
#include "lesson/lesson.h"

#include <optional>
#include <string>

namespace tilestep::course {

// "10×7×8, BLOCK_SIZE 4, sequential": what a row launches, without the kernel. A schedule and a
// width of the warp are named where they are not the usual ones.
[[nodiscard]] std::string launch_text(const state::AppState& state,
                                      const problem::Catalog& catalog);

// "loads of A" for count(loads.A), "loads of B of tiled" for with(kernel = tiled, count(loads.B)),
// "table[0][1]" for cell(table[0][1], end), "1.1 * K" as it stands.
[[nodiscard]] std::string words_of_expression(const lesson::Expression& expression);
// Of count(PATH); nothing where there are none.
[[nodiscard]] std::optional<std::string> words_of_count(const std::string& path);

// Why a condition that is worth "no" does not hold, with both of its numbers: "Loads of A are 128,
// at most 64 are allowed."
[[nodiscard]] std::string broken_condition(const lesson::Expression& condition,
                                           const lesson::Position& at, Answers& answers);

}  // namespace tilestep::course
