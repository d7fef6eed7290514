#include "course/lab.h"

#include "insight/events/event.h"
#include "insight/names.h"
#include "lesson/text.h"
#include "problem/text.h"
#include "problem/values/element.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace tilestep::course {
namespace {

LabCause lab_cause(LabOutcome outcome, std::string sentence, int line = 0) {
  return {outcome, std::move(sentence), line};
}

// A message about nested templates may have kilobytes.
std::string not_too_long(const std::string& message) {
  constexpr std::size_t kLongest = 400;
  return message.size() <= kLongest ? message : message.substr(0, kLongest) + "…";
}

// The compiler's first error, with its place.
LabCause compile_cause(const compile::Diagnostic& error) {
  const Message form = error.line == 0 ? lab_english::kEntry : lab_english::kCompiler;
  return lab_cause(LabOutcome::NotCompiled,
                   fmt::format(fmt::runtime(form.text()), fmt::arg("line", error.line),
                               fmt::arg("message", not_too_long(error.message))),
                   error.line);
}

// The cause of a launch that cannot be made.
LabCause no_launch_cause(const Error& error, const std::vector<compile::Diagnostic>& diagnostics) {
  const auto is_error = [](const compile::Diagnostic& diagnostic) {
    return diagnostic.severity == compile::Severity::Error;
  };
  const auto first = std::ranges::find_if(diagnostics, is_error);
  return first == diagnostics.end() ? lab_cause(LabOutcome::Refused, error.message)
                                    : compile_cause(*first);
}

std::string wrong_sentence(const problem::BufferComparison& output) {
  const problem::Comparison& wrong = output.comparison;
  const auto text = [&](double value) { return problem::element_text(output.type, value); };
  const Message form = output.first_never_stored ? lab_english::kNeverStored : lab_english::kWrong;
  std::string sentence =
      fmt::format(fmt::runtime(form.text()), fmt::arg("element", output.first_wrong_element),
                  fmt::arg("value", text(wrong.got)), fmt::arg("expected", text(wrong.expected)));
  if (wrong.wrong > 1) {
    sentence += fmt::format(fmt::runtime(lab_english::kMoreWrong.text()),
                            fmt::arg("wrong", wrong.wrong), fmt::arg("elements", wrong.compared));
  }
  return sentence;
}

void choose_cell(const std::string& cell, lesson::Position& at) {
  const std::vector<lesson::Change> choice{{"cell", cell}};
  if (auto chosen = lesson::changed(at, choice, {})) {
    at = std::move(*chosen);
  }
}

// Moves the focus to the threads of a finding, after its statement.
void place_at_finding(const insight::Finding& finding, const record::Recording& run,
                      lesson::Position& at) {
  if (finding.parties.empty()) {
    return;
  }
  const insight::Party& party = finding.parties.back();
  const problem::Launch& launch = run.program().launch();
  at.state.focus.block = static_cast<std::uint32_t>(launch.grid.linear(party.block));
  at.state.focus.thread = static_cast<std::uint32_t>(launch.block.linear(party.thread));
  at.place = {lesson::Place::Kind::Step, insight::end_of_statement(run, insight::step_of(finding))};
}

// Moves the focus to the thread that stored the first wrong element; if none did, the focus stays.
void place_at_wrong(const problem::BufferComparison& output, const record::Recording& run,
                    lesson::Position& at) {
  const auto cell = insight::find_cell(run.program(), output.first_wrong_element);
  if (!cell) {
    return;
  }
  const record::Writer writer =
      run.state_at(run.step_count())
          .buffer_writer(cell->launch_buffer, cell->address % simt::kWindowBytes / 4);
  if (writer.written) {
    at.state.focus.block = writer.block;
    at.state.focus.thread = writer.thread;
  }
  choose_cell(cell->name, at);
}

// The event that a condition counts, if the stage can show it.
std::optional<record::EventKind> event_of(const std::string& condition) {
  if (condition.find(".conflicts") != std::string::npos) {
    return record::EventKind::BankConflict;
  }
  return condition.find("sectors") != std::string::npos
             ? std::optional(record::EventKind::Uncoalesced)
             : std::nullopt;
}

// Grades one row of a lab for one text.
class RowGrader {
 public:
  RowGrader(const lesson::LabRow& row, lesson::Position& at, Answers& answers)
      : row_(row), at_(at), answers_(answers) {}

  std::vector<LabCause> run(const std::function<void(LabProgress::Stage)>& tell) {
    tell(LabProgress::Stage::Compiling);
    if (const auto& prepared = answers_.run_of(at_).prepared(); !prepared) {
      return {no_launch_cause(prepared.error(), answers_.run_of(at_).diagnostics())};
    }
    tell(LabProgress::Stage::Running);
    std::vector<LabCause> causes = causes_of_run();
    if (causes.empty()) {
      tell(LabProgress::Stage::Conditions);
      causes = broken_conditions();
    } else if (causes.front().outcome != LabOutcome::CutOff) {
      tell(LabProgress::Stage::Placing);
      place();
    }
    return causes;
  }

 private:
  [[nodiscard]] bool is_cancelled() const {
    const std::atomic<bool>* const cancel = answers_.tools().cancel;
    return cancel != nullptr && *cancel;
  }

  std::vector<LabCause> causes_of_run() {
    const auto& check = answers_.run_of(at_).check();
    if (!check) {
      return {lab_cause(is_cancelled() ? LabOutcome::CutOff : LabOutcome::Refused,
                        check.error().message)};
    }
    std::vector<LabCause> causes;
    for (const insight::Finding& finding : check->findings) {
      const int line = finding.parties.empty() ? 0 : static_cast<int>(finding.parties.back().line);
      causes.push_back(lab_cause(LabOutcome::Found, finding.sentence, line));
    }
    for (const problem::BufferComparison& output : check->outputs) {
      if (output.comparison.wrong > 0) {
        causes.push_back(lab_cause(LabOutcome::Wrong, wrong_sentence(output)));
      }
    }
    if (causes.empty() && !check->has_reference) {
      causes.push_back(lab_cause(LabOutcome::Unknown, lab_english::kNoReference.text()));
    }
    return causes;
  }

  std::vector<LabCause> broken_conditions() {
    std::vector<LabCause> causes;
    for (const lesson::Formula& condition : row_.require) {
      const auto value = answers_.of(condition.expression, at_);
      if (value && value->is_yes()) {
        continue;
      }
      if (is_cancelled()) {
        return {lab_cause(LabOutcome::CutOff, value ? "" : value.error().message)};
      }
      broken_.push_back(condition.text());
      causes.push_back(value ? broken_condition(condition.expression, at_, answers_)
                             : lab_cause(LabOutcome::Unknown,
                                         fmt::format(fmt::runtime(lab_english::kNoValue.text()),
                                                     fmt::arg("condition", condition.text()),
                                                     fmt::arg("reason", value.error().message))));
    }
    if (!causes.empty()) {
      at_.place = {lesson::Place::Kind::End, 0};
      place_at_cost();
    }
    return causes;
  }

  // Moves to the first access with too many conflicts or sectors, if a broken condition is about
  // these, and shows its memory.
  void place_at_cost() {
    std::optional<record::EventKind> kind;
    for (const std::string& condition : broken_) {
      kind = kind ? kind : event_of(condition);
    }
    const auto& recording = answers_.run_of(at_).recording();
    if (!kind || !recording) {
      return;
    }
    const state::Focus& focus = at_.state.focus;
    const insight::EventAnswer event = insight::find_event(
        **recording, {.kind = *kind, .block = focus.block, .thread = focus.thread},
        answers_.tools().cancel);
    if (event.found) {
      at_.place = {lesson::Place::Kind::Step, event.stop};
      at_.state.focus.block = event.block;
      at_.state.focus.thread = event.thread;
      at_.state.show_memory = true;
    }
  }

  // The place that shows the first cause.
  void place() {
    at_.place = {lesson::Place::Kind::End, 0};
    Run& run = answers_.run_of(at_);
    const auto& recording = run.recording();
    const auto& check = run.check();
    if (!recording || !check) {
      return;  // too long for the stage, which then says so
    }
    const auto wrong = std::ranges::find_if(
        check->outputs, [](const auto& output) { return output.comparison.wrong > 0; });
    lesson::Position found = at_;
    if (!check->findings.empty()) {
      place_at_finding(check->findings.front(), **recording, found);
    } else if (wrong != check->outputs.end()) {
      place_at_wrong(*wrong, **recording, found);
    }
    at_ = std::move(found);
  }

  const lesson::LabRow& row_;
  lesson::Position& at_;
  Answers& answers_;
  std::vector<std::string> broken_;  // conditions
};

// Rejects contents that are not text.
std::optional<LabCause> mistake_in_text(const std::string& text) {
  if (trimmed(text).empty()) {
    return lab_cause(LabOutcome::NotCompiled, lab_english::kEmpty.text());
  }
  if (const std::size_t zero = text.find('\0'); zero != std::string::npos) {
    return lab_cause(LabOutcome::Unreadable, fmt::format(fmt::runtime(lab_english::kNoText.text()),
                                                         fmt::arg("byte", zero + 1)));
  }
  return std::nullopt;
}

}  // namespace

LabGrade grade_lab(const lesson::Lab& lab, const std::string& text, Answers& answers,
                   const OnLabProgress& progress) {
  LabGrade grade;
  grade.rows = lab.rows.size();
  for (std::size_t i = 0; i < lab.rows.size() && grade.causes.empty(); ++i) {
    lesson::Position at{lab.rows[i].state, {}};
    at.state.edited_source = text;
    if (auto mistake = mistake_in_text(text)) {
      grade.causes.push_back(std::move(*mistake));
    } else {
      grade.causes = RowGrader(lab.rows[i], at, answers).run([&](LabProgress::Stage stage) {
        if (progress) {
          progress({i, stage});
        }
      });
    }
    grade.rows_passed += grade.causes.empty() ? 1 : 0;
    grade.counterexample = grade.causes.empty() ? lesson::Position{} : std::move(at);
  }
  return grade;
}

}  // namespace tilestep::course
