#include "ui/stage/phase_view.h"

#include "ui/stage/frames.h"
#include "ui/stage/thread_tile.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tilestep::ui {
namespace {

constexpr std::size_t kMostFocusCells = 16;  // of a sheet; more are not framed one by one

// The smallest frame around cells.
class Bounds {
 public:
  void add(int row, int col) {
    top_ = is_empty() ? row : std::min(top_, row);
    left_ = is_empty() ? col : std::min(left_, col);
    bottom_ = std::max(bottom_, row);
    right_ = std::max(right_, col);
  }
  [[nodiscard]] bool is_empty() const { return bottom_ < 0; }
  [[nodiscard]] CellFrame frame(FrameKind kind, int sheet, std::uint32_t block) const {
    return {kind, sheet, top_, left_, bottom_ - top_ + 1, right_ - left_ + 1, block};
  }

 private:
  int top_ = 0, left_ = 0, bottom_ = -1, right_ = -1;
};

// One band from the part of a buffer to the array that it went to.
void add_ribbons(const ContentInputs& in, StageContent& out) {
  std::map<std::pair<int, int>, std::pair<Bounds, Bounds>> ways;
  for (const Transfer& move : in.log.transfers_of(*in.phase)) {
    if (move.from.inside && move.to.inside) {
      auto& [from, to] = ways[{move.from.sheet, move.to.sheet}];
      from.add(move.from.row, move.from.col);
      to.add(move.to.row, move.to.col);
    }
  }
  for (const auto& [sheets, bounds] : ways) {
    out.ribbons.push_back({bounds.first.frame(FrameKind::Tile, sheets.first, in.block),
                           bounds.second.frame(FrameKind::Tile, sheets.second, in.block)});
  }
}

// What a phase loaded of every buffer.
std::map<int, Bounds> loaded_in(const ContentInputs& in, std::size_t phase) {
  std::map<int, Bounds> loaded;
  for (const CellTouch& touch : in.log.phase(phase).touches) {
    const Sheet& sheet = in.shape.sheets[size(touch.sheet)];
    if (sheet.kind == SheetKind::Buffer && !sheet.is_output && touch.is_read()) {
      const CellPlace place = cell_place(sheet, touch.cell);
      loaded[touch.sheet].add(place.row, place.col);
    }
  }
  return loaded;
}

// The tile that came before the one that this phase loaded, instead of all that was ever loaded.
void add_last_tiles(const ContentInputs& in, StageContent& out) {
  std::map<int, Bounds> missing = loaded_in(in, *in.phase);
  if (missing.empty()) {
    return;
  }
  std::erase_if(out.frames, [&](const CellFrame& frame) {
    return frame.kind == FrameKind::Visited && missing.contains(frame.sheet);
  });
  for (std::size_t phase = *in.phase; phase > 0 && !missing.empty(); --phase) {
    for (const auto& [sheet, bounds] : loaded_in(in, phase - 1)) {
      if (missing.erase(sheet) > 0) {
        out.frames.push_back(bounds.frame(FrameKind::LastTile, sheet, in.block));
      }
    }
  }
}

// What it read is framed as a row and a column already (FrameKind::FocusReads).
void add_focus_cells_of_phase(const ContentInputs& in, StageContent& out) {
  std::map<int, std::vector<CellFrame>> own;
  for (const CellTouch& touch : in.log.phase(*in.phase).touches) {
    const Sheet& sheet = in.shape.sheets[size(touch.sheet)];
    if (touch.by_focus_thread && (sheet.kind == SheetKind::Buffer || touch.is_written())) {
      const CellPlace place = cell_place(sheet, touch.cell);
      own[touch.sheet].push_back(
          {FrameKind::FocusCell, touch.sheet, place.row, place.col, 1, 1, in.block});
    }
  }
  for (const auto& [sheet, frames] : own) {
    if (frames.size() <= kMostFocusCells) {
      out.frames.insert(out.frames.end(), frames.begin(), frames.end());
    }
  }
}

}  // namespace

const record::Phase* shown_phase(const ContentInputs& in) {
  return in.phase ? &in.recording.phases_of(in.block)[*in.phase] : nullptr;
}

std::uint64_t lit_since(const ContentInputs& in) {
  const record::Phase* phase = shown_phase(in);
  return phase != nullptr          ? phase->first_step
         : in.statement != nullptr ? in.statement->first_step
                                   : in.state.step();
}

void mark_phase(const ContentInputs& in, StageContent& out) {
  const PhaseLog& log = in.log.phase(*in.phase);
  for (const CellTouch& touch : log.touches) {
    Cell& cell = out.sheets[size(touch.sheet)].cells[touch.cell];
    cell.is_read = touch.is_read();
    cell.is_written = touch.is_written();
    cell.by_focus_block = true;
    cell.by_focus_thread = touch.by_focus_thread;
  }
  if (in.shape.threads == kNoSheet || log.touches.empty()) {
    return;
  }
  const Sheet& threads = in.shape.sheets[size(in.shape.threads)];
  for (int row = 0; row < threads.rows; ++row) {
    for (int col = 0; col < threads.cols; ++col) {
      const std::uint32_t thread = cell_thread(in.shape, {row, col});
      if (thread != kNoThread) {
        out.sheets[size(in.shape.threads)].cells[cell_index(threads, {row, col})].is_masked =
            !log.took_part[thread];
      }
    }
  }
}

void add_phase_frames(const ContentInputs& in, StageContent& out) {
  add_ribbons(in, out);
  add_last_tiles(in, out);
  add_focus_cells_of_phase(in, out);
  out.moving = in.log.transfers_of(*in.phase);
  out.fault_line = has_fault_line(in);
}

void add_focus_stores(const ContentInputs& in, StageContent& out) {
  std::vector<CellFrame> frames;
  if (in.statement == nullptr || in.log.phase_count() == 0) {
    return;
  }
  for (const LoggedAccess& access : in.log.phase(in.log.phase_before(in.state.step())).accesses) {
    if (access.is_store && access.thread == in.thread && access.place.inside &&
        access.step >= in.statement->first_step && access.step < in.state.step()) {
      frames.push_back({FrameKind::FocusCell, access.place.sheet, access.place.row,
                        access.place.col, 1, 1, in.block});
    }
  }
  if (frames.size() <= kMostFocusCells) {
    out.frames.insert(out.frames.end(), frames.begin(), frames.end());
  }
}

void add_sums_before(const ContentInputs& in, StageContent& out) {
  const std::uint64_t began = shown_phase(in)->first_step;
  for (const SumCell& sum : out.sums) {
    const insight::SumNow before = in.sums->now(sum.sum, began);
    if (!sum.is_added_to || !before.assigned) {
      continue;
    }
    const auto note = [&](int sheet, std::size_t index) {
      Cell& cell = out.sheets[size(sheet)].cells[index];
      cell.has_grown = true;
      cell.before = static_cast<double>(before.value);
    };
    const Sheet& landing = in.shape.sheets[size(sum.place.sheet)];
    note(sum.place.sheet, cell_index(landing, {sum.place.row, sum.place.col}));
    if (const auto place = sum.cell) {
      note(in.shape.threads, cell_index(in.shape.sheets[size(in.shape.threads)], *place));
    }
  }
}

bool has_fault_line(const ContentInputs& in) {
  const record::Phase* phase = shown_phase(in);
  if (phase == nullptr || phase->kind != record::PhaseKind::LoadAndMultiply) {
    return false;
  }
  // A check tells a race once: the same lines race in every phase that has both.
  const auto& accesses = in.log.phase(*in.phase).accesses;
  const auto is_here = [&accesses, phase](const insight::Party& party) {
    const bool is_now = phase->first_step <= party.step && party.step < phase->last_step;
    return is_now || std::ranges::any_of(accesses, [&party](const LoggedAccess& access) {
             return access.line == party.line && access.place.inside;
           });
  };
  return std::ranges::any_of(in.findings, [&](const insight::Finding& finding) {
    return finding.kind == insight::FindingKind::SharedRace && finding.parties.size() > 1 &&
           std::ranges::all_of(finding.parties, is_here);
  });
}

}  // namespace tilestep::ui
