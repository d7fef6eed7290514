#include "ui/stage/content.h"

#include "problem/values/element.h"
#include "record/activity.h"
#include "record/place_name.h"
#include "ui/stage/phase.h"

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

// Values of a buffer or a shared array; cells that were never stored stay empty. Input buffers
// count as stored by the launch. `read`: the number at a place, by its first byte and its word.
template <class IsWritten, class Read>
void fill_memory(const Sheet& sheet, std::span<const std::byte> bytes, SheetContent& content,
                 IsWritten is_written, Read read) {
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
      show(content, cell, read(bytes.data() + offset, offset / 4), CellState::Value);
    }
  }
}

// Memory that held tiles may hold sums later. `start`: the sheet's byte offset in shared memory.
void note_roles(const ContentInputs& in, const Sheet& sheet, std::size_t start,
                SheetContent& content) {
  if (in.sums == nullptr) {
    return;
  }
  for (std::size_t i = 0; i < content.cells.size(); ++i) {
    const std::size_t word = (start + cell_offset(sheet, cell_place(sheet, i))) / 4;
    const insight::ValueRole role = in.sums->role_of_shared(word, in.state.step());
    content.cells[i].role = role == sheet.role ? insight::ValueRole::None : role;
  }
}

void fill_values(const ContentInputs& in, StageContent& out) {
  const std::set<std::uint32_t> mbarriers = record::mbarrier_lines(in.recording.program().module());
  for (std::size_t i = 0; i < in.shape.sheets.size(); ++i) {
    const Sheet& sheet = in.shape.sheets[i];
    SheetContent& content = out.sheets[i];
    content.cells.resize(size(sheet.rows) * size(sheet.cols));
    const auto element = [&sheet](const std::byte* from, std::size_t /*word*/) {
      return problem::load_element(*sheet.element, from);
    };
    if (sheet.kind == SheetKind::Buffer) {
      const auto bytes = in.state.machine().buffer(sheet.index);
      fill_memory(
          sheet, bytes, content,
          [&](std::size_t word) {
            const bool stored =
                sheet.is_output && in.state.buffer_writer(sheet.index, word).written;
            content.stored += stored ? 1U : 0U;
            return stored || !sheet.is_output;
          },
          element);
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
        const auto writer = [&](std::size_t word) {
          return in.state.shared_writer(in.block, start / 4 + word);
        };
        const auto number = [&](const std::byte* from, std::size_t word) {
          if (sheet.element_bytes != 8 || !mbarriers.contains(writer(word).line)) {
            return element(from, word);
          }
          content.has_mbarriers = true;
          return still_to_come(from);
        };
        fill_memory(
            sheet, block.subspan(start), content,
            [&](std::size_t word) { return writer(word).written; }, number);
        note_roles(in, sheet, start, content);
      }
    }
  }
}

// The cell where a sum of the focus block is stored.
std::optional<SheetPlace> place_of(const StageShape& shape, const insight::OwnedSum& sum) {
  for (std::size_t i = 0; i < shape.sheets.size(); ++i) {
    const Sheet& sheet = shape.sheets[i];
    if (sheet.kind != SheetKind::Buffer || sheet.index != sum.at.launch_buffer) {
      continue;
    }
    const SheetPlace place =
        sheet.wrapped
            ? SheetPlace{static_cast<int>(i), static_cast<int>(size(sum.at.col) / sheet.pitch),
                         static_cast<int>(size(sum.at.col) % sheet.pitch), true}
            : SheetPlace{static_cast<int>(i), sum.at.row, sum.at.col, true};
    const bool inside =
        sum.at.row >= 0 && sum.at.col >= 0 && place.row < sheet.rows && place.col < sheet.cols;
    return inside ? std::optional(place) : std::nullopt;
  }
  return std::nullopt;
}

void note_focus_sum(const ContentInputs& in, const SumCell& sum, StageContent& out) {
  const SheetPlace& at = sum.place;
  out.frames.push_back({FrameKind::FocusSum, at.sheet, at.row, at.col, 1, 1, in.block});
  if (sum.is_chosen) {
    out.focus_result = at;
    out.focus_cell = sum.cell;
  }
}

// Marks the sum in the focus thread's registers.
void note_held_sum(const ContentInputs& in, const SumCell& sum, StageContent& out) {
  if (sum.cell && in.shape.tile) {
    out.frames.push_back(
        {FrameKind::FocusSum, in.shape.threads, sum.cell->row, sum.cell->col, 1, 1, in.block});
  }
}

void find_sums(const ContentInputs& in, StageContent& out) {
  out.sum_name = in.accumulator;
  if (in.sums == nullptr) {
    return;
  }
  const auto sums = in.sums->sums();
  std::uint32_t thread = kNoThread;
  std::optional<std::size_t> chosen;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i].thread != thread) {
      thread = sums[i].thread;
      chosen = in.sums->of_thread(thread, in.sum);
    }
    const auto place = place_of(in.shape, sums[i]);
    if (!place) {
      continue;
    }
    SumCell cell{i, thread, *place, in.sums->now(i, in.state.step()), false, i == chosen};
    cell.cell = find_sum_cell(in.shape, in.block, cell, sums[i]);
    cell.is_added_to =
        in.statement != nullptr && cell.now.assigned && cell.now.step >= lit_since(in);
    out.sums.push_back(cell);
    if (cell.now.thread == in.thread) {
      note_held_sum(in, cell, out);
    }
    if (thread == in.thread) {
      note_focus_sum(in, cell, out);
      const insight::SumHome home =
          cell.is_chosen ? in.sums->home(i, in.state.step()) : insight::SumHome{};
      out.sum_name = home.kind == insight::SumHome::Kind::Variable ? home.variable : out.sum_name;
    }
  }
}

bool takes_products(const ContentInputs& in, const StageContent& content) {
  bool is_followed = false;
  for (const SumCell& sum : content.sums) {
    is_followed = is_followed || in.sums->sums()[sum.sum].kind == insight::SumKind::Products;
    const auto latest = sum.is_added_to ? in.sums->latest(sum.sum, in.state.step()) : std::nullopt;
    if (latest && latest->step >= lit_since(in)) {
      return true;
    }
  }
  return !is_followed;
}

// The number in a thread's variable at the offset of a sum.
std::optional<double> number_at(const std::optional<record::Value>& value, std::uint64_t offset,
                                bool is_double) {
  using Status = record::Value::Status;
  if (!value || (value->status != Status::Ok && value->status != Status::ThreadExited) ||
      offset + (is_double ? sizeof(double) : sizeof(float)) > value->bytes.size()) {
    return std::nullopt;
  }
  if (is_double) {
    double number = 0.0;
    std::memcpy(&number, value->bytes.data() + offset, sizeof(number));
    return number;
  }
  float number = 0.0F;
  std::memcpy(&number, value->bytes.data() + offset, sizeof(number));
  return static_cast<double>(number);
}

void show_pending(StageContent& out, int sheet, std::size_t c, double value) {
  SheetContent& content = out.sheets[size(sheet)];
  Cell& cell = content.cells[c];
  if (cell.state == CellState::Empty) {
    show(content, cell, value, CellState::Pending);
    ++content.pending;
  }
}

void show_compensation(const ContentInputs& in, const SumCell& sum, Cell& cell, StageContent& out) {
  if (sum.now.compensation) {
    cell.compensation = static_cast<double>(*sum.now.compensation);
    out.compensation = in.sums->sums()[sum.sum].compensation.name;
  }
}

// Output cells that are not stored yet show the sum that will be stored there: the followed sums of
// the focus block, and the accumulator variable of other blocks.
void fill_pending(const ContentInputs& in, StageContent& out) {
  for (std::size_t i = 0; i < in.shape.sheets.size(); ++i) {
    const auto& owners = in.owners.cells[i];
    for (std::size_t c = 0; c < owners.size(); ++c) {
      out.sheets[i].cells[c].block = owners[c].block;
    }
  }
  for (const SumCell& sum : out.sums) {
    const insight::OwnedSum& owned = in.sums->sums()[sum.sum];
    if (sum.now.assigned && !owned.atomic && !owned.overwritten) {
      const Sheet& sheet = in.shape.sheets[size(sum.place.sheet)];
      const std::size_t cell = cell_index(sheet, {sum.place.row, sum.place.col});
      show_pending(out, sum.place.sheet, cell, static_cast<double>(sum.now.value));
      if (in.shape.threads == kNoSheet) {  // its only place
        show_compensation(in, sum, out.sheets[size(sum.place.sheet)].cells[cell], out);
      }
    }
  }
  const Landing* last = nullptr;
  std::optional<record::VariableOfThreads> variable;
  const std::optional<record::Value>* value = nullptr;
  for (const Landing& landing : in.landings) {
    const Owner owner = landing.owner;
    const Cell& cell = out.sheets[size(landing.sheet)].cells[landing.cell];
    if (owner.block == in.block || cell.state != CellState::Empty) {
      continue;
    }
    const bool is_same_name = last != nullptr && last->home.variable == landing.home.variable;
    if (!is_same_name) {
      variable.emplace(in.state, landing.home.variable);
    }
    if (!is_same_name || last->owner != owner) {
      value = &variable->read(owner.block, owner.thread);
    }
    last = &landing;
    // A sum has the width of the element it is stored to, unless its variable is smaller.
    const bool is_double = in.shape.sheets[size(landing.sheet)].element_bytes == sizeof(double) &&
                           *value && (*value)->bytes.size() >= sizeof(double);
    if (const auto number = number_at(*value, landing.home.offset, is_double)) {
      show_pending(out, landing.sheet, landing.cell, *number);
    }
  }
}

// Threads of the focus block that are off in the current statement.
std::vector<bool> masked_threads(const ContentInputs& in) {
  const auto& program = in.recording.program();
  std::vector<bool> executed(program.threads_per_block());
  std::vector<bool> masked(program.threads_per_block());
  if (in.statement == nullptr) {
    return masked;
  }
  const auto warp_size = program.warp_size();
  for (const record::Activity::Executed& e : in.statement->executed) {
    for (std::uint32_t lane = 0; e.warp.block == in.block && lane < warp_size; ++lane) {
      const std::uint32_t thread = e.warp.warp * warp_size + lane;
      if (thread < masked.size()) {
        executed[thread] = executed[thread] || (e.mask >> lane & 1U) != 0;
        masked[thread] = masked[thread] || (e.live >> lane & 1U) != 0;
      }
    }
  }
  for (std::size_t thread = 0; thread < masked.size(); ++thread) {
    masked[thread] = masked[thread] && !executed[thread];
  }
  return masked;
}

// The variable of threads whose sums are not followed: all threads of a block that is too large,
// else those that store none.
void show_variable(const ContentInputs& in, const Sheet& sheet, SheetContent& content) {
  record::VariableOfThreads variable(in.state, in.accumulator);
  for (std::uint32_t thread = 0; thread < sheet.count; ++thread) {
    const bool has_sums = !in.sums->is_too_large() && in.sums->of_thread(thread).size() > 0;
    if (has_sums || content.cells[thread].state == CellState::Unused) {
      continue;
    }
    const std::optional<record::Value>& value = variable.read(in.block, thread);
    if (const auto number = number_at(value, 0, value && value->bytes.size() == sizeof(double))) {
      show(content, content.cells[thread], *number, CellState::Value);
    }
  }
}

// Adding zero counts as adding: a sum is written by the step that computed its newest value.
void fill_threads(const ContentInputs& in, StageContent& out) {
  if (in.shape.threads == kNoSheet) {
    return;
  }
  const Sheet& sheet = in.shape.sheets[size(in.shape.threads)];
  SheetContent& content = out.sheets[size(in.shape.threads)];
  const std::vector<bool> masked = masked_threads(in);
  const bool has_edges = stores_tile(in.shape, in.block);
  for (std::size_t i = 0; i < sheet.count; ++i) {
    const CellPlace place = cell_place(sheet, i);
    const std::uint32_t thread = cell_thread(in.shape, place);
    Cell& cell = content.cells[i];
    if (has_edges && !output_cell(in.shape, in.block, place)) {
      cell.state = CellState::Unused;  // a tile beyond the matrix's edge
      continue;
    }
    cell.is_masked = masked[thread];
    cell.by_focus_block = true;
    cell.by_focus_thread = thread == in.thread;
  }
  if (in.sums != nullptr && !in.accumulator.empty() &&
      (!in.shape.tile || in.sums->is_too_large())) {
    show_variable(in, sheet, content);
  }
  for (const SumCell& sum : out.sums) {
    const std::optional<CellPlace>& own = sum.cell;
    if (own && sum.now.assigned) {
      Cell& cell = content.cells[cell_index(sheet, *own)];
      cell.by_focus_thread = in.shape.tile ? sum.now.thread == in.thread : cell.by_focus_thread;
      show(content, cell, static_cast<double>(sum.now.value), CellState::Value);
      show_compensation(in, sum, cell, out);
    }
    // If a thread has one cell, it is highlighted when any of its sums has grown.
    const auto lit = in.shape.tile ? own : thread_cell(in.shape, sum.thread);
    if (lit) {
      Cell& cell = content.cells[cell_index(sheet, *lit)];
      cell.is_written = cell.is_written || sum.is_added_to;
    }
  }
}

void mark(Cell& cell, bool is_store, bool by_focus_block, bool by_focus_thread) {
  (is_store ? cell.is_written : cell.is_read) = true;
  cell.by_focus_block = cell.by_focus_block || by_focus_block;
  cell.by_focus_thread = cell.by_focus_thread || by_focus_thread;
}

// An access to a gap between two shared arrays has no cell; its fault is shown instead.
void mark_access(const ContentInputs& in, const record::Access& access, StageContent& out) {
  const auto& program = in.recording.program();
  const bool in_focus = access.warp.block == in.block;
  const bool is_shared = access.event.space == ptx::Space::Shared;
  if ((is_shared && !in_focus) || (!is_shared && access.event.space != ptx::Space::Global)) {
    return;
  }
  const bool has_ended =
      access.event.is_arrival && access.event.agent == simt::AccessAgent::TensorCore;
  if (access.event.is_issue || has_ended) {
    return;  // nothing changes before it arrives; for a product, the start is shown
  }
  const bool is_store = access.event.kind != simt::AccessKind::Load;
  const auto warp_size = program.warp_size();
  for (std::uint32_t lane = 0; lane < simt::kWarpSize; ++lane) {
    if ((access.event.mask >> lane & 1U) == 0) {
      continue;
    }
    // A lane of a tensor core's read is a piece of the matrix, not a thread.
    const bool is_focus = in_focus && access.warp.warp * warp_size + lane == in.thread &&
                          access.event.agent != simt::AccessAgent::TensorCore;
    std::uint32_t done = 0;
    while (done < access.event.bytes) {
      const simt::Place place = program.locate(access.event.addresses[lane] + done, 1);
      const auto where = sheet_place(in.shape, program, place);
      std::size_t step = 4;
      if (where && where->inside) {
        step = std::max<std::size_t>(in.shape.sheets[size(where->sheet)].element_bytes, 1);
        mark(cell_at(out, in.shape, *where), is_store, in_focus, is_focus);
      }
      done += static_cast<std::uint32_t>(step);
    }
  }
}

// Copies that are issued but have not arrived.
void mark_copies(const ContentInputs& in, StageContent& out) {
  const simt::Program& program = in.recording.program();
  for (const CopyFlight& copy : in.copies) {
    if (!copy.is_under_way(in.state.step())) {
      continue;
    }
    for (std::uint64_t at = copy.address; at < copy.address + copy.bytes; at += 4) {
      const auto where = sheet_place(in.shape, program, program.locate(at, 1));
      if (where && where->inside) {
        cell_at(out, in.shape, *where).is_arriving = true;
      }
    }
  }
}

// Out-of-range accesses: one stray per lane, at the address of its first byte.
void add_strays(const ContentInputs& in, const record::Activity::Fault& fault, StageContent& out) {
  if (fault.event.kind != simt::FaultKind::OutOfRange) {
    return;
  }
  const auto& program = in.recording.program();
  const bool in_focus = fault.warp.block == in.block;
  const auto warp_size = program.warp_size();
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
  find_sums(inputs, out);
  out.multiplies = takes_products(inputs, out);
  fill_pending(inputs, out);
  fill_threads(inputs, out);
  if (inputs.phase) {
    mark_phase(inputs, out);
    add_sums_before(inputs, out);
  } else if (inputs.statement != nullptr) {
    for (const record::Access& access : inputs.statement->accesses) {
      mark_access(inputs, access, out);
    }
  }
  if (inputs.phase) {
    for (const record::Activity::Fault& fault : inputs.recording.faults()) {
      if (fault.warp.block == inputs.block && lit_since(inputs) <= fault.step &&
          fault.step < inputs.state.step()) {
        add_strays(inputs, fault, out);
      }
    }
  } else if (inputs.statement != nullptr) {
    for (const record::Activity::Fault& fault : inputs.statement->faults) {
      add_strays(inputs, fault, out);
    }
  }
  mark_copies(inputs, out);
  mark_stale(inputs, out);  // before the frames, which explain it
  add_frames(inputs, out);
  if (inputs.phase) {
    add_phase_frames(inputs, out);
  } else {
    add_focus_stores(inputs, out);
  }
  mark_padding(inputs, out);
  mark_wrong(inputs, out);
  out.kinds = kinds_of(out);
  return out;
}

}  // namespace tilestep::ui
