#include "workspace/practice.h"

#include <utility>

namespace tilestep::workspace {

Result<lesson::Lesson> make_practice(state::AppState state, std::uint64_t seed,
                                     const CatalogPtr& catalog, compile::Compiler& compiler) {
  lesson::Position from{std::move(state), {}};
  from.state.course = {};
  from.state.comparison = {};
  from.state.tab = state::Tab::Step;
  from.place = {lesson::Place::Kind::Step, from.state.step};
  course::Answers answers({compiler, *catalog, nullptr, nullptr});
  const course::PracticeOptions options{.seed = seed, .is_here = from.state.step > 0};
  const auto questions = course::practise(from, options, answers);
  return questions ? Result<lesson::Lesson>(course::practice_lesson(*questions))
                   : tl::unexpected(questions.error());
}

}  // namespace tilestep::workspace
