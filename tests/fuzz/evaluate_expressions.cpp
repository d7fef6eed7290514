// Expressions of a launch description: an integer of magnitude at most 2^53, or a sentence; never a
// value if the text itself is wrong.
#include "problem/launch/expression.h"
#include "problem/text.h"
#include "require.h"
#include "targets.h"

namespace tilestep::fuzz {
namespace {

constexpr std::int64_t kLargestValue = std::int64_t{1} << 53;

}  // namespace

void evaluate_expressions(Bytes bytes) {
  const std::string text = text_of(bytes);
  const auto mistake = problem::expression_mistake(text);
  for (const problem::Parameters& parameters :
       {problem::Parameters{{5, 3, 7}, 1}, problem::Parameters{{2147483647, 1, 4096}, 32}}) {
    const auto value = problem::evaluate_expression(text, parameters);
    require(!value || !mistake, "a text with a mistake has no value: " + text);
    require(!value || (*value <= kLargestValue && *value >= -kLargestValue),
            "a value is at most 2^53: " + text);
    require(value || !value.error().message.empty(), "an error has a sentence");
    const auto entry = problem::evaluate_entry(text, parameters);
    require(entry || !entry.error().message.empty(), "an error has a sentence");
  }
  (void)mentions(text, "BLOCK_SIZE");
  (void)problem::float_literal(text);
}

}  // namespace tilestep::fuzz
