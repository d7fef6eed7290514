// Integer expressions of a launch description: "ceil_div(N, BLOCK_SIZE)".
//
// As in C: + - * / % (both truncate toward zero), unary -, ! , comparisons and && || (1 or 0), ? :,
// parentheses; ceil_div(a, b), min(a, b, …), max(a, b, …). Names: M, N, K, BLOCK_SIZE. Every value
// is an integer of magnitude at most 2^53; a larger value, a division by zero or a fraction is an
// Error, never a wrapped or rounded number.
#pragma once

#include "problem/launch/launch.h"
#include "problem/result.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilestep::problem {

// Whether a mistake in an expression is an error of its file. Checking the whole catalog takes 40%
// of reading it, so the window leaves it to the build, which reads the same file (precompile.cpp).
enum class Expressions { Checked, Known };

[[nodiscard]] Result<std::int64_t> evaluate_expression(const std::string& text,
                                                       const Parameters& parameters);

// A mistake in the text itself (syntax, an unknown name), independent of values; so a file can be
// refused at the expression's line.
[[nodiscard]] std::optional<Error> expression_mistake(const std::string& text);

// The value of "1.5", "-2.0f", "1e-3"; nullopt for an integer or anything else.
[[nodiscard]] std::optional<double> float_literal(const std::string& text);

// "matmul_tiled<BLOCK_SIZE>" → "matmul_tiled<4>": evaluates template arguments that are
// expressions; others (types, true) are unchanged.
[[nodiscard]] Result<std::string> evaluate_entry(const std::string& entry,
                                                 const Parameters& parameters);

// Expressions over named values, such as a debugger's condition: "tx == 3 && acc > 0.5".
//
// Operators, functions and precedences are those of a launch description (expression.h), and abs();
// && and || evaluate both sides. A name is a variable with members and indices: "threadIdx.x",
// "As[1][2]". Numbers are real.

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
