#include "course/number_answers.h"

#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace tilestep::course {
namespace {

Result<Value> finite(double number) {
  return std::isfinite(number) ? Result<Value>(number_value(number))
                               : fail(tr("The result is no finite number."));
}

Result<Value> ceil_div_answer(const Asked& asked) {
  const auto a = number_of(asked, 0);
  const auto b = number_of(asked, 1);
  if (!a || !b) {
    return tl::unexpected(a ? b.error() : a.error());
  }
  return *b == 0.0 ? fail(tr("It divides by zero.")) : finite(std::ceil(*a / *b));
}

Result<Value> best_of(const Asked& asked, bool (*is_better)(double, double)) {
  Result<double> best = number_of(asked, 0);
  for (std::size_t i = 1; best && i < argument_count(asked); ++i) {
    const Result<double> next = number_of(asked, i);
    best = !next ? next : is_better(*next, *best) ? next : best;
  }
  return best ? Result<Value>(number_value(*best)) : tl::unexpected(best.error());
}
Result<Value> min_answer(const Asked& asked) {
  return best_of(asked, [](double a, double b) { return a < b; });
}
Result<Value> max_answer(const Asked& asked) {
  return best_of(asked, [](double a, double b) { return a > b; });
}

Result<Value> abs_answer(const Asked& asked) {
  const auto of = number_of(asked, 0);
  return of ? finite(std::abs(*of)) : tl::unexpected(of.error());
}
Result<Value> sqrt_answer(const Asked& asked) {
  const auto of = number_of(asked, 0);
  return of ? finite(std::sqrt(*of)) : tl::unexpected(of.error());
}

Result<Value> floor_answer(const Asked& asked) {
  const auto of = number_of(asked, 0);
  return of ? finite(std::floor(*of)) : tl::unexpected(of.error());
}

double read_back(const std::string& text) {
  double number = 0.0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// To so many decimals, or so many digits in all.
Result<Value> rounded(const Asked& asked, bool to_digits) {
  constexpr int kMostDigits = 15;
  const auto of = number_of(asked, 0);
  const auto digits = argument_count(asked) > 1 ? whole_number_of(asked, 1) : Result<int>(0);
  if (!of || !digits) {
    return tl::unexpected(of ? digits.error() : of.error());
  }
  if (*digits < (to_digits ? 1 : 0) || *digits > kMostDigits) {
    return fail(tr("{} digits are too few or too many.", *digits));
  }
  return number_value(read_back(to_digits ? fmt::format("{:.{}e}", *of, *digits - 1)
                                          : fmt::format("{:.{}f}", *of, *digits)));
}
Result<Value> round_answer(const Asked& asked) {
  return rounded(asked, false);
}
Result<Value> digits_answer(const Asked& asked) {
  return rounded(asked, true);
}

Result<Value> arithmetic(char op, double a, double b) {
  switch (op) {
    case '+':
      return finite(a + b);
    case '-':
      return finite(a - b);
    case '*':
      return finite(a * b);
    case '/':
      return b == 0.0 ? fail(tr("It divides by zero.")) : finite(a / b);
    default:
      return b == 0.0 ? fail(tr("It divides by zero.")) : finite(std::fmod(a, b));
  }
}

constexpr std::array kNumberAnswers = std::to_array<AnswerOf>({{"ceil_div", ceil_div_answer},
                                                               {"min", min_answer},
                                                               {"max", max_answer},
                                                               {"abs", abs_answer},
                                                               {"sqrt", sqrt_answer},
                                                               {"floor", floor_answer},
                                                               {"round", round_answer},
                                                               {"digits", digits_answer}});

}  // namespace

std::span<const AnswerOf> number_answers() {
  return kNumberAnswers;
}

Result<Value> unary_answer(const std::string& op, const Value& of) {
  if (op == "!") {
    return of.kind == Value::Kind::YesNo
               ? Result<Value>(yes_no_value(!of.is_yes()))
               : fail(tr("! is of yes or no, not of {}.", kind_word(of.kind)));
  }
  return is_countable(of) ? finite(-of.number)
                          : fail(tr("- is of a number, not of {}.", kind_word(of.kind)));
}

Result<Value> binary_answer(const std::string& op, const Value& left, const Value& right) {
  if (op == "==" || op == "!=") {
    return yes_no_value(are_same(left, right) == (op == "=="));
  }
  if (!is_countable(left) || !is_countable(right)) {
    return fail(
        tr("{} is of numbers, not of {} and {}.", op, kind_word(left.kind), kind_word(right.kind)));
  }
  const double a = left.number;
  const double b = right.number;
  if (op == "&&" || op == "||") {
    return yes_no_value(op == "&&" ? a != 0.0 && b != 0.0 : a != 0.0 || b != 0.0);
  }
  if (op == "<" || op == ">") {
    return yes_no_value(!are_same(number_value(a), number_value(b)) && (op == "<" ? a < b : a > b));
  }
  if (op == "<=" || op == ">=") {
    return yes_no_value(are_same(number_value(a), number_value(b)) || (op == "<=" ? a < b : a > b));
  }
  return arithmetic(op.front(), a, b);
}

}  // namespace tilestep::course
