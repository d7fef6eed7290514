// The table of what expressions may ask of a run, and whether an expression asks for it rightly.
#pragma once

#include "lesson/expression.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tilestep::lesson {

struct FunctionOfRun {
  std::string_view name;
  // By position: 'e' an expression, 'c' a cell, 'n' a name, 'x' whatever the kernel's own
  // expressions may be. '?' after one: it may be left out; '*': any number of expressions follow.
  std::string_view arguments;
  // What may stand beside, in any order: 'b' a block, 't' a thread, 'w' a warp, 'p' a place; where
  // it does not, the state's own is meant. 's': settings.
  std::string_view also;
  std::string_view fields;  // that may follow, between blanks: "line kind"; empty: none
  std::string_view form;    // for messages: "value(NAME, b0, t0, PLACE)"
};
[[nodiscard]] std::span<const FunctionOfRun> functions_of_run();
[[nodiscard]] const FunctionOfRun* find_function(std::string_view name);
// A clause: what is not known, and what is.
[[nodiscard]] std::string unknown_function(const std::string& name);

// A clause about the first function, name or argument that is not as the table has it.
[[nodiscard]] std::optional<std::string> mistake_in(const Expression& expression);

}  // namespace tilestep::lesson
