// The table of functions of expressions, and the check of a call against it.
#pragma once

#include "lesson/expression.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tilestep::lesson {

// A row of the table.
struct FunctionOfRun {
  std::string_view name;
  // The arguments by position: 'e' an expression, 'c' a cell, 'n' a name, 'x' any expression of the
  // kernel's. '?' after one: optional; '*': any number of expressions follow.
  std::string_view arguments;
  // Optional arguments in any order: 'b' a block, 't' a thread, 'w' a warp, 'p' a place; the
  // state's own are the default. 's': settings.
  std::string_view also;
  std::string_view fields;  // fields that may follow, separated by blanks: "line kind"; empty: none
  std::string_view form;    // for messages: "value(NAME, b0, t0, PLACE)"
};
[[nodiscard]] std::span<const FunctionOfRun> functions_of_run();
[[nodiscard]] const FunctionOfRun* find_function(std::string_view name);
// A clause that says the function is unknown and which ones exist.
[[nodiscard]] std::string unknown_function(const std::string& name);

// A clause about the first function, name or argument that does not match the table.
[[nodiscard]] std::optional<std::string> mistake_in(const Expression& expression);

}  // namespace tilestep::lesson
