#include "course/practice.h"

#include "course/practice_draft.h"
#include "lesson/place.h"
#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace tilestep::course {
namespace {

constexpr std::size_t kTries = 24;  // for each question, of each kind

lesson::Words words_of(const Told& told) {
  lesson::Words words;
  if (!told.en.empty()) {
    words.by_language[lesson::kFirstLanguage] = {told.en, {}};
    words.by_language["zh"] = {told.zh, {}};
  }
  return words;
}

std::optional<lesson::Formula> formula_of(const std::string& text) {
  auto expression = lesson::parse_expression(text);
  return expression ? std::optional(lesson::Formula{std::move(*expression), 0}) : std::nullopt;
}

bool suits(lesson::QuestionKind kind, Value::Kind value) {
  switch (kind) {
    case lesson::QuestionKind::Number:
      return value == Value::Kind::Number;
    case lesson::QuestionKind::Cell:
      return value == Value::Kind::Cell;
    case lesson::QuestionKind::Line:
      return value == Value::Kind::Line;
    case lesson::QuestionKind::Thread:
      return value == Value::Kind::Thread;
    case lesson::QuestionKind::YesNo:
      return value == Value::Kind::YesNo;
    case lesson::QuestionKind::Choice:
      break;
  }
  return false;
}

bool is_among(const std::vector<Value>& values, const Value& value) {
  return std::ranges::any_of(values, [&](const Value& one) { return are_same(one, value); });
}

// With its values; nothing: it has no answer, or no mistake leads to another one.
std::optional<PracticeQuestion> settled(const Draft& draft, Ground& ground) {
  PracticeQuestion made;
  lesson::Question& question = made.question;
  question.kind = draft.kind;
  question.ask = words_of(draft.ask);
  question.text = words_of(draft.text);
  question.at = ground.from;
  question.at.place = draft.at;
  question.at.state.focus = {};
  question.at.state.focus.block = draft.block;
  question.at.state.focus.thread = draft.thread;
  const auto answer = formula_of(draft.answer);
  const auto value =
      answer ? ground.answers.of(answer->expression, question.at) : fail("not an expression");
  if (!value || !suits(draft.kind, value->kind)) {
    return std::nullopt;
  }
  question.answer = *answer;
  made.answer = *value;
  for (const Draft::Mistake& mistake : draft.wrong) {
    const auto is = formula_of(mistake.is);
    const auto wrong = is ? ground.answers.of(is->expression, question.at) : fail("");
    if (wrong && suits(draft.kind, wrong->kind) && !are_same(*wrong, *value) &&
        !is_among(made.wrong, *wrong)) {
      made.wrong.push_back(*wrong);
      question.wrong.push_back({*is, words_of(mistake.says)});
    }
  }
  return made.wrong.empty() ? std::nullopt : std::optional(std::move(made));
}

// The kinds in an order of their own for every seed.
std::vector<std::size_t> shuffled(std::size_t count, Dice& dice) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = count; i > 1; --i) {
    std::swap(order[i - 1], order[dice.of(i)]);
  }
  return order;
}

}  // namespace

Result<std::vector<PracticeQuestion>> practise(const lesson::Position& from,
                                               const PracticeOptions& options, Answers& answers) {
  const auto& recording = answers.run_of(from).recording();
  if (!recording) {
    return tl::unexpected(recording.error());
  }
  const std::shared_ptr<const record::Recording> kept = *recording;
  Ground ground{answers, from, *kept, options.is_here, Dice(options.seed)};
  const auto kinds = makers();
  const std::vector<std::size_t> order = shuffled(kinds.size(), ground.dice);
  std::vector<PracticeQuestion> made;
  std::set<std::string> asked;
  std::vector<std::size_t> failed(kinds.size(), 0);
  for (std::size_t turn = 0; made.size() < options.count; ++turn) {
    const std::size_t kind = order[turn % order.size()];
    if (std::ranges::all_of(failed, [](std::size_t n) { return n >= kTries; })) {
      break;  // nothing is left to ask
    }
    if (failed[kind] >= kTries) {
      continue;
    }
    const auto draft = kinds[kind].make(ground);
    auto question = draft && !asked.contains(draft->ask.en + draft->answer)
                        ? settled(*draft, ground)
                        : std::nullopt;
    if (!question) {
      ++failed[kind];
      continue;
    }
    asked.insert(draft->ask.en + draft->answer);
    question->question.name = fmt::format("{}-{}", kinds[kind].name, made.size() + 1);
    made.push_back(std::move(*question));
  }
  if (made.empty()) {
    return fail(options.is_here
                    ? tr("There is nothing to ask here: no thread reads, stores or computes "
                         "anything that is followed. Choose another place.")
                    : tr("There is nothing to ask of this kernel: no thread reads, stores or "
                         "computes anything that is followed. Choose another kernel."));
  }
  return made;
}

lesson::Lesson practice_lesson(const std::vector<PracticeQuestion>& questions) {
  lesson::Lesson lesson;
  lesson.id = kPracticeId;
  lesson.file = kPracticeId;
  lesson.title = words_of({"Practice", "练习"});
  for (const PracticeQuestion& made : questions) {
    lesson.beats.push_back({lesson::BeatKind::Question, lesson.questions.size()});
    lesson.questions.push_back(made.question);
  }
  return lesson;
}

}  // namespace tilestep::course
