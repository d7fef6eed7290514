#include "ui/stage/guides.h"

#include "narration/thread_view.h"
#include "ui/stage/phase_view.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>

namespace tilestep::ui {
namespace {

using Axis = narration::Guide::Axis;

// What the variable holds in the block's threads, as far as a matrix has so many.
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
