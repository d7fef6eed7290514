#include "course/setup_answers.h"

#include "problem/tr.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tilestep::course {
namespace {

using Kind = lesson::Expression::Kind;

// A setting's value as a link would write it.
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
    if (!text) {
      return tl::unexpected(text.error());
    }
    changes.push_back({part.text, std::move(*text)});
  }
  const auto there = moved(asked, changes);
  if (!there) {
    return tl::unexpected(there.error());
  }
  const lesson::Expression& what = *arguments_of(asked.call).front();
  return evaluate({asked.runs, asked.follow, *there, what}, what);
}

struct Candidate {
  Value value;
  std::string text;
  double worth = 0.0;
};

// The worth of the last argument for each value of the setting, from the least.
Result<std::vector<Candidate>> sorted_candidates(const Asked& asked) {
  const auto arguments = arguments_of(asked.call);
  const lesson::Expression& what = *arguments.back();
  std::vector<Candidate> all;
  for (std::size_t i = 1; i + 1 < arguments.size(); ++i) {
    auto text = setting_text(asked, *arguments[i]);
    const auto there =
        text ? moved(asked, {{arguments[0]->text, *text}}) : tl::unexpected(text.error());
    if (!there) {
      return tl::unexpected(there.error());
    }
    const auto worth = evaluate({asked.runs, asked.follow, *there, what}, what);
    if (!worth) {
      return tl::unexpected(worth.error());
    }
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
  if (!all) {
    return tl::unexpected(all.error());
  }
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

// "32, 24, 16": from the least.
Result<Value> order_answer(const Asked& asked) {
  const auto all = sorted_candidates(asked);
  if (!all) {
    return tl::unexpected(all.error());
  }
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

}  // namespace

std::span<const AnswerOf> setup_answers() {
  return kSetupAnswers;
}

}  // namespace tilestep::course
