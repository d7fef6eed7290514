// The effects of commands on a workspace's state, and its changes by itself: playing, runs to
// events, the focus that follows execution.
#include "problem/source/syntax_check.h"
#include "problem/tr.h"
#include "workspace/notice.h"
#include "workspace/scene_maker.h"
#include "workspace/workspace.h"
#include "workspace/workspace_impl.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tilestep::workspace {
namespace {

// The effect of switching a barrier; an unedited text has all of its own.
std::string barrier_sentence(const state::AppState& state, int line) {
  const bool is_off =
      !state.edited_source.empty() && problem::next_barrier_line(state.edited_source, line) != line;
  if (!is_off) {
    return tr("The barrier at line {} is enabled.", line);
  }
  const bool may_hide = state.schedule.kind == simt::ScheduleKind::Lockstep;
  return may_hide ? tr("The barrier at line {} is disabled. Lockstep may hide the effect: press A "
                       "to let warp 0 run ahead.",
                       line)
                  : tr("The barrier at line {} is disabled.", line);
}

}  // namespace

// The search for an event begins at the start.
void Workspace::Impl::go_to_wanted_place() {
  if (const auto place = std::exchange(wanted_lesson_place, std::nullopt); place && scene) {
    lesson::go_to(*place, *scene->recording, state);
    last_step = state.step;  // the focus stays as in the place
  }
  const state::OpenOnStage to = std::exchange(wanted_place, {});
  if (scene && !to.kernel.empty()) {
    state = arrived(std::move(state), to, context());
  }
  if (scene && to.event) {
    apply(state::RunToEvent{*to.event});
  }
}

void Workspace::Impl::apply(const state::Command& command) {
  if (const auto* point = command.as<state::PointAt>()) {
    flow.point_at(point->cell);
    return;
  }
  view.messages.notice = notice_of(command);
  view.messages.event.clear();
  view.messages.refusal.clear();
  bench.notice(command);
  if (command.is<state::CancelRecording>()) {
    maker.cancel();
    view.messages.error = tr("Recording stopped. The stage keeps what was recorded.");
  }
  if (const auto* open = command.as<state::OpenOnStage>()) {
    wanted_place = *open;
  }
  if (files.carry_out(command) || lessons.carry_out(command) || go_through_history(command) ||
      take_outcome(file.carry_out(command, state, *catalog))) {
    return;
  }
  if (const auto* difference = command.as<state::GoToDifference>()) {
    go_to_difference(difference->direction);
    return;
  }
  const state::AppState was = state;
  state = state::apply(std::move(state), command, context());
  if (const auto* barrier = command.as<state::ToggleBarrier>()) {
    view.messages.event = barrier_sentence(state, barrier->line);
  }
  history.note(was, state, command, last_time);
  runner.notice(command, state);
  lessons.notice(command);
  step_is_exact =
      step_is_exact || command.is<state::SwapSides>() || command.is<state::OpenSecond>();
}

void Workspace::Impl::go_to_difference(int direction) {
  SecondSide::Difference difference = second.next_difference(state, direction);
  view.messages.event = std::move(difference.sentence);
  if (difference.state) {
    history.note(state, *difference.state, state::GoToDifference{direction}, last_time);
    state = std::move(*difference.state);
    last_step = state.step;
  }
}

bool Workspace::Impl::take_outcome(const std::optional<SourceFile::Outcome>& outcome) {
  if (outcome && outcome->then && outcome->is_undone) {
    apply(*outcome->then);
  } else if (outcome && outcome->then) {
    state = state::apply(std::move(state), *outcome->then, context());
  }
  view.messages.notice = outcome ? outcome->notice : view.messages.notice;
  return outcome.has_value();
}

bool Workspace::Impl::go_through_history(const state::Command& command) {
  std::optional<state::History::Step> step = history.go(command, state);
  if (!step) {
    return false;
  }
  view.messages.notice = std::move(step->sentence);
  if (step->state) {
    state = std::move(*step->state);
    state.playing = false;
    step_is_exact = true;
    last_step = state.step;
    runner.notice(command, state);
  }
  return true;
}

void Workspace::Impl::add_kernel(problem::LaunchSpec spec) {
  second.add_kernel(spec);
  catalog = with_kernel(*catalog, std::move(spec));
  view.kernels.catalog = catalog;
  ++view.timing.version;
}

// The recording of a file that was open may be of its earlier content.
void Workspace::Impl::take_file(OpenedFile opened) {
  if (opened.kernel) {
    add_kernel(std::move(*opened.kernel));
  }
  maker.forget();
  file.forget();
  if (opened.scene) {
    take_state(std::move(*opened.scene), std::nullopt);
  } else if (opened.lesson) {
    lessons.take(std::move(*opened.lesson));
  } else if (opened.dataset) {
    state::TimingView timings = state.timing;
    timings.dataset = opened.dataset->name;
    put_dataset(std::move(*opened.dataset), view.timing);
    apply(state::SetTimingView{timings});
    apply(state::SetTab{state::Tab::Timing});
  } else if (opened.input) {
    apply(state::SetInput{std::move(*opened.input)});
  } else {
    apply(state::SelectKernel{opened.select});
    apply(state::SetTab{state::Tab::Step});
  }
}

// A previous state can be restored by undo.
void Workspace::Impl::take_state(state::AppState next, std::optional<lesson::Place> place) {
  const state::AppState was = std::exchange(state, std::move(next));
  step_is_exact = true;
  last_step = state.step;
  wanted_lesson_place = place;
  history.note(was, state, state::SelectKernel{}, last_time);
  runner.cancel();
}

bool Workspace::Impl::play(double now) {
  // The time before play was pressed, and a long pause between two frames, are not played.
  const double elapsed = was_playing ? std::clamp(now - last_time, 0.0, 0.25) : 0.0;
  last_time = now;
  was_playing = state.playing;
  if (!state.playing || !scene) {
    statements_due = 0.0;
    return false;
  }
  statements_due += elapsed * static_cast<double>(state.pace);
  const std::uint64_t from = state.step;
  const std::uint64_t second_from = state.second_step;
  for (; statements_due >= 1.0; statements_due -= 1.0) {
    state = state::apply(std::move(state), state::Step{state::Unit::Statement, +1}, context());
  }
  state.playing = true;
  go_to_event(finding_on_the_way(*scene->recording, from, state.step, view.run.check.get()));
  const record::JointTimeline* const joint = context().joint;
  const bool second_is_over = joint == nullptr || state.second_step >= joint->stops().back().second;
  if (state.step >= scene->recording->step_count() && second_is_over) {
    state.playing = false;
  }
  return state.step != from || state.second_step != second_from || !state.playing;
}

// Shows the reason if nothing was found. A breakpoint stops before its statement; the focus must
// not move to the statement that was executed.
void Workspace::Impl::go_to_event(const insight::EventAnswer& answer) {
  view.messages.event = answer.sentence.empty() ? view.messages.event : answer.sentence;
  if (answer.found) {
    const state::AppState was = state;
    state.playing = false;
    last_step = state.step = answer.stop;
    state.phase = {};
    state = state::apply(state, state::FocusThread{answer.block, answer.thread}, context());
    history.note(was, state, state::RunToEvent{}, last_time);
  }
}

// Two runs are on one timeline of the focus block's statements.
void Workspace::Impl::follow_execution() {
  const bool stays = state.comparison.on || role == Role::SecondSide;
  if (state.step != last_step && scene && !stays) {
    state.focus.block = block_that_moved(*scene->recording, state, *view.run.statement);
  }
  last_step = state.step;
}

}  // namespace tilestep::workspace
