// Expressions with this run's numbers put in: "t * BLOCK_SIZE + tx" is "1·4 + 2". What is printed
// holds: the printed text itself is computed and compared with what the machine has.
#pragma once

#include "narration/sentence.h"
#include "narration/thread_view.h"

#include <functional>
#include <optional>
#include <string>

namespace tilestep::narration {

// Whose number a name holds.
using HueOf = std::function<Hue(const std::string& name)>;

struct Printed {
  Pieces pieces;
  Number value;
  int binding = 11;  // of the operator that is printed outermost; 11: none
  bool is_number = true;
  bool rounds = false;  // an integer division that leaves a rest
};

// With values of a thread at a step. Nothing where a part of it cannot be told.
[[nodiscard]] std::optional<Printed> printed(const Expression& expression, const ThreadView& view,
                                             const HueOf& hue);
[[nodiscard]] std::optional<Number> value_of(const Expression& expression, const ThreadView& view);
// The name whose number an expression gives: "As" of "As[ty][e]".
[[nodiscard]] std::string base_name(const Expression& expression);

// What a printed text comes to, by the rules of C: "1·4 + 2" is 6.
[[nodiscard]] std::optional<Number> computed(const std::string& text);

// How a printed text and a number compare.
enum class Holds : std::uint8_t { Not, Nearly, Exactly };
[[nodiscard]] Holds holds(const std::string& text, const Number& result);

// "acc = 71 + (−3)·9 = 44" of an assignment; "acc = 44" where the sum would not hold or says
// nothing more. `target`: how the left side is called; `after`: the value that it has now.
[[nodiscard]] Pieces equation(const Assignment& assignment, const std::string& target,
                              const Number& after, const ThreadView& before, const HueOf& hue);

// Whose number a target is, or else what was assigned to it.
[[nodiscard]] Hue hue_of(const Expression& expression, const HueOf& hue);

}  // namespace tilestep::narration
