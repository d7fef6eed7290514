#include "workspace/event_runner.h"

#include "problem/tr.h"
#include "record/words.h"

#include <fmt/format.h>

namespace tilestep::workspace {
namespace {

using record::EventKind;

// The chosen cell by the name that the analyses know; else what is watched.
std::string target_of(const state::AppState& state) {
  const state::Focus& focus = state.focus;
  return focus.cell_name.empty() ? state.watch : focus.cell_name;
}

insight::EventQuestion question_of(const state::RunToEvent& command, const state::AppState& state) {
  return {.kind = command.kind,
          .from = state.step,
          .direction = command.direction,
          .block = state.focus.block,
          .thread = state.focus.thread,
          .what = command.kind == EventKind::Access ? target_of(state) : state.watch,
          .findings = {}};
}

insight::StopQuestion question_of(const state::RunToBreakpoint& command,
                                  const state::AppState& state) {
  insight::StopQuestion question{.from = state.step,
                                 .direction = command.direction,
                                 .block = state.focus.block,
                                 .thread = state.focus.thread,
                                 .breakpoints = {},
                                 .findings = {}};
  for (const int line : state.breakpoints) {
    const auto condition = state.conditions.find(line);
    question.breakpoints[line] = condition == state.conditions.end() ? "" : condition->second;
  }
  return question;
}

// What changes only how things look, or is about another tab.
bool leaves_place(const state::Command& command) {
  return command.is<state::SetCamera>() || command.is<state::SetTheme>() ||
         command.is<state::SetLanguage>() || command.is<state::SetScale>() ||
         command.is<state::ShowInspector>() || command.is<state::ShowPalette>() ||
         command.is<state::ShowKeys>();
}

bool needs_findings(const insight::EventQuestion& question) {
  return question.kind == EventKind::Finding;
}
bool needs_findings(const insight::StopQuestion&) {
  return true;
}

insight::EventAnswer answer_to(const record::Recording& recording,
                               const insight::EventQuestion& question,
                               const std::atomic<bool>& cancel) {
  return find_event(recording, question, &cancel);
}
insight::EventAnswer answer_to(const record::Recording& recording,
                               const insight::StopQuestion& question,
                               const std::atomic<bool>& cancel) {
  return find_stop(recording, question, &cancel);
}

}  // namespace

insight::EventAnswer finding_on_the_way(const record::Recording& recording, std::uint64_t from,
                                        std::uint64_t to, const insight::CheckResult* check) {
  if (check == nullptr || from == to) {
    return {};
  }
  const insight::EventAnswer next = insight::find_event(recording, {.kind = EventKind::Finding,
                                                                    .from = from,
                                                                    .direction = +1,
                                                                    .block = 0,
                                                                    .thread = 0,
                                                                    .what = {},
                                                                    .findings = check->findings,
                                                                    .first_only = true});
  return next.found && next.stop <= to ? next : insight::EventAnswer{};
}

void EventRunner::notice(const state::Command& command, const state::AppState& state) {
  if (const auto* event = command.as<state::RunToEvent>()) {
    cancel();
    waiting_ = std::make_shared<Question>(question_of(*event, state));
    const Message kind = word_of(event->kind).label;
    looking_for_ = event->direction > 0 ? tr("Looking for the next {} …", kind)
                                        : tr("Looking for the last {} …", kind);
  } else if (const auto* run = command.as<state::RunToBreakpoint>()) {
    cancel();
    waiting_ = std::make_shared<Question>(question_of(*run, state));
    looking_for_ = tr(run->direction > 0 ? "Running on …" : "Running back …");
  } else if (!leaves_place(command)) {
    cancel();
  }
}

void EventRunner::pursue(const std::shared_ptr<const record::Recording>& recording,
                         const insight::CheckResult* check) {
  if (control_ && recording_.lock() != recording) {
    cancel();  // another run is on stage
  }
  if (!waiting_ || recording == nullptr) {
    return;
  }
  const bool is_told = std::visit(
      [&](auto& question) {
        if (check != nullptr) {
          question.findings = check->findings;
        }
        return check != nullptr || !needs_findings(question);
      },
      *waiting_);
  if (!is_told) {
    return;
  }
  recording_ = recording;
  control_ = std::make_shared<JobControl>();
  pool_.submit([this, recording, question = std::exchange(waiting_, nullptr),
                control = control_]() -> Completion {
    const insight::EventAnswer answer = std::visit(
        [&](const auto& q) { return answer_to(*recording, q, control->cancel); }, *question);
    return [this, answer, control] {
      if (control_ == control) {
        cancel();
        take_(answer);
      }
    };
  });
}

void EventRunner::cancel() {
  if (control_) {
    control_->cancel = true;
  }
  control_.reset();
  waiting_.reset();
  looking_for_.clear();
}

}  // namespace tilestep::workspace
