#include "ui/stage/content.h"

#include "problem/values/element.h"
#include "record/assigning_lines.h"
#include "record/place_name.h"
#include "ui/stage/frames.h"
#include "ui/stage/verdicts.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tilestep::ui {
namespace {

void show(SheetContent& content, Cell& cell, double value, CellState state) {
  cell.value = value;
  cell.state = state;
  if (std::isfinite(value)) {
    content.largest = std::max(content.largest, std::abs(value));
  }
  const NumberRoom room = number_room(value);
  content.longest = std::max(content.longest, room.longest);
  ++content.needing[size(room.least)];
}

// Values of a buffer or a shared array; cells that were never written stay empty. Input buffers
// count as written: the launch did that.
template <class IsWritten>
void fill_memory(const Sheet& sheet, std::span<const std::byte> bytes, SheetContent& content,
                 IsWritten is_written) {
  for (int row = 0; row < sheet.rows; ++row) {
    for (int col = 0; col < sheet.cols; ++col) {
      const CellPlace place{row, col};
      Cell& cell = content.cells[cell_index(sheet, place)];
      if (cell_index(sheet, place) >= sheet.count) {
        cell.state = CellState::Unused;
        continue;
      }
      const std::size_t offset = cell_offset(sheet, place);
      if (!sheet.element || offset + sheet.element_bytes > bytes.size() ||
          !is_written(offset / 4)) {
        continue;
      }
      show(content, cell, problem::load_element(*sheet.element, bytes.data() + offset),
           CellState::Value);
    }
  }
}

void fill_values(const ContentInputs& in, StageContent& out) {
  for (std::size_t i = 0; i < in.shape.sheets.size(); ++i) {
    const Sheet& sheet = in.shape.sheets[i];
    SheetContent& content = out.sheets[i];
    content.cells.resize(size(sheet.rows) * size(sheet.cols));
    if (sheet.kind == SheetKind::Buffer) {
      const auto bytes = in.state.machine().buffer(sheet.index);
      fill_memory(sheet, bytes, content, [&](std::size_t word) {
        const bool stored = sheet.is_output && in.state.buffer_writer(sheet.index, word).written;
        content.stored += stored ? 1U : 0U;
        return stored || !sheet.is_output;
      });
    } else if (sheet.kind == SheetKind::Shared) {
      const auto& program = in.recording.program();
      const simt::Allocation& allocation = program.allocations()[sheet.index];
      std::uint64_t first = allocation.base;  // shared memory starts at the lowest shared base
      for (const simt::Allocation& other : program.allocations()) {
        if (other.kind == simt::AllocationKind::Shared) {
          first = std::min(first, other.base);
        }
      }
      const std::size_t start = static_cast<std::size_t>(allocation.base - first);
      const auto block = in.state.shared(in.block);
      if (start < block.size()) {
        fill_memory(sheet, block.subspan(start), content, [&](std::size_t word) {
          return in.state.shared_writer(in.block, start / 4 + word).written;
        });
      }
    }
  }
}

std::optional<double> accumulator_of(const record::State& state, std::uint32_t block,
                                     std::uint32_t thread, const std::string& name) {
  using Status = record::Value::Status;
  if (name.empty()) {
    return std::nullopt;
  }
  const auto value = state.variable(block, thread, name);
  if (!value || (value->status != Status::Ok && value->status != Status::ThreadExited)) {
    return std::nullopt;
  }
  if (value->bytes.size() == sizeof(float)) {
    float number = 0.0F;
    std::memcpy(&number, value->bytes.data(), sizeof(number));
    return static_cast<double>(number);
  }
  if (value->bytes.size() == sizeof(double)) {
    double number = 0.0;
    std::memcpy(&number, value->bytes.data(), sizeof(number));
    return number;
  }
  return std::nullopt;
}

// Output cells that nobody has stored yet show the accumulator of the thread that will: which one
// is known from the store it makes later in the recording.
void fill_pending(const ContentInputs& in, StageContent& out) {
  for (std::size_t i = 0; i < in.shape.sheets.size(); ++i) {
    const auto& owners = in.owners.cells[i];
    if (in.shape.sheets[i].kind != SheetKind::Buffer || owners.empty()) {
      continue;
    }
    SheetContent& content = out.sheets[i];
    for (std::size_t c = 0; c < content.cells.size(); ++c) {
      Cell& cell = content.cells[c];
      cell.block = owners[c].block;
      if (owners[c].block == in.block && owners[c].thread == in.thread && !out.focus_result) {
        const int cols = in.shape.sheets[i].cols;
        out.focus_result = SheetPlace{static_cast<int>(i), static_cast<int>(c) / cols,
                                      static_cast<int>(c) % cols, true};
      }
      if (cell.state != CellState::Empty || !owners[c].known()) {
        continue;
      }
      const auto value =
          accumulator_of(in.state, owners[c].block, owners[c].thread, in.accumulator);
      if (value) {
        show(content, cell, *value, CellState::Pending);
        ++content.pending;
      }
    }
  }
}

// Whether a thread of the focus block took part in the current statement.
enum class Part : std::uint8_t { None, Executed, Masked };
struct Participation {
  std::vector<Part> threads;
  std::vector<std::uint32_t> lines;
};
Participation participation(const ContentInputs& in) {
  Participation result;
  const auto& program = in.recording.program();
  result.threads.resize(program.threads_per_block(), Part::None);
  result.lines.resize(program.threads_per_block(), 0);
  if (in.statement == nullptr) {
    return result;
  }
  const auto warp_size = static_cast<std::uint32_t>(program.warp_size());
  for (const record::Activity::Executed& executed : in.statement->executed) {
    if (executed.warp.block != in.block) {
      continue;
    }
    for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
      const std::uint32_t thread = executed.warp.warp * warp_size + lane;
      if (thread >= result.threads.size()) {
        break;
      }
      if ((executed.mask >> lane & 1U) != 0) {
        result.threads[thread] = Part::Executed;
        result.lines[thread] = executed.line;
      } else if ((executed.live >> lane & 1U) != 0 && result.threads[thread] == Part::None) {
        result.threads[thread] = Part::Masked;
      }
    }
  }
  return result;
}

void fill_threads(const ContentInputs& in, StageContent& out) {
  if (in.shape.threads == kNoSheet) {
    return;
  }
  const Sheet& sheet = in.shape.sheets[size(in.shape.threads)];
  SheetContent& content = out.sheets[size(in.shape.threads)];
  const Participation part = participation(in);
  // Adding zero is adding too: whoever executed a line that assigns the accumulator wrote it, and
  // so did who executed a line that changed another's (one that lives in memory).
  std::vector<std::uint32_t> assigning =
      record::assigning_lines(in.recording.program(), in.accumulator);
  for (std::uint32_t thread = 0; thread < sheet.count; ++thread) {
    Cell& cell = content.cells[cell_index(sheet, thread_cell(sheet, thread))];
    cell.is_masked = part.threads[thread] == Part::Masked;
    const auto now = accumulator_of(in.state, in.block, thread, in.accumulator);
    if (now) {
      show(content, cell, *now, CellState::Value);
    }
    if (in.before != nullptr && part.threads[thread] == Part::Executed) {
      const auto before = accumulator_of(*in.before, in.block, thread, in.accumulator);
      if (now && (!before || *now != *before)) {
        assigning.push_back(part.lines[thread]);
      }
    }
  }
  for (std::uint32_t thread = 0; thread < sheet.count; ++thread) {
    Cell& cell = content.cells[cell_index(sheet, thread_cell(sheet, thread))];
    cell.is_written =
        part.threads[thread] == Part::Executed &&
        std::find(assigning.begin(), assigning.end(), part.lines[thread]) != assigning.end();
    cell.by_focus_block = true;
    cell.by_focus_thread = thread == in.thread;
  }
}

void mark(Cell& cell, bool is_store, bool by_focus_block, bool by_focus_thread) {
  (is_store ? cell.is_written : cell.is_read) = true;
  cell.by_focus_block = cell.by_focus_block || by_focus_block;
  cell.by_focus_thread = cell.by_focus_thread || by_focus_thread;
}

// Every byte of these lies inside: the lanes of an access that leaves its array make a fault
// instead.
void mark_access(const ContentInputs& in, const record::Access& access, StageContent& out) {
  const auto& program = in.recording.program();
  const bool in_focus = access.warp.block == in.block;
  const bool is_shared = access.event.space == ptx::Space::Shared;
  if ((is_shared && !in_focus) || (!is_shared && access.event.space != ptx::Space::Global)) {
    return;
  }
  const bool is_store = access.event.kind != simt::AccessKind::Load;
  const auto warp_size = static_cast<std::uint32_t>(program.warp_size());
  for (std::uint32_t lane = 0; lane < simt::kWarpSize; ++lane) {
    if ((access.event.mask >> lane & 1U) == 0) {
      continue;
    }
    const bool is_focus = in_focus && access.warp.warp * warp_size + lane == in.thread;
    std::uint32_t done = 0;
    while (done < access.event.bytes) {
      const simt::Place place = program.locate(access.event.addresses[lane] + done, 1);
      const auto where = sheet_place(in.shape, program, place);
      std::size_t step = 4;
      if (where) {
        const Sheet& sheet = in.shape.sheets[size(where->sheet)];
        step = std::max<std::size_t>(sheet.element_bytes, 1);
        Cell& cell =
            out.sheets[size(where->sheet)].cells[cell_index(sheet, {where->row, where->col})];
        mark(cell, is_store, in_focus, is_focus);
      }
      done += static_cast<std::uint32_t>(step);
    }
  }
}

// Lanes that reached out of an array: one stray each, where the first of their bytes points.
void add_strays(const ContentInputs& in, const record::Activity::Fault& fault, StageContent& out) {
  if (fault.event.kind != simt::FaultKind::OutOfRange) {
    return;
  }
  const auto& program = in.recording.program();
  const bool in_focus = fault.warp.block == in.block;
  const auto warp_size = static_cast<std::uint32_t>(program.warp_size());
  for (std::uint32_t lane = 0; lane < simt::kWarpSize; ++lane) {
    if ((fault.event.mask >> lane & 1U) == 0) {
      continue;
    }
    const simt::Place place = program.locate(fault.event.addresses[lane], 1);
    const auto where = sheet_place(in.shape, program, place);
    const bool on_stage =
        where && (in_focus || in.shape.sheets[size(where->sheet)].kind == SheetKind::Buffer);
    if (on_stage) {
      const bool is_focus = in_focus && fault.warp.warp * warp_size + lane == in.thread;
      out.strays.push_back({*where, record::place_name(program, place),
                            fault.event.access != simt::AccessKind::Load, is_focus});
    }
  }
}

}  // namespace

StageContent make_content(const ContentInputs& inputs) {
  StageContent out;
  out.sheets.resize(inputs.shape.sheets.size());
  fill_values(inputs, out);
  fill_pending(inputs, out);
  fill_threads(inputs, out);
  if (inputs.statement != nullptr) {
    for (const record::Access& access : inputs.statement->accesses) {
      mark_access(inputs, access, out);
    }
    for (const record::Activity::Fault& fault : inputs.statement->faults) {
      add_strays(inputs, fault, out);
    }
  }
  add_frames(inputs, out);
  mark_padding(inputs, out);
  mark_wrong(inputs, out);
  return out;
}

}  // namespace tilestep::ui
