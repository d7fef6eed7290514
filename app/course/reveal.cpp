#include "course/reveal.h"

#include "course/reveal_parts.h"
#include "problem/tr.h"

#include <algorithm>

namespace tilestep::course {
namespace {

using lesson::QuestionKind;

// "31 is too small."
std::string too_small_or_large(const Value& given, const Value& answer) {
  if (given.kind != Value::Kind::Number || answer.kind != Value::Kind::Number) {
    return "";
  }
  const double off = given.number - answer.number;
  const bool is_whole = answer.number == static_cast<double>(static_cast<long long>(answer.number));
  if (is_whole && (off == 1.0 || off == -1.0)) {
    return off > 0.0 ? tr("{} is one too many.", text_of(given))
                     : tr("{} is one too few.", text_of(given));
  }
  return off > 0.0 ? tr("{} is too large.", text_of(given))
                   : tr("{} is too small.", text_of(given));
}

// With a capital first letter: "Thread (2,1) reads …".
std::string begun(std::string sentence) {
  if (sentence.starts_with("thread ")) {
    sentence.front() = 'T';
  }
  return sentence;
}

std::optional<std::string> relative_of(const Quest& quest, const Value& given) {
  switch (quest.question.kind) {
    case QuestionKind::Number:
    case QuestionKind::Choice:
    case QuestionKind::YesNo: {
      auto found =
          given.kind == Value::Kind::Number ? number_in_run(quest, given.number) : std::nullopt;
      return found ? found : number_of_launch(quest, given);
    }
    case QuestionKind::Cell:
      return cell_in_run(quest, given.text);
    case QuestionKind::Thread:
      return thread_in_run(quest, given);
    case QuestionKind::Line:
      break;
  }
  return line_in_run(quest, static_cast<std::uint32_t>(std::max(0.0, given.number)));
}

}  // namespace

bool has_second_try(const lesson::Question& question) {
  constexpr std::size_t kChoicesOfTwoTries = 3;
  return question.kind != QuestionKind::YesNo &&
         (question.kind != QuestionKind::Choice || question.choices.size() >= kChoicesOfTwoTries);
}

std::string what_it_is(const lesson::Question& question, const Value& given, Answers& answers) {
  const Quest quest = quest_of(question, answers);
  if (const auto found = relative_of(quest, given)) {
    return begun(*found);
  }
  const auto answer = answers.of(question.answer.expression, question.at);
  const bool is_number = question.kind == QuestionKind::Number;
  const std::string size = answer && is_number ? too_small_or_large(given, *answer) : "";
  return size.empty() ? asked_words(quest) : size + " " + asked_words(quest);
}

std::string what_is_asked(const lesson::Question& question, Answers& answers) {
  return asked_words(quest_of(question, answers));
}

}  // namespace tilestep::course
