#include "course/verdict.h"

namespace tilestep::course {

Result<Verdict> judge(const lesson::Question& question, const Value& given, Answers& answers) {
  const auto answer = answers.of(question.answer.expression, question.at);
  if (!answer) {
    return tl::unexpected(answer.error());
  }
  Verdict verdict{answers_it(question, given, *answer), nullptr, *answer};
  for (const lesson::Formula& also : question.also) {
    const auto value = answers.of(also.expression, question.at);
    if (!value) {
      return tl::unexpected(value.error());
    }
    verdict.is_right = verdict.is_right || answers_it(question, given, *value);
  }
  for (const lesson::Wrong& wrong : question.wrong) {
    if (verdict.is_right || verdict.says != nullptr) {
      break;
    }
    const auto value = answers.of(wrong.is.expression, question.at);
    if (!value) {
      return tl::unexpected(value.error());
    }
    verdict.says =
        answers_it(question, given, *value) && !wrong.says.empty() ? &wrong.says : nullptr;
  }
  return verdict;
}

Result<Verdict> judge_choice(const lesson::Question& question, std::size_t choice,
                             Answers& answers) {
  const lesson::Choice& chosen = question.choices.at(choice);
  const auto given = answers.of(chosen.is.expression, question.at);
  if (!given) {
    return tl::unexpected(given.error());
  }
  auto verdict = judge(question, *given, answers);
  if (verdict && !verdict->is_right && !chosen.says.empty()) {
    verdict->says = &chosen.says;
  }
  return verdict;
}

bool answers_it(const lesson::Question& question, const Value& given, const Value& answer) {
  const bool are_numbers = given.kind == Value::Kind::Number && answer.kind == Value::Kind::Number;
  return are_same(given, answer) ||
         (are_numbers && question.tolerance.accepts(given.number, answer.number));
}

}  // namespace tilestep::course
