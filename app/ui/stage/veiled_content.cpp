#include "ui/stage/veiled_content.h"

#include "ui/question_answer.h"
#include "ui/veiling.h"

#include <algorithm>
#include <string>
#include <utility>

namespace tilestep::ui {
namespace {

void veil_cell(Cell& cell) {
  const bool is_padding = cell.is_padding;
  const std::uint32_t block = cell.block;
  cell = Cell{};
  cell.state = CellState::Veiled;
  cell.is_padding = is_padding;
  cell.block = block;
}

// What is multiplied: it was there before anything ran.
bool is_given(const Sheet& sheet) {
  return sheet.kind == SheetKind::Buffer && !sheet.is_output;
}

void veil_sheet(const course::AnswerMask& veil, bool hides_run, const Sheet& sheet,
                SheetContent& content) {
  for (std::size_t i = 0; i < content.cells.size(); ++i) {
    Cell& cell = content.cells[i];
    const bool shows = cell.state == CellState::Value || cell.state == CellState::Pending;
    if (!is_given(sheet) && cell.state != CellState::Unused &&
        (hides_run || (shows && (veil.hides_array(sheet.name) || veil.hides_number(cell.value))))) {
      veil_cell(cell);
      continue;
    }
    if (veil.hides(course::Topic::Findings)) {
      cell.is_wrong = false;
    }
    if (hides_run || veil.hides_cell(element_of(sheet, cell_place(sheet, i)))) {
      cell.is_read = cell.is_written = cell.by_focus_thread = cell.is_now = false;
      cell.in_tile = cell.in_tile && !hides_run;
    }
  }
}

// Of one cell alone, which is the answer; of what ran after the question, all but the blocks'.
bool gives_away(const course::AnswerMask& veil, bool hides_run, const Sheet& sheet,
                const CellFrame& frame) {
  const bool is_one = frame.rows == 1 && frame.cols == 1;
  return (hides_run && frame.kind != FrameKind::Block) ||
         (is_one && frame.kind != FrameKind::Block &&
          veil.hides_cell(element_of(sheet, {frame.row, frame.col}))) ||
         (frame.kind == FrameKind::Finding && veil.hides(course::Topic::Findings));
}

}  // namespace

void veil_content(const course::AnswerMask& veil, const ContentInputs& in, StageContent& content) {
  const bool hides_run = veil.hides_run(in.state.step());
  for (std::size_t i = 0; i < content.sheets.size(); ++i) {
    veil_sheet(veil, hides_run, in.shape.sheets[i], content.sheets[i]);
  }
  std::erase_if(content.frames, [&](const CellFrame& frame) {
    return gives_away(veil, hides_run, in.shape.sheets[size(frame.sheet)], frame);
  });
  if (hides_run || veil.hides(course::Topic::Findings)) {
    content.strays.clear();
    content.fault_line = false;
  }
  if (hides_run || veil.hides(course::Topic::Places)) {
    content.moving.clear();
    content.ribbons.clear();
    content.sources.clear();
    content.focus_result.reset();
  }
  if (hides_run) {
    content.focus_cell.reset();
    content.sums.clear();
  }
  content.kinds = kinds_of(content);
}

void veil_headline(const course::AnswerMask& veil, Headline& headline) {
  narration::Eyebrow eyebrow = std::move(headline.told.eyebrow);
  eyebrow.lanes = veil.hides(course::Topic::Counts) ? "" : std::move(eyebrow.lanes);
  Headline left;
  left.where = std::move(headline.where);
  left.phase = std::move(headline.phase);
  left.told.eyebrow = std::move(eyebrow);
  headline = std::move(left);
}

void veil_sum(const course::AnswerMask& veil, std::uint64_t step, SumStory& story) {
  const bool tells = veil.hides_text(story.title) || veil.hides_text(story.sentence) ||
                     (story.sum && (veil.hides_text(story.sum->value) || veil.hides_number(0.0))) ||
                     std::ranges::any_of(story.others, [&](const auto& other) {
                       return veil.hides_text(other.text);
                     });
  if (veil.hides_run(step) || tells) {
    story = {};
    story.sentence = kHiddenUntilAnswered.text();
  }
}

}  // namespace tilestep::ui
