#include "narration/thread_view.h"
#include "problem/values/element.h"
#include "ui/lesson/question.h"
#include "ui/masked_context.h"
#include "ui/stage/content.h"
#include "ui/stage/phase.h"
#include "ui/stage/shape.h"

#include <set>
#include <utility>

namespace tilestep::ui {
namespace {

using Axis = narration::Guide::Axis;

// Sums with few characters get wider cells from the start, because they grow.
constexpr int kFewestOfSums = 3;
// Numbers with more are drawn smaller, or rounded.
constexpr int kMostDigits = 6;   // of a fraction
constexpr int kMostOfWhole = 8;  // of a whole number, which cannot be rounded

int digits_of(const Sheet& sheet, std::span<const std::byte> bytes) {
  int most = 1;
  for (std::size_t i = 0; i < sheet.count && sheet.element; ++i) {
    const std::size_t offset = cell_offset(sheet, cell_place(sheet, i));
    if (offset + sheet.element_bytes <= bytes.size()) {
      const NumberRoom room =
          number_room(problem::load_element(*sheet.element, bytes.data() + offset));
      most = std::max({most, room.least, std::min(room.longest, kMostDigits)});
    }
  }
  return std::clamp(most, 1, kMostOfWhole);
}

// Arrays loaded from A are left of the threads, arrays loaded from B above them.
void turn_block_l(StageShape& shape) {
  const auto shared_of = [&shape](insight::ValueRole role) {
    const auto found =
        std::find_if(shape.sheets.begin(), shape.sheets.end(), [role](const Sheet& sheet) {
          return sheet.kind == SheetKind::Shared && sheet.role == role;
        });
    return found == shape.sheets.end() ? kNoSheet : static_cast<int>(found - shape.sheets.begin());
  };
  const int a = shared_of(insight::ValueRole::A);
  const int b = shared_of(insight::ValueRole::B);
  if (a != kNoSheet && b != kNoSheet) {
    shape.left = a;
    shape.top = b;
  }
}

insight::ValueRole matrix_role(const StageShape& shape, int sheet) {
  return sheet == kNoSheet  ? insight::ValueRole::None
         : sheet == shape.a ? insight::ValueRole::A
         : sheet == shape.b ? insight::ValueRole::B
                            : insight::ValueRole::None;
}

// If no thread computes products itself, a tensor unit does: the matrices are identified by their
// place in the L, the block's arrays by their sources.
void find_roles_by_source(const insight::BlockSums& sums, const simt::Program& program,
                          StageShape& shape) {
  const auto has_role = [](const Sheet& sheet) {
    return sheet.role == insight::ValueRole::A || sheet.role == insight::ValueRole::B;
  };
  if (!shape.has_matrix_l() || std::ranges::any_of(shape.sheets, has_role)) {
    return;
  }
  shape.sheets[size(shape.a)].role = insight::ValueRole::A;
  shape.sheets[size(shape.b)].role = insight::ValueRole::B;
  for (const insight::BlockSums::Brought& brought : sums.brought()) {
    const auto to = sheet_place(shape, program, program.locate(brought.address, 1));
    const auto from = std::ranges::find_if(shape.sheets, [&brought](const Sheet& sheet) {
      return sheet.kind == SheetKind::Buffer && sheet.index == brought.from.launch_buffer;
    });
    if (to && shape.sheets[size(to->sheet)].role == insight::ValueRole::None) {
      shape.sheets[size(to->sheet)].role =
          matrix_role(shape, static_cast<int>(from - shape.sheets.begin()));
    }
  }
}

void mask_cell(Cell& cell) {
  const bool is_padding = cell.is_padding;
  const std::uint32_t block = cell.block;
  cell = Cell{};
  cell.state = CellState::Masked;
  cell.is_padding = is_padding;
  cell.block = block;
}

// An operand: it existed before the run.
bool is_given(const Sheet& sheet) {
  return sheet.kind == SheetKind::Buffer && !sheet.is_output;
}

void mask_sheet(const course::AnswerMask& mask, bool hides_run, const Sheet& sheet,
                SheetContent& content) {
  for (std::size_t i = 0; i < content.cells.size(); ++i) {
    Cell& cell = content.cells[i];
    const bool shows = cell.state == CellState::Value || cell.state == CellState::Pending;
    if (!is_given(sheet) && cell.state != CellState::Unused &&
        (hides_run || (shows && (mask.hides_array(sheet.name) || mask.hides_number(cell.value))))) {
      mask_cell(cell);
      continue;
    }
    if (mask.hides(course::Topic::Findings)) {
      cell.is_wrong = false;
    }
    if (hides_run || mask.hides_cell(element_of(sheet, cell_place(sheet, i)))) {
      cell.is_read = cell.is_written = cell.by_focus_thread = cell.is_now = false;
      cell.in_tile = cell.in_tile && !hides_run;
    }
  }
}

// True for the answer's cell alone; after the question, for all but the blocks' frames.
bool gives_away(const course::AnswerMask& mask, bool hides_run, const Sheet& sheet,
                const CellFrame& frame) {
  const bool is_one = frame.rows == 1 && frame.cols == 1;
  return (hides_run && frame.kind != FrameKind::Block) ||
         (is_one && frame.kind != FrameKind::Block &&
          mask.hides_cell(element_of(sheet, {frame.row, frame.col}))) ||
         (frame.kind == FrameKind::Finding && mask.hides(course::Topic::Findings));
}

// The variable's values in the block's threads, limited to a matrix's extent.
std::set<int> values_in_block(const ContentInputs& in, const std::string& variable, int most) {
  const simt::Program& program = in.recording.program();
  record::VariableOfThreads reader(in.state, variable);
  std::set<int> values;
  for (std::uint32_t thread = 0; thread < program.threads_per_block(); ++thread) {
    const std::optional<record::Value>& value = reader.read(in.block, thread);
    if (!value || value->status != record::Value::Status::Ok ||
        value->type >= program.module().types.size()) {
      continue;
    }
    const auto number = narration::decoded(program.module().types[value->type], value->bytes);
    if (number && !number->is_real && number->integer >= 0 && number->integer < most) {
      values.insert(static_cast<int>(number->integer));
    }
  }
  return values;
}

// Whole rows or columns of a sheet.
CellFrame line_frame(const ContentInputs& in, FrameKind kind, int at, Axis axis, int first,
                     int count) {
  const Sheet& sheet = in.shape.sheets[size(at)];
  return axis == Axis::Row ? CellFrame{kind, at, first, 0, count, sheet.cols, in.block}
                           : CellFrame{kind, at, 0, first, sheet.rows, count, in.block};
}

void add_guide(const ContentInputs& in, const narration::Guide& guide, int at,
               StageContent& content) {
  const Sheet& sheet = in.shape.sheets[size(at)];
  const int most = guide.axis == Axis::Row ? sheet.rows : sheet.cols;
  const auto add = [&](FrameKind kind, int first, int count) {
    content.frames.push_back(line_frame(in, kind, at, guide.axis, first, count));
  };
  std::optional<int> first;
  int last = 0;
  for (const int value : values_in_block(in, guide.variable, most)) {
    if (first && value != last + 1) {
      add(FrameKind::BlockGuide, *first, last - *first + 1);
      first.reset();
    }
    first = first.value_or(value);
    last = value;
  }
  if (first) {
    add(FrameKind::BlockGuide, *first, last - *first + 1);
  }
  if (guide.value >= 0 && guide.value < most) {
    add(FrameKind::Guide, static_cast<int>(guide.value), 1);
  }
}

}  // namespace

void find_digits(const record::State& end, StageShape& shape) {
  int inputs = 1;
  int sums = kFewestOfSums;
  for (Sheet& sheet : shape.sheets) {
    if (sheet.kind != SheetKind::Buffer) {
      continue;
    }
    if (sheet.is_output) {
      sums = std::max(sums, digits_of(sheet, end.machine().buffer(sheet.index)));
    } else {
      sheet.digits = digits_of(sheet, end.machine().buffer(sheet.index));
      inputs = std::max(inputs, sheet.digits);
    }
  }
  for (Sheet& sheet : shape.sheets) {
    if (sheet.kind == SheetKind::Threads || sheet.is_output) {
      sheet.digits = sums;
    } else if (sheet.kind == SheetKind::Shared) {
      sheet.digits = inputs;
    }
  }
}

void find_roles(const insight::BlockSums* sums, const simt::Program& program, StageShape& shape) {
  for (std::size_t i = 0; i < shape.sheets.size(); ++i) {
    Sheet& sheet = shape.sheets[i];
    const int at = static_cast<int>(i);
    if (sheet.kind == SheetKind::Threads || sheet.is_output) {
      sheet.role = insight::ValueRole::Sum;
    } else if (sums != nullptr) {
      sheet.role = sums->role_of(sheet.name);
    } else if (sheet.kind == SheetKind::Buffer) {
      sheet.role = matrix_role(shape, at);
    }
  }
  if (sums != nullptr) {
    find_roles_by_source(*sums, program, shape);
  }
  turn_block_l(shape);
}

void mask_content(const course::AnswerMask& mask, const ContentInputs& in, StageContent& content) {
  const bool hides_run = mask.hides_run(in.state.step());
  for (std::size_t i = 0; i < content.sheets.size(); ++i) {
    mask_sheet(mask, hides_run, in.shape.sheets[i], content.sheets[i]);
  }
  std::erase_if(content.frames, [&](const CellFrame& frame) {
    return gives_away(mask, hides_run, in.shape.sheets[size(frame.sheet)], frame);
  });
  if (hides_run || mask.hides(course::Topic::Findings)) {
    content.strays.clear();
    content.fault_line = false;
  }
  if (hides_run || mask.hides(course::Topic::Places)) {
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

void mask_headline(const course::AnswerMask& mask, Headline& headline) {
  narration::Eyebrow eyebrow = std::move(headline.narrated.eyebrow);
  eyebrow.lanes = mask.hides(course::Topic::Counts) ? "" : std::move(eyebrow.lanes);
  Headline left;
  left.where = std::move(headline.where);
  left.phase = std::move(headline.phase);
  left.narrated.eyebrow = std::move(eyebrow);
  headline = std::move(left);
}

void mask_sum(const course::AnswerMask& mask, std::uint64_t step, SumStory& story) {
  const bool tells = mask.hides_text(story.title) || mask.hides_text(story.sentence) ||
                     (story.sum && (mask.hides_text(story.sum->value) || mask.hides_number(0.0))) ||
                     std::ranges::any_of(story.others, [&](const auto& other) {
                       return mask.hides_text(other.text);
                     });
  if (mask.hides_run(step) || tells) {
    story = {};
    story.sentence = kHiddenUntilAnswered.text();
  }
}

void add_factor_lines(const ContentInputs& in, StageContent& content) {
  if (in.sums == nullptr || in.phase || !in.shape.has_matrix_l()) {
    return;
  }
  for (const SumCell& sum : content.sums) {
    const bool is_shown = sum.thread == in.thread && sum.is_chosen && sum.is_added_to;
    const auto term = is_shown ? in.sums->latest(sum.sum, in.state.step()) : std::nullopt;
    if (!term || term->step < lit_since(in)) {
      continue;
    }
    for (const bool is_row : {true, false}) {
      const int at = is_row ? in.shape.a : in.shape.b;
      const insight::Term::Factor& element = is_row ? term->a : term->b;
      if (element.launch_buffer == in.shape.sheets[size(at)].index) {
        content.frames.push_back(line_frame(in, FrameKind::Factors, at,
                                            is_row ? Axis::Row : Axis::Column,
                                            is_row ? element.row : element.col, 1));
      }
    }
  }
}

void add_guides(const ContentInputs& in, std::span<const narration::Guide> guides,
                StageContent& content) {
  for (const narration::Guide& guide : guides) {
    for (std::size_t i = 0; i < in.shape.sheets.size(); ++i) {
      const Sheet& sheet = in.shape.sheets[i];
      if (sheet.kind == SheetKind::Buffer && sheet.index == guide.launch_buffer && !sheet.wrapped) {
        add_guide(in, guide, static_cast<int>(i), content);
      }
    }
  }
}

}  // namespace tilestep::ui
