// One call in an expression and its context; shared by the functions that implement the table of
// lesson/expression.h.
#pragma once

#include "course/run.h"
#include "course/value.h"
#include "lesson/expression.h"
#include "lesson/text.h"
#include "problem/result.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilestep::course {

struct Asked {
  Runs& runs;
  const lesson::Follow& follow;
  const lesson::Position& at;
  const lesson::Expression& call;
  std::string field = {};  // follows the call: "load.line"

  [[nodiscard]] Run& run() const { return runs.of(setup_of(at.state)); }
};

// An entry of the table.
struct AnswerOf {
  std::string_view name;
  Result<Value> (*answer)(const Asked&);
};

// Evaluates with the same state and place.
[[nodiscard]] Result<Value> evaluate(const Asked& asked, const lesson::Expression& expression);

// The arguments by position, without blocks, threads, warps, places and settings.
[[nodiscard]] std::vector<const lesson::Expression*> arguments_of(const lesson::Expression& call);
[[nodiscard]] std::size_t argument_count(const Asked& asked);
// The argument at `index`, which the table guarantees to exist.
[[nodiscard]] Result<double> number_of(const Asked& asked, std::size_t index);
// The first argument of this kind, such as a thread or a place; null: there is none.
[[nodiscard]] const lesson::Expression* part_of(const lesson::Expression& call,
                                                lesson::Expression::Kind kind);
// The number of an argument for a block, warp or thread; without one `otherwise`.
[[nodiscard]] std::uint32_t index_or(const lesson::Expression* part, std::uint32_t otherwise);
[[nodiscard]] Result<int> whole_number_of(const Asked& asked, std::size_t index);
[[nodiscard]] const std::string& name_of(const Asked& asked, std::size_t index);

// A thread of a run at a step.
struct Spot {
  const record::Recording& recording;
  std::uint64_t step = 0;
  std::uint32_t block = 0;
  std::uint32_t thread = 0;

  [[nodiscard]] const simt::Program& program() const { return recording.program(); }
  [[nodiscard]] std::uint32_t warp() const { return thread / program().warp_size(); }
  [[nodiscard]] std::uint32_t lane() const { return thread % program().warp_size(); }
};
// Uses the call's b, t, w and place; defaults are the state's focus and place. Fails if the run has
// no such block, thread or place.
[[nodiscard]] Result<Spot> spot_of(const Asked& asked);
// The statement that ended there: on the stage, the latest one.
[[nodiscard]] record::Activity statement_before(const Spot& spot);

[[nodiscard]] Value thread_value(const simt::Program& program, std::uint32_t block,
                                 std::uint32_t thread);

// Properties, costs and errors of a whole launch.
[[nodiscard]] std::span<const AnswerOf> launch_answers();

// error.max and error.average: of the fast build, relative to the reference.
[[nodiscard]] Result<Value> error_answer(const Asked& asked, bool average);

// count(PATH): the count of a launch that a path such as loads.A names.
// docs/formats/lesson-expressions.md, has the table.
[[nodiscard]] Result<double> count_at(const Counted& counted, const std::string& path);

// The line of the kernel's text with most of that count; 0: none.
[[nodiscard]] std::uint32_t line_of_count(const Counted& counted, const std::string& path);

// The value of an expression for other Setups.
[[nodiscard]] std::span<const AnswerOf> setup_answers();

// Measurements from the data set.
[[nodiscard]] std::span<const AnswerOf> timing_answers();

// One SM in time: estimated by its model, or measured.
[[nodiscard]] std::span<const AnswerOf> clock_answers();
// What one of them gives for an argument: "the number of clocks that one SM takes"; empty: unknown.
[[nodiscard]] std::string clock_words(std::string_view function, const std::string& argument);

// Operators and functions of numbers.
[[nodiscard]] std::span<const AnswerOf> number_answers();

[[nodiscard]] Result<Value> unary_answer(const std::string& op, const Value& of);
[[nodiscard]] Result<Value> binary_answer(const std::string& op, const Value& left,
                                          const Value& right);

// Contents, loads and stores of threads and cells at a place in a run.
[[nodiscard]] std::span<const AnswerOf> thread_answers();

}  // namespace tilestep::course
