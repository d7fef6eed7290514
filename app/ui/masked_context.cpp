#include "ui/masked_context.h"

#include "lesson/place.h"
#include "problem/language.h"
#include "workspace/shown_lesson.h"

#include <utility>

namespace tilestep::ui {
namespace {

// The step of the question in the run on stage; the start if the question is about another run.
std::uint64_t step_of_question(const Context& context) {
  const lesson::Position& at = context.view.lesson->question->at;
  if (context.view.run.scene == nullptr ||
      static_cast<const state::Setup&>(context.state) != at.state) {
    return 0;
  }
  return lesson::resolve(at.place, *context.view.run.scene->recording, at.state.focus.block);
}

// Removes everything that shows a hidden run's effects.
void forget_run(workspace::FrameView& view) {
  workspace::RunView& run = view.run;
  run.before.reset();
  run.statement.reset();
  run.sums.reset();
  run.sum.reset();
  run.accumulation.reset();
  run.flow.reset();
  view.narration = {nullptr, view.narration.phase_over, nullptr, false};
  view.messages.event.clear();
}

}  // namespace

MaskedContext::MaskedContext(const Context& given) : given_(given) {
  if (!is_asked(given)) {
    return;
  }
  const workspace::ShownLesson& lesson = *given.view.lesson;
  mask_.emplace(*lesson.question, lesson.answer, step_of_question(given));
  view_ = given.view;
  view_.beside = nullptr;  // the other run would reveal the answer, too
  if (mask_->hides_run(given.state.step)) {
    forget_run(view_);
  }
  if (mask_->hides(course::Topic::Findings)) {
    view_.run.check = nullptr;
    view_.messages.event.clear();
  }
  if (mask_->hides(course::Topic::Counts)) {
    view_.run.counters = nullptr;
    view_.timing.counters = nullptr;
    view_.run.flow = nullptr;
  }
  // A missing flow would reveal the answer.
  const bool asks_where = mask_->hides(course::Topic::Places);
  if (view_.run.flow != nullptr && (asks_where || mask_->hides_text(view_.run.flow->sentence))) {
    view_.run.flow = nullptr;
  }
  masked_.emplace(Context{given.state, view_, given.theme, given.fonts, given.cells, given.memory,
                          given.now, given.motion, &*mask_});
}

bool has_question(const Context& context) {
  return context.view.lesson != nullptr && context.view.lesson->question != nullptr;
}

bool is_asked(const Context& context) {
  return has_question(context) && context.state.course.answering == state::Answering::Asked;
}

bool hides_run(const Context& context) {
  return context.mask != nullptr && context.mask->hides_run(context.state.step);
}

bool hides(const Context& context, course::Topic topic) {
  return context.mask != nullptr && context.mask->hides(topic);
}

bool hides_timings(const Context& context) {
  return hides(context, course::Topic::Timings) || hides(context, course::Topic::Counts);
}

bool hides_speed(const Context& context, const std::string& kernel) {
  return hides_timings(context) || context.state.timing.guess.hides(kernel);
}

std::string masked(const Context& context, std::string text) {
  return context.mask != nullptr && context.mask->hides_text(text) ? course::kMasked
                                                                   : std::move(text);
}

FrameKey frame_key(const Context& context) {
  return {context.view.run.scene->generation,
          context.view.run.state->step(),
          context.state.focus,
          context.view.run.sums.get(),
          context.mask == nullptr ? "" : context.mask->key(),
          spoken_language()};
}

}  // namespace tilestep::ui
