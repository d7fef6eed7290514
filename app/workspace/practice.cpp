#include "workspace/practice.h"

#include <algorithm>
#include <utility>

namespace tilestep::workspace {

Result<lesson::Lesson> make_practice(state::AppState state, std::uint64_t seed,
                                     const std::string& asked_last, const CatalogPtr& catalog,
                                     compile::Compiler& compiler) {
  lesson::Position from{std::move(state), {}};
  from.state.course = {};
  from.state.comparison = {};
  from.state.tab = state::Tab::Step;
  from.place = {lesson::Place::Kind::Step, from.state.step};
  course::Answers answers({compiler, *catalog, nullptr, nullptr});
  const course::PracticeOptions options{.seed = seed, .is_here = from.state.step > 0};
  auto questions = course::practise(from, options, answers);
  if (!questions) {
    return tl::unexpected(questions.error());
  }
  const auto other = [&](const course::PracticeQuestion& q) {
    return q.question.ask.in() != asked_last;
  };
  std::ranges::rotate(*questions, std::ranges::find_if(*questions, other));
  return course::practice_lesson(*questions);
}

}  // namespace tilestep::workspace
