#include "course/answers.h"

#include "course/asked.h"
#include "problem/tr.h"

#include <utility>

namespace tilestep::course {

Answers::Answers(Tools tools, lesson::Follow follow) : runs_(tools), follow_(std::move(follow)) {
  if (!follow_) {
    follow_ = [](const lesson::Position& from, std::span<const lesson::Change> changes) {
      return lesson::changed(from, changes, {});
    };
  }
}

Result<Value> Answers::of(const lesson::Expression& expression, const lesson::Position& at) {
  return evaluate({runs_, follow_, at, expression}, expression);
}

Result<std::string> Answers::filled(const lesson::Text& text, const lesson::Position& at) {
  const auto pieces = lesson::pieces_of(text);
  if (!pieces) {
    return fail(pieces.error().sentence);
  }
  std::string all;
  for (const lesson::TextPiece& piece : *pieces) {
    if (!piece.is_expression) {
      all += piece.text;
      continue;
    }
    const auto expression = lesson::parse_expression(piece.text);
    const auto value = expression ? of(*expression, at) : tl::unexpected(expression.error());
    TILESTEP_RETURN_IF_ERROR(value);
    all += text_of(*value);
  }
  return all;
}

Result<Verdict> judge(const lesson::Question& question, const Value& given, Answers& answers) {
  const auto answer = answers.of(question.answer.expression, question.at);
  TILESTEP_RETURN_IF_ERROR(answer);
  Verdict verdict{answers_it(question, given, *answer), nullptr, *answer};
  for (const lesson::Formula& also : question.also) {
    const auto value = answers.of(also.expression, question.at);
    TILESTEP_RETURN_IF_ERROR(value);
    verdict.is_right = verdict.is_right || answers_it(question, given, *value);
  }
  for (const lesson::Wrong& wrong : question.wrong) {
    if (verdict.is_right || verdict.says != nullptr) {
      break;
    }
    const auto value = answers.of(wrong.is.expression, question.at);
    TILESTEP_RETURN_IF_ERROR(value);
    verdict.says =
        answers_it(question, given, *value) && !wrong.says.empty() ? &wrong.says : nullptr;
  }
  return verdict;
}

Result<Verdict> judge_choice(const lesson::Question& question, std::size_t choice,
                             Answers& answers) {
  const lesson::Choice& chosen = question.choices.at(choice);
  const auto given = answers.of(chosen.is.expression, question.at);
  TILESTEP_RETURN_IF_ERROR(given);
  auto verdict = judge(question, *given, answers);
  if (verdict && !verdict->is_right && !chosen.says.empty()) {
    verdict->says = &chosen.says;
  }
  return verdict;
}

std::string answer_text(const Value& value) {
  return value.kind != Value::Kind::YesNo ? shown_text(value)
         : value.is_yes()                 ? tr("yes")
                                          : tr("no");
}

Result<std::string> answer_text(const lesson::Question& question, const Value& answer,
                                Answers& answers, const std::string& language) {
  for (const lesson::Choice& choice : question.choices) {
    const auto value = answers.of(choice.is.expression, question.at);
    if (value && answers_it(question, *value, answer)) {
      return answers.filled(choice.text.text(language), question.at);
    }
  }
  return answer_text(answer);
}

bool answers_it(const lesson::Question& question, const Value& given, const Value& answer) {
  const bool are_numbers = given.kind == Value::Kind::Number && answer.kind == Value::Kind::Number;
  return are_same(given, answer) ||
         (are_numbers && question.tolerance.accepts(given.number, answer.number));
}

}  // namespace tilestep::course
