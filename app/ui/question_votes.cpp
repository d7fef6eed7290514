#include "ui/question_votes.h"

#include "problem/tr.h"
#include "ui/memory.h"

#include <fmt/format.h>

#include <numeric>
#include <vector>

namespace tilestep::ui {
namespace {

// The choice that got the latest hand.
struct VoteMemory {
  int latest = 0;
};

}  // namespace

bool is_voted(const Context& context) {
  const lesson::QuestionKind kind = context.view.lesson->question->kind;
  return context.state.lecture &&
         (kind == lesson::QuestionKind::Choice || kind == lesson::QuestionKind::YesNo);
}

int hands_for(const Context& context, std::size_t choice) {
  const std::vector<int>& votes = context.state.course.votes;
  return choice < votes.size() ? votes[choice] : 0;
}

int all_hands(const Context& context) {
  const std::vector<int>& votes = context.state.course.votes;
  return std::accumulate(votes.begin(), votes.end(), 0);
}

std::size_t choice_of(const std::string& answer) {
  return answer == "yes" ? 0 : answer == "no" ? 1 : static_cast<std::size_t>(answer[0] - '1');
}

Commands answered(const Context& context, const std::string& answer) {
  if (answer.empty()) {
    return {};
  }
  if (!is_voted(context)) {
    return {state::GiveAnswer{answer}};
  }
  const auto choice = static_cast<int>(choice_of(answer));
  context.memory.of<VoteMemory>().latest = choice;
  return {state::Vote{choice, +1}};
}

Commands take_back_vote(const Context& context) {
  return {state::Vote{context.memory.of<VoteMemory>().latest, -1}};
}

std::string counted_hands(const Context& context) {
  const workspace::ShownLesson& lesson = *context.view.lesson;
  const bool is_yes_no = lesson.question->kind == lesson::QuestionKind::YesNo;
  std::string counted;
  for (std::size_t i = 0; i < context.state.course.votes.size(); ++i) {
    const std::string name = is_yes_no ? tr(i == 0 ? "yes" : "no") : fmt::format("({})", i + 1);
    counted += fmt::format("{}{} {}", i == 0 ? "" : ", ", name, hands_for(context, i));
  }
  return counted;
}

}  // namespace tilestep::ui
