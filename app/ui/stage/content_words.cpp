#include "narration/templates.h"
#include "problem/tr.h"
#include "record/place_name.h"
#include "ui/stage/content.h"
#include "ui/stage/phase.h"
#include "ui/widgets.h"

#include <fmt/format.h>

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

// The result at the end of the run: what stopped it, or the state of the output that has a
// reference.
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

// A whole phase: its summary, and below it the focus thread's part.
narration::Narration phase_narration(const narration::PhaseSummary& summary) {
  narration::Narration narration;
  narration.eyebrow = summary.eyebrow;
  narration.sentence = summary.sentence;
  narration::Sentence note{narration::Kind::Summary, summary.thread, summary.thread};
  for (const narration::Pieces* const more : {&summary.barrier, &summary.moved}) {
    if (!more->empty() && !note.long_form.empty()) {
      note.long_form.push_back({" ", narration::Hue::None, false});
    }
    note.long_form.insert(note.long_form.end(), more->begin(), more->end());
  }
  if (!note.long_form.empty()) {
    narration.notes.push_back(std::move(note));
  }
  return narration;
}

// The check's finding in the phase: its summary alone would hide the finding.
std::optional<narration::Sentence> finding_in_phase(const ContentInputs& in) {
  const record::Phase* const phase = shown_phase(in);
  for (const insight::Finding& finding : in.findings) {
    if (phase != nullptr &&
        insight::takes_effect_in(finding, in.recording.program().launch().grid, in.block,
                                 phase->first_step, phase->last_step)) {
      return narration::say(narration::Kind::Summary, "phase_finding",
                            {{"element", strong(finding.element, Hue::Fault)},
                             {"line", plain(fmt::format("{}", finding.parties.back().line))}});
    }
  }
  return std::nullopt;
}

// "line 18 · statement 22 of 88"
std::string when(const ContentInputs& in, const record::Writer& writer) {
  const auto starts = in.recording.statement_starts();
  const std::size_t statements = starts.empty() ? 0 : starts.size() - 1;
  return tr("line {} · statement {} of {}", writer.line, in.recording.statement_of(writer.step) + 1,
            statements);
}

simt::Place place_of(const ContentInputs& in, const Sheet& sheet, CellPlace place) {
  simt::Place result;
  result.inside = true;
  result.offset = static_cast<std::int64_t>(cell_offset(sheet, place));
  const auto allocations = in.recording.program().allocations();
  for (std::size_t i = 0; i < allocations.size(); ++i) {
    const bool found = sheet.kind == SheetKind::Shared
                           ? i == sheet.index
                           : allocations[i].kind == simt::AllocationKind::Buffer &&
                                 allocations[i].launch_buffer == sheet.index;
    if (found) {
      result.allocation = static_cast<std::uint32_t>(i);
    }
  }
  return result;
}

record::Writer writer_of(const ContentInputs& in, const Sheet& sheet, CellPlace place) {
  const std::size_t offset = cell_offset(sheet, place);
  if (sheet.kind == SheetKind::Buffer) {
    return in.state.buffer_writer(sheet.index, offset / 4);
  }
  const auto allocations = in.recording.program().allocations();
  std::uint64_t first = allocations[sheet.index].base;
  for (const simt::Allocation& other : allocations) {
    if (other.kind == simt::AllocationKind::Shared) {
      first = std::min(first, other.base);
    }
  }
  if (in.state.shared(in.block).empty()) {
    return {};
  }
  return in.state.shared_writer(in.block, (allocations[sheet.index].base - first + offset) / 4);
}

// Whether an asynchronous copy stored it.
bool is_copy(const ContentInputs& in, const Transfer& move) {
  return std::any_of(in.copies.begin(), in.copies.end(),
                     [&](const CopyFlight& copy) { return copy.issued == move.step; });
}

// The source of a shared cell's value, if its storing thread had just loaded it.
std::string origin(const ContentInputs& in, CellHit hit, const record::Writer& writer) {
  // An asynchronous copy is listed at its issue, possibly phases before its store.
  for (std::size_t phase = in.log.phase_before(writer.step + 1) + 1; phase > 0; --phase) {
    const std::vector<Transfer>& all = in.log.transfers_of(phase - 1);
    const auto move = std::find_if(all.rbegin(), all.rend(), [&](const Transfer& m) {
      return m.step <= writer.step && m.to.sheet == hit.sheet && m.to.row == hit.row &&
             m.to.col == hit.col;
    });
    const bool is_it = move != all.rend() && move->thread == writer.thread;
    if (is_it && (move->step == writer.step || is_copy(in, *move))) {
      const Sheet& buffer = in.shape.sheets[size(move->from.sheet)];
      const CellPlace from{move->from.row, move->from.col};
      return tr("loaded from {}",
                record::place_name(in.recording.program(), place_of(in, buffer, from)));
    }
    if (move != all.rend()) {
      break;
    }
  }
  return tr("not from a matrix: padding or a computed value");
}

void tell_marks(const ContentInputs& in, const Cell& cell, CellStory& story) {
  if (cell.is_read && cell.is_written) {
    story.lines.emplace_back(
        tr(in.phase ? "read and stored in this phase" : "read and stored by this statement"));
  } else if (cell.is_read) {
    story.lines.emplace_back(tr(in.phase ? "read in this phase" : "read by this statement"));
  } else if (cell.is_written) {
    story.lines.emplace_back(tr(in.phase ? "stored in this phase" : "stored by this statement"));
  }
}

// The name of a thread's sum.
std::string chosen_name(const ContentInputs& in, std::uint32_t thread) {
  const auto chosen = in.sums == nullptr ? std::nullopt : in.sums->of_thread(thread, in.sum);
  return chosen ? in.sums->name(*chosen, in.state.step()) : in.accumulator;
}

// The name of the sum that is stored to an output's cell.
std::string landing_name(const ContentInputs& in, const StageContent& content, CellHit hit) {
  for (const SumCell& sum : content.sums) {
    if (sum.place.sheet == hit.sheet && sum.place.row == hit.row && sum.place.col == hit.col) {
      return in.sums->name(sum.sum, in.state.step());
    }
  }
  const std::size_t cell = cell_index(in.shape.sheets[size(hit.sheet)], {hit.row, hit.col});
  for (const Landing& landing : in.landings) {
    if (landing.sheet == hit.sheet && landing.cell == cell) {
      return landing.home.name;
    }
  }
  return in.accumulator;
}

CellStory thread_story(const ContentInputs& in, const Cell& cell, std::uint32_t thread) {
  CellStory story;
  const auto& program = in.recording.program();
  const auto warp_size = program.warp_size();
  const std::string name = thread_name(in.recording.program(), in.block, thread);
  if (cell.state == CellState::Value) {
    story.title =
        fmt::format("{} = {}", chosen_name(in, thread), formed_number(cell.value, {}, in.form));
    story.lines.push_back(name);
  } else {
    story.title = name;
  }
  story.lines.push_back(tr("warp {}, lane {}", thread / warp_size, thread % warp_size));
  const std::uint32_t line = in.state.line(in.block, thread);
  story.lines.push_back(line == 0 ? std::string(tr("has ended")) : tr("at line {}", line));
  if (cell.is_masked) {
    story.lines.emplace_back(tr("inactive in this statement (masked lane)"));
  }
  return story;
}

}  // namespace

Headline while_playing(const ContentInputs& in) {
  Headline headline;
  if (in.summary != nullptr) {
    headline.narrated.eyebrow = in.summary->running;
    headline.narrated.sentence = in.summary->sentence;
  }
  return headline;
}

Headline make_headline(const ContentInputs& in, const StageContent& content) {
  Headline headline;
  if (in.phase && in.summary != nullptr) {
    headline.narrated = phase_narration(*in.summary);
  } else if (in.narrator != nullptr) {
    narration::Narration moment =
        in.narrator->narrate({in.before, in.state, in.statement, in.thread, in.sums, in.findings});
    if (in.phase) {  // its summary is being computed
      headline.narrated.eyebrow = std::move(moment.eyebrow);
    } else {
      headline.narrated = std::move(moment);
    }
  }
  if (const auto finding = in.phase ? finding_in_phase(in) : std::nullopt) {
    headline.narrated.notes.insert(headline.narrated.notes.begin(), *finding);
  }
  const narration::Eyebrow& eyebrow = headline.narrated.eyebrow;
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
      headline.narrated.notes.insert(headline.narrated.notes.begin(), headline.narrated.sentence);
      headline.narrated.sentence = said;
    } else if (in.phase && in.summary != nullptr) {
      if (headline.narrated.notes.empty()) {
        headline.narrated.notes.push_back(said);
      } else {
        narration::Pieces& note = headline.narrated.notes.front().long_form;
        note.insert(note.begin(), {" ", narration::Hue::None, false});
        note.insert(note.begin(), result.sentence.begin(), result.sentence.end());
      }
    } else {
      headline.narrated.sentence = said;
    }
  }
  headline.sentence = narration::plain_text(headline.narrated.sentence.long_form);
  return headline;
}

std::string cell_name(const ContentInputs& in, CellHit hit) {
  const Sheet& sheet = in.shape.sheets[size(hit.sheet)];
  if (sheet.kind == SheetKind::Threads) {
    if (const auto at = output_cell(in.shape, in.block, {hit.row, hit.col})) {
      return cell_name(in, {at->sheet, at->row, at->col});
    }
    const std::uint32_t thread = cell_thread(in.shape, {hit.row, hit.col});
    return tr("{sum} of {thread}", fmt::arg("sum", chosen_name(in, thread)),
              fmt::arg("thread", thread_name(in.recording.program(), in.block, thread)));
  }
  return record::place_name(in.recording.program(), place_of(in, sheet, {hit.row, hit.col}));
}

CellStory cell_story(const ContentInputs& in, const StageContent& content, CellHit hit) {
  const Sheet& sheet = in.shape.sheets[size(hit.sheet)];
  const CellPlace place{hit.row, hit.col};
  const Cell& cell = content.sheets[size(hit.sheet)].cells[cell_index(sheet, place)];
  if (sheet.kind == SheetKind::Threads) {
    if (const auto at = output_cell(in.shape, in.block, place)) {
      return cell_story(in, content, {at->sheet, at->row, at->col});
    }
    return thread_story(in, cell, cell_thread(in.shape, place));
  }
  CellStory story;
  const std::string name = cell_name(in, hit);
  const record::Writer writer = writer_of(in, sheet, place);
  if (cell.state == CellState::Value) {
    story.title = fmt::format("{} = {}", name, formed_number(cell.value, sheet.element, in.form));
  } else {
    story.title = sheet.element ? name : tr("{} (not a number)", name);
  }
  if (writer.written) {
    story.lines.push_back(
        tr("stored by {}", thread_name(in.recording.program(), writer.block, writer.thread)));
    story.lines.push_back(when(in, writer));
    if (sheet.kind == SheetKind::Shared) {
      story.lines.push_back(origin(in, hit, writer));
    }
  } else if (cell.state == CellState::Pending) {
    const Owner owner = in.owners.cells[size(hit.sheet)][cell_index(sheet, place)];
    story.lines.emplace_back(tr("not stored yet"));
    story.lines.push_back(tr("{} = {} in {}", landing_name(in, content, hit),
                             formed_number(cell.value, sheet.element, in.form),
                             thread_name(in.recording.program(), owner.block, owner.thread)));
  } else if (sheet.kind == SheetKind::Buffer && !sheet.is_output) {
    story.lines.emplace_back(tr("input, set before the launch"));
  } else {
    story.lines.emplace_back(tr("not stored yet"));
  }
  const problem::ExpectedOutput* const expected = expected_of(in, sheet);
  if (cell.is_wrong && expected != nullptr) {
    const double wanted = expected->values.values[cell_index(sheet, place)];
    story.lines.push_back(tr("wrong: expected {}", formed_number(wanted, sheet.element, in.form)));
  } else if (cell.is_wrong) {  // of a shared array
    story.lines.emplace_back(tr("wrong: loaded from outside its matrix"));
  }
  tell_marks(in, cell, story);
  return story;
}

}  // namespace tilestep::ui
