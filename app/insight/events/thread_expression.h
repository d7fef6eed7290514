// Value of an expression in a thread at a step: "t == 1", "acc", "As[1][2] - As[0][2]".
//
// Names, in order of precedence: threadIdx, blockIdx, blockDim, gridDim (with .x, .y, .z),
// warpSize, lane, warp, step and statement (counted from 1, as on the timeline); variables in the
// thread's scope, with members and indices; elements of shared arrays and buffers.
#pragma once

#include "problem/launch/expression.h"
#include "problem/result.h"
#include "record/recording.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tilestep::insight {

class ThreadExpression {
 public:
  // Fails if the text is wrong for every kernel.
  [[nodiscard]] static Result<ThreadExpression> parse(const std::string& text);
  // Error for names that mean nothing anywhere in this kernel; it lists the available names.
  [[nodiscard]] std::optional<Error> mistake(const simt::Program& program) const;

  // Empty if a name has no value yet, or none any more. Fails if a value is not a number, and on a
  // division by zero.
  [[nodiscard]] Result<std::optional<double>> evaluate(const record::Recording& recording,
                                                       const record::State& state,
                                                       std::uint32_t block, std::uint32_t thread);
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  ThreadExpression(std::string text, problem::NamedExpression whole, problem::NamedExpression real)
      : text_(std::move(text)), whole_(std::move(whole)), real_(std::move(real)) {}

  std::string text_;
  problem::NamedExpression whole_;
  problem::NamedExpression real_;  // used as soon as a float takes part
};

// "3", "0.5", "NaN": as conditions and watches show it.
[[nodiscard]] std::string expression_value(std::optional<double> value);

}  // namespace tilestep::insight
