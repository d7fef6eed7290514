#include "problem/values/element.h"
#include "ui/stage/content.h"

namespace tilestep::ui {
namespace {

// The origin of a shared array's cells after a phase. Outside: read beyond an array, so the value
// is arbitrary.
enum class Origin : std::uint8_t { Unknown, Element, Padding, Outside };

class PaddingFinder {
 public:
  PaddingFinder(const ContentInputs& in, StageContent& out)
      : in_(in),
        out_(out),
        origins_(in.shape.sheets.size()),
        holds_elements_(in.shape.sheets.size()) {
    for (std::size_t i = 0; i < origins_.size(); ++i) {
      if (in.shape.sheets[i].kind == SheetKind::Shared) {
        origins_[i].resize(out.sheets[i].cells.size(), Origin::Unknown);
      }
    }
  }

  // The latest phase decides, and only if a kernel loads from buffers at all.
  void find() {
    for (std::size_t phase = 0; phase < in_.log.phase_count(); ++phase) {
      for (const Transfer& move : in_.log.transfers_of(phase)) {
        holds_elements_[size(move.to.sheet)] = true;
      }
    }
    const std::size_t current = in_.log.phase_before(in_.state.step());
    for (std::size_t back = 0; in_.log.phase_count() > 0 && back <= current; ++back) {
      take_phase(current - back);
    }
    for (std::size_t i = 0; i < origins_.size(); ++i) {
      for (std::size_t c = 0; c < origins_[i].size(); ++c) {
        Cell& cell = out_.sheets[i].cells[c];
        cell.is_padding = loads_elements_ && origins_[i][c] == Origin::Padding && cell.value == 0.0;
        cell.is_wrong = cell.is_wrong || (loads_elements_ && origins_[i][c] == Origin::Outside);
      }
    }
  }

 private:
  void take_phase(std::size_t phase) {
    std::vector<std::vector<Origin>> found(origins_.size());
    const record::Phase& steps = in_.recording.phases_of(in_.block)[phase];
    const bool goes_outside =
        std::ranges::any_of(in_.recording.faults(), [&](const record::Activity::Fault& fault) {
          return fault.event.kind == simt::FaultKind::OutOfRange && fault.warp.block == in_.block &&
                 fault.event.access == simt::AccessKind::Load && steps.first_step <= fault.step &&
                 fault.step < steps.last_step;
        });
    const auto& moves = in_.log.transfers_of(phase);
    // In a phase without loads a zero is a computed value; so it is in an array that never gets an
    // element.
    const Origin stored = goes_outside    ? Origin::Outside
                          : moves.empty() ? Origin::Element
                                          : Origin::Padding;
    for (const LoggedAccess& access : in_.log.phase(phase).accesses) {
      if (is_shared_store(access)) {
        const bool may_pad = holds_elements_[size(access.place.sheet)];
        set(found, access.place, goes_outside || may_pad ? stored : Origin::Element);
      }
    }
    for (const Transfer& move : moves) {
      if (move.step < in_.state.step() && move.to.inside) {
        loads_elements_ = true;
        set(found, move.to, Origin::Element);
      }
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
      for (std::size_t c = 0; c < found[i].size(); ++c) {
        Origin& known = origins_[i][c];
        known = known == Origin::Unknown ? found[i][c] : known;
      }
    }
  }

  [[nodiscard]] bool is_shared_store(const LoggedAccess& access) const {
    return access.is_store && !access.is_arrival && access.place.inside &&
           access.step < in_.state.step() &&
           in_.shape.sheets[size(access.place.sheet)].kind == SheetKind::Shared;
  }

  void set(std::vector<std::vector<Origin>>& found, const SheetPlace& place, Origin origin) const {
    auto& cells = found[size(place.sheet)];
    cells.resize(origins_[size(place.sheet)].size(), Origin::Unknown);
    cells[cell_index(in_.shape.sheets[size(place.sheet)], {place.row, place.col})] = origin;
  }

  const ContentInputs& in_;
  StageContent& out_;
  std::vector<std::vector<Origin>> origins_;  // by shared sheet and cell
  std::vector<bool> holds_elements_;          // by sheet, in the whole run
  bool loads_elements_ = false;
};

// The number of a sheet's columns, from the left, that are stored to in the whole run. If phases
// load elements of buffers, only these count: after the last tile the memory may hold sums.
std::vector<int> columns_in_use(const ContentInputs& in) {
  std::vector<int> all(in.shape.sheets.size(), 0);
  std::vector<int> by_loads(all.size(), 0);
  for (std::size_t phase = 0; phase < in.log.phase_count(); ++phase) {
    std::vector<bool> is_filled(all.size());
    for (const Transfer& move : in.log.transfers_of(phase)) {
      is_filled[size(move.to.sheet)] = true;
    }
    for (const LoggedAccess& access : in.log.phase(phase).accesses) {
      const std::size_t sheet = size(access.place.sheet);
      if (access.is_store && access.place.inside &&
          in.shape.sheets[sheet].kind == SheetKind::Shared) {
        all[sheet] = std::max(all[sheet], access.place.col + 1);
        by_loads[sheet] =
            is_filled[sheet] ? std::max(by_loads[sheet], access.place.col + 1) : by_loads[sheet];
      }
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = by_loads[i] > 0 ? by_loads[i] : all[i];
  }
  return all;
}

// Columns at the right of a shared array that no tile uses: they only shift the rows over the
// banks.
void mark_unused_columns(const ContentInputs& in, StageContent& out) {
  const std::vector<int> used = columns_in_use(in);
  for (std::size_t i = 0; i < used.size(); ++i) {
    const Sheet& sheet = in.shape.sheets[i];
    if (used[i] == 0 || sheet.wrapped || sheet.rows < 2) {
      continue;
    }
    out.sheets[i].padding = sheet.cols - used[i];
    for (int row = 0; row < sheet.rows; ++row) {
      for (int col = used[i]; col < sheet.cols; ++col) {
        Cell& cell = out.sheets[i].cells[cell_index(sheet, {row, col})];
        cell.is_padding = cell.is_padding || cell.state != CellState::Value;
      }
    }
  }
}

}  // namespace

void mark_stale(const ContentInputs& in, StageContent& content) {
  if (in.phase || in.log.phase_count() == 0) {
    return;
  }
  const std::uint64_t now = in.state.step();
  const PhaseLog& log = in.log.phase(in.log.phase_before(now));
  for (const CellTouch& touch : log.touches) {
    const bool is_read_first = touch.is_read() && touch.first_read < touch.last_write;
    Cell& cell = content.sheets[size(touch.sheet)].cells[touch.cell];
    cell.is_stale = touch.is_written() && touch.last_write >= now && !is_read_first &&
                    cell.state == CellState::Value &&
                    in.shape.sheets[size(touch.sheet)].kind == SheetKind::Shared;
  }
  for (const LoggedAccess& access : log.accesses) {
    if (access.is_store && access.step < now && access.place.inside) {
      cell_at(content, in.shape, access.place).is_stale = false;
    }
  }
}

void mark_padding(const ContentInputs& inputs, StageContent& content) {
  PaddingFinder(inputs, content).find();
  mark_unused_columns(inputs, content);
}

const problem::ExpectedOutput* expected_of(const ContentInputs& inputs, const Sheet& sheet) {
  const auto found = std::find_if(
      inputs.expected.begin(), inputs.expected.end(), [&](const problem::ExpectedOutput& output) {
        return sheet.kind == SheetKind::Buffer && sheet.index == output.buffer;
      });
  return found == inputs.expected.end() ? nullptr : &*found;
}

std::vector<std::vector<double>> ends_of(const record::State& end, const StageShape& shape) {
  std::vector<std::vector<double>> ends(shape.sheets.size());
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const Sheet& sheet = shape.sheets[i];
    if (sheet.kind != SheetKind::Buffer || !sheet.is_output || !sheet.element) {
      continue;
    }
    const auto bytes = end.machine().buffer(sheet.index);
    for (std::size_t c = 0; c < sheet.count; ++c) {
      const std::size_t offset = cell_offset(sheet, cell_place(sheet, c));
      const bool is_there = offset + sheet.element_bytes <= bytes.size();
      ends[i].push_back(is_there ? problem::load_element(*sheet.element, bytes.data() + offset)
                                 : 0.0);
    }
  }
  return ends;
}

namespace {

// An intermediate value of a sum that the kernel stores is not wrong.
bool is_right_in_the_end(const ContentInputs& inputs, std::size_t sheet, std::size_t cell,
                         const problem::ExpectedOutput& expected) {
  return sheet < inputs.ends.size() && cell < inputs.ends[sheet].size() &&
         problem::agree(inputs.ends[sheet][cell], expected.values.values[cell], expected.tolerance);
}

}  // namespace

void mark_wrong(const ContentInputs& inputs, StageContent& content) {
  for (std::size_t i = 0; i < inputs.shape.sheets.size(); ++i) {
    const problem::ExpectedOutput* const expected = expected_of(inputs, inputs.shape.sheets[i]);
    auto& cells = content.sheets[i].cells;
    for (std::size_t c = 0;
         expected != nullptr && c < std::min(cells.size(), expected->values.values.size()); ++c) {
      cells[c].is_wrong =
          cells[c].state == CellState::Value &&
          !problem::agree(cells[c].value, expected->values.values[c], expected->tolerance) &&
          !is_right_in_the_end(inputs, i, c, *expected);
    }
  }
}

}  // namespace tilestep::ui
