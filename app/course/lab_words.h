// Texts about a lab's rows and conditions.
#pragma once

#include "course/answers.h"
#include "lesson/lesson.h"
#include "problem/words.h"

#include <optional>
#include <string>

namespace tilestep::course {

// "10×7×8, BLOCK_SIZE 4, sequential": a row's launch without the kernel. Names schedule and warp
// size only if they are not the defaults.
[[nodiscard]] std::string launch_text(const state::AppState& state,
                                      const problem::Catalog& catalog);

// "loads of A" for count(loads.A), "loads of B of tiled" for with(kernel = tiled, count(loads.B)),
// "table[0][1]" for cell(table[0][1], end), "1.1 * K" unchanged.
[[nodiscard]] std::string words_of_expression(const lesson::Expression& expression);

// Explains why a false condition does not hold, with both of its numbers: "Loads of A are 128, at
// most 64 are allowed."
[[nodiscard]] std::string broken_condition(const lesson::Expression& condition,
                                           const lesson::Position& at, Answers& answers);

}  // namespace tilestep::course

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
inline constexpr Message kNoReference = "No expected result is given, so it cannot be graded.";

// {what}: a count in the plural, or one thing.
inline constexpr Message kAtMost = "{what} are {value}; at most {limit} are allowed.";
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
