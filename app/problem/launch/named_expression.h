// Expressions over named values, such as a debugger's condition: "tx == 3 && acc > 0.5".
//
// Operators, functions and precedences are those of a launch description (expression.h), and abs();
// && and || evaluate both sides. A name is a variable with members and indices: "threadIdx.x",
// "As[1][2]". Numbers are real.
#pragma once

#include "problem/result.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tilestep::problem {

// How / and % treat two whole numbers: as C's integers, or as floats.
enum class Division { Integer, Real };

class NamedExpression {
 public:
  // Fails with a sentence about the mistake and its position.
  [[nodiscard]] static Result<NamedExpression> parse(const std::string& text, Division division);
  ~NamedExpression();
  NamedExpression(NamedExpression&&) noexcept;
  NamedExpression& operator=(NamedExpression&&) noexcept;
  NamedExpression(const NamedExpression&) = delete;
  NamedExpression& operator=(const NamedExpression&) = delete;

  // In the order of first appearance.
  [[nodiscard]] const std::vector<std::string>& names() const;
  // `values` in the order of names(). Fails at an integer division by zero.
  [[nodiscard]] Result<double> evaluate(std::span<const double> values);

 private:
  struct Impl;
  explicit NamedExpression(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace tilestep::problem
