#include "problem/launch/expression.h"

#include "problem/launch/expression_grammar.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "problem/values/number.h"

#include <fmt/format.h>
#include <muParser.h>
#include <mutex>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

namespace tilestep::problem {
namespace {

// muParser computes in double, where integers are exact up to this limit.
constexpr double kLargest = 9007199254740992.0;  // 2^53

// Our operators throw these through muParser; they never leave this file.
struct Unusable {  // for these values of M, N, K, BLOCK_SIZE
  std::string cause;
};
struct Fraction {  // only literals can be fractions
  double value;
};

// Number type of a launch description: integers, computed exactly.
struct ExactNumbers {
  static double operand(double value) {
    if (value != std::trunc(value)) {
      throw Fraction{value};
    }
    return value;
  }
  static double result(double value) {
    if (!(std::abs(value) <= kLargest)) {
      throw Unusable{tr("a value is larger than 2^53")};
    }
    return value;
  }
  static double divisor(double value) {
    if (operand(value) == 0.0) {
      throw Unusable{tr("it divides by zero")};
    }
    return value;
  }
  // Exact although the quotient is rounded: the remainder of two doubles is exact, and the
  // difference is a multiple of the divisor.
  static double quotient(double a, double b) {
    divisor(b);
    return (operand(a) - std::fmod(a, b)) / b;
  }
  static double remainder(double a, double b) {
    divisor(b);
    return std::fmod(operand(a), b);
  }
  static double ceil_div(double a, double b) {
    const double rounded = quotient(a, b);
    const bool rounds_up = std::fmod(a, b) != 0.0 && (a < 0.0) == (b < 0.0);
    return rounds_up ? rounded + 1.0 : rounded;
  }
};

// Values by their names in expressions.
using Sizes = std::array<std::pair<const char*, double>, 4>;
Sizes sizes_of(const Parameters& parameters) {
  const auto& [M, N, K] = parameters.problem;
  return {{{"M", M}, {"N", N}, {"K", K}, {"BLOCK_SIZE", parameters.block_size}}};
}

// muParser keeps pointers to the sizes.
mu::Parser grammar_over(Sizes& sizes) {
  mu::Parser parser;
  define_grammar<ExactNumbers>(parser);
  for (auto& [name, value] : sizes) {
    parser.DefineVar(name, &value);
  }
  return parser;
}

// One parser for all threads, because making one takes longer than using it. Not one a thread: with
// MinGW-w64 a thread's variables are freed before their destructors run.
class SharedParser {
 public:
  double value(const std::string& text, const Parameters& parameters) {
    const std::lock_guard lock(mutex_);
    sizes_ = sizes_of(parameters);
    parser_.SetExpr(text);
    const double value = ExactNumbers::result(ExactNumbers::operand(parser_.Eval()));
    if (parser_.GetNumResults() != 1) {
      throw Unusable{tr("it has a comma outside a function call")};
    }
    return value;
  }

 private:
  std::mutex mutex_;
  Sizes sizes_ = sizes_of({});
  mu::Parser parser_ = grammar_over(sizes_);
};

double parsed_value(const std::string& text, const Parameters& parameters) {
  static const std::unique_ptr<SharedParser> shared = std::make_unique<SharedParser>();
  return shared->value(text, parameters);
}

// muParser's token may be the rest of the text.
std::string describe_unknown(const std::string& token) {
  const bool is_name = std::isalpha(static_cast<unsigned char>(token[0])) != 0 || token[0] == '_';
  if (!is_name) {
    return tr("unknown '{}'; the operators are + - * / % < <= > >= == != && || !",
              token.substr(0, token.find(' ')));
  }
  return tr(
      "unknown name '{}'; known names are M, N, K, BLOCK_SIZE and ceil_div(a, b), min(a, b), "
      "max(a, b)",
      token);
}

std::string describe(const mu::ParserError& error) {
  switch (error.GetCode()) {
    case mu::ecUNASSIGNABLE_TOKEN:
      return describe_unknown(error.GetToken());
    case mu::ecUNEXPECTED_EOF:
      return tr("it is incomplete");
    case mu::ecMISSING_PARENS:
    case mu::ecUNEXPECTED_PARENS:
      return tr("its parentheses do not match");
    case mu::ecTOO_MANY_PARAMS:
    case mu::ecTOO_FEW_PARAMS:
      return tr("'{}' has the wrong number of arguments", error.GetToken());
    case mu::ecEXPRESSION_TOO_LONG:
      return tr("it is too long");
    default:
      return error.GetToken().empty() ? tr("it is not an expression")
                                      : tr("unexpected '{}'", error.GetToken());
  }
}

struct Outcome {
  double value = 0.0;
  std::string mistake;   // in the text
  std::string unusable;  // with these values
};

// Fast path for most expressions, which are one number or one name: a parser is expensive.
std::optional<double> plain_value(const std::string& text, const Parameters& parameters) {
  for (const auto& [name, value] : sizes_of(parameters)) {
    if (text == name) {
      return value;
    }
  }
  std::uint32_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && stopped == end ? std::optional<double>(number) : std::nullopt;
}

Outcome run(const std::string& text, const Parameters& parameters) {
  Outcome outcome;
  if (const auto value = plain_value(text, parameters)) {
    outcome.value = *value;
    return outcome;
  }
  try {
    outcome.value = parsed_value(text, parameters);
  } catch (const mu::ParserError& error) {
    outcome.mistake = describe(error);
  } catch (const Fraction& fraction) {
    outcome.mistake = tr("{} is not an integer", fraction.value);
  } catch (const Unusable& unusable) {
    outcome.unusable = unusable.cause;
  }
  return outcome;
}

std::string excerpt(const std::string& text) {
  return fmt::format("\"{}\"", shortened(text));
}

// Splits "a, f(b, c), d<e, g>" at its top-level commas only.
std::vector<std::string> split_arguments(std::string_view list) {
  std::vector<std::string> arguments(1);
  int depth = 0;
  for (const char c : list) {
    depth += c == '(' || c == '<' ? 1 : 0;
    depth -= c == ')' || c == '>' ? 1 : 0;
    if (c == ',' && depth == 0) {
      arguments.emplace_back();
    } else {
      arguments.back() += c;
    }
  }
  return arguments;
}

}  // namespace

Result<std::int64_t> evaluate_expression(const std::string& text, const Parameters& parameters) {
  const Outcome outcome = run(text, parameters);
  const std::string& cause = outcome.mistake.empty() ? outcome.unusable : outcome.mistake;
  if (!cause.empty()) {
    return fail(tr("{} is not valid: {}.", excerpt(text), cause));
  }
  return static_cast<std::int64_t>(outcome.value);
}

std::optional<Error> expression_mistake(const std::string& text) {
  const Outcome outcome = run(text, Parameters{{1, 1, 1}, 1});
  if (outcome.mistake.empty()) {
    return std::nullopt;
  }
  return Error{tr("{} is not valid: {}.", excerpt(text), outcome.mistake)};
}

std::optional<double> float_literal(const std::string& text) {
  std::string digits(trimmed(text));
  if (digits.find_first_of(".eE") == std::string::npos) {
    return std::nullopt;
  }
  if (digits.ends_with('f') || digits.ends_with('F')) {
    digits.pop_back();
  }
  double value = 0.0;
  const char* const end = digits.data() + digits.size();
  const auto [stopped, error] = read_number(digits.data(), end, value);
  if (error != std::errc{} || stopped != end) {
    return std::nullopt;
  }
  return value;
}

Result<std::string> evaluate_entry(const std::string& entry, const Parameters& parameters) {
  const auto open = entry.find('<');
  const auto close = entry.rfind('>');
  if (open == std::string::npos || close == std::string::npos || close < open) {
    return entry;
  }
  std::string list;
  for (const std::string& argument :
       split_arguments(std::string_view(entry).substr(open + 1, close - open - 1))) {
    const Outcome outcome = run(argument, parameters);
    if (!outcome.unusable.empty()) {
      return fail(tr("\"{}\" is not valid: {}.", trimmed(argument), outcome.unusable));
    }
    list += list.empty() ? "" : ", ";
    list += outcome.mistake.empty() ? std::to_string(static_cast<std::int64_t>(outcome.value))
                                    : std::string(trimmed(argument));
  }
  return entry.substr(0, open + 1) + list + entry.substr(close);
}

}  // namespace tilestep::problem
