// One call in an expression, with what it is asked of; what the functions behind the table of
// lesson/functions.h share.
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
  std::string field = {};  // that follows the call: "load.line"

  [[nodiscard]] Run& run() const { return runs.of(setup_of(at.state)); }
};

// A function of the table.
struct AnswerOf {
  std::string_view name;
  Result<Value> (*answer)(const Asked&);
};

// Of the same state and place.
[[nodiscard]] Result<Value> evaluate(const Asked& asked, const lesson::Expression& expression);

// The arguments by position: without blocks, threads, warps, places and settings.
[[nodiscard]] std::vector<const lesson::Expression*> arguments_of(const lesson::Expression& call);
[[nodiscard]] std::size_t argument_count(const Asked& asked);
// Of the argument at `index`, which is there: the table says so.
[[nodiscard]] Result<double> number_of(const Asked& asked, std::size_t index);
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
// As the call's b, t, w and place say, or else the state's focus and place. Fails where the run has
// no such block, thread or place.
[[nodiscard]] Result<Spot> spot_of(const Asked& asked);
// What the statement did that ended there: the one that the stage shows as just executed.
[[nodiscard]] record::Activity statement_before(const Spot& spot);

[[nodiscard]] Value thread_value(const simt::Program& program, std::uint32_t block,
                                 std::uint32_t thread);

// What a whole launch is, costs and gets wrong.
[[nodiscard]] std::span<const AnswerOf> launch_answers();

// error.max and error.average: of the fast build, relative to the reference.
[[nodiscard]] Result<Value> error_answer(const Asked& asked, bool average);

// count(PATH): which of a launch's counts a path like loads.A names. docs/formats.md,
// "Expressions", has the table.
[[nodiscard]] Result<double> count_at(const Counted& counted, const std::string& path);

// What the same expression is worth for other set-ups.
[[nodiscard]] std::span<const AnswerOf> setup_answers();

// What was measured: read from the data set.
[[nodiscard]] std::span<const AnswerOf> timing_answers();

// Operators and functions of numbers.
[[nodiscard]] std::span<const AnswerOf> number_answers();

[[nodiscard]] Result<Value> unary_answer(const std::string& op, const Value& of);
[[nodiscard]] Result<Value> binary_answer(const std::string& op, const Value& left,
                                          const Value& right);

// What threads and cells hold, read and store, at a place in a run.
[[nodiscard]] std::span<const AnswerOf> thread_answers();

}  // namespace tilestep::course
