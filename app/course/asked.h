// One call in an expression, with what it is asked of; what the functions behind the table of
// lesson/functions.h share.
#pragma once

#include "course/run.h"
#include "course/value.h"
#include "lesson/expression.h"
#include "lesson/link.h"
#include "problem/result.h"

#include <cstdint>
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

}  // namespace tilestep::course
