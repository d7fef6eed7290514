#include "ui/stage/headline.h"

#include "narration/templates.h"
#include "ui/stage/phase_view.h"
#include "ui/stage/verdicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace tilestep::ui {
namespace {

using narration::counted;
using narration::Hue;
using narration::listed;
using narration::part;
using narration::plain;
using narration::Say;
using narration::strong;

struct Result {
  Verdict verdict = Verdict::None;
  narration::Pieces sentence;
};

// The run is over: what stopped it, or what it left in the output that there is a reference for.
Result result_sentence(const ContentInputs& in, const StageContent& content) {
  for (const record::Activity::Fault& fault : in.recording.faults()) {
    if (in.state.machine().block_status(fault.warp.block) == simt::BlockStatus::Stopped) {
      return {Verdict::Wrong,
              part("run_stopped", {{"line", plain(fmt::format("{}", fault.line))}})};
    }
  }
  std::vector<narration::Pieces> right;
  for (std::size_t i = 0; i < in.shape.sheets.size(); ++i) {
    const Sheet& sheet = in.shape.sheets[i];
    if (expected_of(in, sheet) == nullptr) {
      continue;
    }
    const auto& cells = content.sheets[i].cells;
    const auto wrong = std::count_if(cells.begin(), cells.end(), [](const Cell& cell) {
      return cell.is_wrong || (cell.state != CellState::Value && cell.state != CellState::Unused);
    });
    if (wrong > 0) {
      return {Verdict::Wrong,
              part("run_wrong", {{"wrong", strong(fmt::format("{}", wrong), Hue::Fault)},
                                 {"all", plain(counted(sheet.count, narration::Noun::Element))},
                                 {"array", strong(sheet.name, Hue::Sum)}})};
    }
    right.push_back(strong(sheet.name, Hue::Sum));
  }
  if (right.empty()) {
    return {Verdict::None, part("run_complete", {})};
  }
  const narration::Places places{{"arrays", listed(right)}};
  if (!in.findings.empty()) {
    return {Verdict::None,
            part(right.size() == 1 ? Say("run_right_but") : Say("run_all_right_but"), places)};
  }
  return {Verdict::Right,
          part(right.size() == 1 ? Say("run_right") : Say("run_all_right"), places)};
}

// A whole phase: what it did, and below it what the focus thread had of it.
narration::Narration told_phase(const narration::PhaseSummary& summary) {
  narration::Narration told;
  told.eyebrow = summary.eyebrow;
  told.sentence = summary.sentence;
  narration::Sentence note{narration::Kind::Summary, summary.thread, summary.thread};
  for (const narration::Pieces* const more : {&summary.barrier, &summary.moved}) {
    if (!more->empty() && !note.long_form.empty()) {
      note.long_form.push_back({" ", narration::Hue::None, false});
    }
    note.long_form.insert(note.long_form.end(), more->begin(), more->end());
  }
  if (!note.long_form.empty()) {
    told.notes.push_back(std::move(note));
  }
  return told;
}

// What a check has found in the phase: its summary alone would read as if all were well.
std::optional<narration::Sentence> finding_in_phase(const ContentInputs& in) {
  const record::Phase* const phase = shown_phase(in);
  for (const insight::Finding& finding : in.findings) {
    if (phase != nullptr && insight::strikes_in(finding, in.recording.program().launch().grid,
                                                in.block, phase->first_step, phase->last_step)) {
      return narration::say(narration::Kind::Summary, "phase_finding",
                            {{"element", strong(finding.element, Hue::Fault)},
                             {"line", plain(fmt::format("{}", finding.parties.back().line))}});
    }
  }
  return std::nullopt;
}

}  // namespace

Headline while_playing(const ContentInputs& in) {
  Headline headline;
  if (in.summary != nullptr) {
    headline.told.eyebrow = in.summary->running;
    headline.told.sentence = in.summary->sentence;
  }
  return headline;
}

Headline make_headline(const ContentInputs& in, const StageContent& content) {
  Headline headline;
  if (in.phase && in.summary != nullptr) {
    headline.told = told_phase(*in.summary);
  } else if (in.narrator != nullptr) {
    narration::Narration moment =
        in.narrator->narrate({in.before, in.state, in.statement, in.thread, in.sums, in.findings});
    if (in.phase) {  // its summary is on the way
      headline.told.eyebrow = std::move(moment.eyebrow);
    } else {
      headline.told = std::move(moment);
    }
  }
  if (const auto finding = in.phase ? finding_in_phase(in) : std::nullopt) {
    headline.told.notes.insert(headline.told.notes.begin(), *finding);
  }
  const narration::Eyebrow& eyebrow = headline.told.eyebrow;
  for (const std::string& text : {eyebrow.phase, eyebrow.pass, eyebrow.block, eyebrow.lanes}) {
    headline.where += (headline.where.empty() || text.empty() ? "" : " · ") + text;
  }
  headline.phase = eyebrow.name;
  if (in.state.step() > 0 && in.recording.is_complete() &&
      in.state.step() >= in.recording.step_count()) {
    const Result result = result_sentence(in, content);
    headline.verdict = result.verdict;
    const narration::Sentence said{narration::Kind::Result, result.sentence, result.sentence};
    if (in.phase && in.summary != nullptr && result.verdict == Verdict::Wrong) {
      headline.told.notes.insert(headline.told.notes.begin(), headline.told.sentence);
      headline.told.sentence = said;
    } else if (in.phase && in.summary != nullptr) {
      if (headline.told.notes.empty()) {
        headline.told.notes.push_back(said);
      } else {
        narration::Pieces& note = headline.told.notes.front().long_form;
        note.insert(note.begin(), {" ", narration::Hue::None, false});
        note.insert(note.begin(), result.sentence.begin(), result.sentence.end());
      }
    } else {
      headline.told.sentence = said;
    }
  }
  headline.sentence = narration::plain_text(headline.told.sentence.long_form);
  return headline;
}

}  // namespace tilestep::ui
