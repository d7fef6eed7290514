// Expressions about a run: the answers of a lesson's questions, and the numbers between {{ }} in
// its texts. docs/formats/lesson-expressions.md, has the table of functions.
//
//   value(Cvalue, b0, t0, phase-start:2) - value(Cvalue, b0, t0, phase-start:4)
//
// This file defines their form; course/answers.h evaluates them.
#pragma once

#include "lesson/place.h"
#include "problem/result.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilestep::lesson {

struct Expression {
  enum class Kind : std::uint8_t {
    Number,   // 12, 1e6
    Text,     // 'shared-memory race'
    Name,     // M, error.max, loads.A, yes
    Cell,     // As[1][2]
    Place,    // phase-start:2
    Block,    // b1
    Thread,   // t5
    Warp,     // w0
    Setting,  // block_size = 2, inside with(): `text` is its key
    Unary,    // `text` is the operator
    Binary,   // likewise
    Call,     // `text` is the function
    Field,    // of the call that is its only part: `text` is "load.line"
  };
  Kind kind = Kind::Number;
  std::string text;
  double number = 0.0;  // Number, Block, Thread, Warp
  lesson::Place place;
  std::vector<Expression> parts;
  std::string source;  // as it was written
};

// Fails with a sentence about the text: an unknown name, or arguments that do not fit.
[[nodiscard]] Result<Expression> parse_expression(const std::string& text);

// The table of functions of expressions, and the check of a call against it.

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
