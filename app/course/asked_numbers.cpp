// Operators and functions of numbers, other Setups, and measurements.
#include "course/asked.h"
#include "problem/tr.h"
#include "problem/values/number.h"
#include "problem/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace tilestep::course {
namespace {

Result<Value> finite(double number) {
  return std::isfinite(number) ? Result<Value>(number_value(number))
                               : fail(tr("The result is not finite."));
}

Result<Value> ceil_div_answer(const Asked& asked) {
  const auto a = number_of(asked, 0);
  const auto b = number_of(asked, 1);
  TILESTEP_RETURN_IF_ERROR(a);
  TILESTEP_RETURN_IF_ERROR(b);
  return *b == 0.0 ? fail(tr("The expression divides by zero.")) : finite(std::ceil(*a / *b));
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
  problem::read_number(text.data(), text.data() + text.size(), number);
  return number;
}

// Rounds to a number of decimals, or of significant digits.
Result<Value> rounded(const Asked& asked, bool to_digits) {
  constexpr int kMostDigits = 15;
  const auto of = number_of(asked, 0);
  const auto digits = argument_count(asked) > 1 ? whole_number_of(asked, 1) : Result<int>(0);
  TILESTEP_RETURN_IF_ERROR(of);
  TILESTEP_RETURN_IF_ERROR(digits);
  if (*digits < (to_digits ? 1 : 0) || *digits > kMostDigits) {
    return fail(tr("{} digits are too few or too many: write 1 to 15.", *digits));
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
      return b == 0.0 ? fail(tr("The expression divides by zero.")) : finite(a / b);
    default:
      return b == 0.0 ? fail(tr("The expression divides by zero.")) : finite(std::fmod(a, b));
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

using Kind = lesson::Expression::Kind;

// A setting's value as in a link.
Result<std::string> setting_text(const Asked& asked, const lesson::Expression& value) {
  if (value.kind == Kind::Name && value.text != "M" && value.text != "N" && value.text != "K" &&
      value.text != "BLOCK_SIZE") {
    return value.text;
  }
  const auto found = evaluate(asked, value);
  return found ? Result<std::string>(plain_text_of(*found)) : tl::unexpected(found.error());
}

Result<lesson::Position> moved(const Asked& asked, const std::vector<lesson::Change>& changes) {
  return asked.follow(asked.at, changes);
}

Result<Value> with_answer(const Asked& asked) {
  std::vector<lesson::Change> changes;
  for (const lesson::Expression& part : asked.call.parts) {
    if (part.kind != Kind::Setting) {
      continue;
    }
    auto text = setting_text(asked, part.parts.front());
    TILESTEP_RETURN_IF_ERROR(text);
    changes.push_back({part.text, std::move(*text)});
  }
  const auto there = moved(asked, changes);
  TILESTEP_RETURN_IF_ERROR(there);
  const lesson::Expression& what = *arguments_of(asked.call).front();
  return evaluate({asked.runs, asked.follow, *there, what}, what);
}

struct Candidate {
  Value value;
  std::string text;
  double worth = 0.0;
};

// The last argument's value for each value of the setting, in ascending order.
Result<std::vector<Candidate>> sorted_candidates(const Asked& asked) {
  const auto arguments = arguments_of(asked.call);
  const lesson::Expression& what = *arguments.back();
  std::vector<Candidate> all;
  for (std::size_t i = 1; i + 1 < arguments.size(); ++i) {
    auto text = setting_text(asked, *arguments[i]);
    const auto there =
        text ? moved(asked, {{arguments[0]->text, *text}}) : tl::unexpected(text.error());
    TILESTEP_RETURN_IF_ERROR(there);
    const auto worth = evaluate({asked.runs, asked.follow, *there, what}, what);
    TILESTEP_RETURN_IF_ERROR(worth);
    const auto value = arguments[i]->kind == Kind::Name ? Result<Value>(text_value(*text))
                                                        : evaluate(asked, *arguments[i]);
    if (!value || worth->kind != Value::Kind::Number) {
      return value ? fail(tr("{} is {}, not a number.", what.source, kind_word(worth->kind)))
                   : tl::unexpected(value.error());
    }
    all.push_back({*value, std::move(*text), worth->number});
  }
  std::ranges::stable_sort(all, {}, &Candidate::worth);
  return all;
}

Error tie(const lesson::Expression& what, const Candidate& a, const Candidate& b) {
  return {tr("{} is the same for {} and {}.", what.source, a.text, b.text)};
}

Result<Value> extreme(const Asked& asked, bool largest) {
  auto all = sorted_candidates(asked);
  TILESTEP_RETURN_IF_ERROR(all);
  if (largest) {
    std::ranges::reverse(*all);
  }
  if ((*all)[0].worth == (*all)[1].worth) {
    return tl::unexpected(tie(*arguments_of(asked.call).back(), (*all)[0], (*all)[1]));
  }
  return all->front().value;
}
Result<Value> argmax_answer(const Asked& asked) {
  return extreme(asked, true);
}
Result<Value> argmin_answer(const Asked& asked) {
  return extreme(asked, false);
}

// "32, 24, 16": in ascending order.
Result<Value> order_answer(const Asked& asked) {
  const auto all = sorted_candidates(asked);
  TILESTEP_RETURN_IF_ERROR(all);
  std::string text;
  for (std::size_t i = 0; i < all->size(); ++i) {
    if (i > 0 && (*all)[i].worth == (*all)[i - 1].worth) {
      return tl::unexpected(tie(*arguments_of(asked.call).back(), (*all)[i - 1], (*all)[i]));
    }
    text += (i == 0 ? "" : ", ") + (*all)[i].text;
  }
  return text_value(std::move(text));
}

constexpr std::array kSetupAnswers = std::to_array<AnswerOf>({{"with", with_answer},
                                                              {"argmax", argmax_answer},
                                                              {"argmin", argmin_answer},
                                                              {"order", order_answer}});

Result<const timing::DataSet*> data_of(const Asked& asked) {
  const timing::UnreadDataSet* const dataset = asked.runs.tools().dataset;
  if (dataset == nullptr) {
    return fail(tr("There is no data set."));
  }
  const Result<timing::DataSet>& data = dataset->read();
  return data ? Result<const timing::DataSet*>(&*data) : tl::unexpected(data.error());
}

// time(KERNEL, N, BLOCK_SIZE), or time(KERNEL, M, N, K, BLOCK_SIZE); BLOCK_SIZE 0: the kernel has
// none.
Result<const timing::Point*> point_of(const Asked& asked) {
  const std::string& kernel = name_of(asked, 0);
  const std::size_t count = argument_count(asked);
  if (count != 3 && count != 5) {
    return fail(tr("Write {0}(KERNEL, N, BLOCK_SIZE) or {0}(KERNEL, M, N, K, BLOCK_SIZE).",
                   asked.call.text));
  }
  std::array<int, 4> numbers{};
  for (std::size_t i = 0; i + 1 < count; ++i) {
    const auto number = whole_number_of(asked, i + 1);
    TILESTEP_RETURN_IF_ERROR(number);
    numbers[i] = *number;
  }
  const bool is_square = count == 3;
  const problem::Problem size = is_square ? problem::Problem{numbers[0], numbers[0], numbers[0]}
                                          : problem::Problem{numbers[0], numbers[1], numbers[2]};
  const int block_size = is_square ? numbers[1] : numbers[3];
  const auto data = data_of(asked);
  TILESTEP_RETURN_IF_ERROR(data);
  const timing::Point* const point = (*data)->find(kernel, size, block_size);
  if (point == nullptr) {
    return fail(tr("The data set {} has no point of {} at {}×{}×{} with BLOCK_SIZE {}.",
                   (*data)->name, kernel, size.M, size.N, size.K, block_size));
  }
  return point;
}

Result<const timing::Point*> measured_point_of(const Asked& asked) {
  auto point = point_of(asked);
  if (point && (*point)->samples_ms.empty()) {
    return fail(tr("{} was not timed at this point: {}", (*point)->kernel, (*point)->note));
  }
  return point;
}

Result<Value> time_answer(const Asked& asked) {
  const auto point = measured_point_of(asked);
  return point ? Result<Value>(number_value((*point)->median_ms())) : tl::unexpected(point.error());
}

// The time with a warm L2 cache.
Result<Value> warm_time_answer(const Asked& asked) {
  const auto point = point_of(asked);
  TILESTEP_RETURN_IF_ERROR(point);
  if ((*point)->warm_samples_ms.empty()) {
    return fail(tr("{} was not timed with a warm cache at this point.", (*point)->kernel));
  }
  return number_value(timing::statistics((*point)->warm_samples_ms).median_ms);
}

constexpr Message kNoCeilings =
    "The data set has no ceilings. Measure them: tilestep ceilings --add FILE.";

// ceiling(dram_gb_s): the GPU's measured maximum.
Result<Value> ceiling_answer(const Asked& asked) {
  const auto data = data_of(asked);
  TILESTEP_RETURN_IF_ERROR(data);
  if (!(*data)->provenance.ceilings) {
    return fail(kNoCeilings.text());
  }
  const timing::Ceilings& ceilings = *(*data)->provenance.ceilings;
  const timing::Copies copies = ceilings.copies.value_or(timing::Copies{});
  const std::array<std::pair<const char*, double>, 9> known{{
      {"dram_gb_s", ceilings.dram_gb_s},
      {"l2_gb_s", ceilings.l2_gb_s},
      {"shared_gb_s", ceilings.shared_gb_s},
      {"ffma_gflops", ceilings.ffma_gflops},
      {"sms", ceilings.sms},
      {"pageable_to_device_gb_s", copies.pageable_to_device_gb_s},
      {"pageable_to_host_gb_s", copies.pageable_to_host_gb_s},
      {"locked_to_device_gb_s", copies.locked_to_device_gb_s},
      {"locked_to_host_gb_s", copies.locked_to_host_gb_s},
  }};
  const std::string& name = name_of(asked, 0);
  for (const auto& [word, number] : known) {
    if (name == word) {
      return number > 0.0 ? Result<Value>(number_value(number)) : fail(kNoCeilings.text());
    }
  }
  return fail(
      tr("'{}' is not a ceiling: write dram_gb_s, l2_gb_s, shared_gb_s, ffma_gflops, sms, or, for "
         "copies, pageable_to_device_gb_s, pageable_to_host_gb_s, locked_to_device_gb_s, "
         "locked_to_host_gb_s.",
         name));
}

Result<Value> gflops_answer(const Asked& asked) {
  const auto point = measured_point_of(asked);
  return point ? Result<Value>(number_value(timing::gflops(**point, (*point)->median_ms())))
               : tl::unexpected(point.error());
}

// Percentage of cublasSgemm's speed at the same size.
Result<Value> share_answer(const Asked& asked) {
  const auto point = measured_point_of(asked);
  TILESTEP_RETURN_IF_ERROR(point);
  const double of_cublas = (*data_of(asked))->median_ms(timing::kCublas, (*point)->problem, 0);
  if (!(of_cublas > 0.0)) {
    return fail(tr("The data set has no time of cuBLAS at this size."));
  }
  return number_value(100.0 * of_cublas / (*point)->median_ms());
}

// Whether C was correct on the GPU, before and after timing.
Result<Value> verified_answer(const Asked& asked) {
  const auto point = point_of(asked);
  return point ? Result<Value>(yes_no_value((*point)->verified)) : tl::unexpected(point.error());
}

constexpr std::array kTimingAnswers = std::to_array<AnswerOf>({{"time", time_answer},
                                                               {"warm_time", warm_time_answer},
                                                               {"ceiling", ceiling_answer},
                                                               {"gflops", gflops_answer},
                                                               {"share", share_answer},
                                                               {"verified", verified_answer}});

}  // namespace

std::span<const AnswerOf> number_answers() {
  return kNumberAnswers;
}

Result<Value> unary_answer(const std::string& op, const Value& of) {
  if (op == "!") {
    return of.kind == Value::Kind::YesNo
               ? Result<Value>(yes_no_value(!of.is_yes()))
               : fail(tr("! needs a yes-or-no value, not {}.", kind_word(of.kind)));
  }
  return is_countable(of) ? finite(-of.number)
                          : fail(tr("- needs a number, not {}.", kind_word(of.kind)));
}

Result<Value> binary_answer(const std::string& op, const Value& left, const Value& right) {
  if (op == "==" || op == "!=") {
    return yes_no_value(are_same(left, right) == (op == "=="));
  }
  if (!is_countable(left) || !is_countable(right)) {
    return fail(
        tr("{} needs numbers, not {} and {}.", op, kind_word(left.kind), kind_word(right.kind)));
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

std::span<const AnswerOf> setup_answers() {
  return kSetupAnswers;
}

std::span<const AnswerOf> timing_answers() {
  return kTimingAnswers;
}

}  // namespace tilestep::course
