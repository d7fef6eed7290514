#include "insight/names.h"
#include "simt/exec/executors.h"
#include "ui/stage/content.h"

#include <cstring>
#include <iterator>

namespace tilestep::ui {
namespace {

// The smallest rectangle around the cells of `sheet` that are true in `cells`.
std::optional<CellFrame> bounding_frame(const Sheet& sheet, const std::vector<bool>& cells) {
  int top = sheet.rows;
  int left = sheet.cols;
  int bottom = -1;
  int right = -1;
  for (int row = 0; row < sheet.rows; ++row) {
    for (int col = 0; col < sheet.cols; ++col) {
      if (cells[cell_index(sheet, {row, col})]) {
        top = std::min(top, row);
        left = std::min(left, col);
        bottom = std::max(bottom, row);
        right = std::max(right, col);
      }
    }
  }
  if (bottom < 0) {
    return std::nullopt;
  }
  CellFrame frame;
  frame.row = top;
  frame.col = left;
  frame.rows = bottom - top + 1;
  frame.cols = right - left + 1;
  return frame;
}

// The cells that are true in `cells` as rectangles: equal runs in consecutive rows.
std::vector<CellFrame> rectangles(const Sheet& sheet, const std::vector<bool>& cells) {
  std::vector<CellFrame> found;
  for (int row = 0; row < sheet.rows; ++row) {
    for (int col = 0; col < sheet.cols; ++col) {
      int end = col;
      while (end < sheet.cols && cells[cell_index(sheet, {row, end})]) {
        ++end;
      }
      if (end == col) {
        continue;
      }
      const auto above = std::ranges::find_if(found, [&](const CellFrame& f) {
        return f.row + f.rows == row && f.col == col && f.cols == end - col;
      });
      if (above != found.end()) {
        ++above->rows;
      } else {
        found.push_back({FrameKind::Block, kNoSheet, row, col, 1, end - col, 0});
      }
      col = end;
    }
  }
  return found;
}

// Frames around each block's stores; none if its elements are scattered (without a guard some wrap
// to the next row), because the frame would include other blocks' cells.
void frame_blocks(const ContentInputs& in, StageContent& out) {
  for (std::size_t i = 0; i < in.shape.sheets.size(); ++i) {
    const auto& owners = in.owners.cells[i];
    const Sheet& sheet = in.shape.sheets[i];
    std::vector<CellFrame> frames(owners.empty() ? 0 : in.recording.program().block_count());
    std::vector<int> stored(frames.size(), 0);
    for (std::size_t c = 0; c < owners.size(); ++c) {
      if (!owners[c].known()) {
        continue;
      }
      ++stored[owners[c].block];
      CellFrame& frame = frames[owners[c].block];
      const int row = static_cast<int>(c) / sheet.cols;
      const int col = static_cast<int>(c) % sheet.cols;
      if (frame.sheet == kNoSheet) {
        frame = {FrameKind::Block, static_cast<int>(i), row, col, 1, 1, owners[c].block};
        continue;
      }
      const int right = std::max(frame.col + frame.cols, col + 1);
      frame.col = std::min(frame.col, col);
      frame.cols = right - frame.col;
      frame.rows = std::max(frame.rows, row + 1 - frame.row);
    }
    for (const CellFrame& frame : frames) {
      const bool is_whole = 3 * stored[frame.block] >= 2 * frame.rows * frame.cols;
      if (frame.sheet != kNoSheet && (is_whole || frame.block == in.block)) {
        out.frames.push_back(frame);
      }
    }
  }
}

class Tiles {
 public:
  Tiles(const ContentInputs& in, StageContent& out) : in_(in), out_(out) {}

  // Finds for each input buffer the cells loaded in the latest phase so far that loads any of it,
  // and all cells loaded so far.
  void find() {
    const std::size_t sheets = in_.shape.sheets.size();
    latest_.resize(sheets);
    visited_.resize(sheets);
    const std::size_t current = in_.log.phase_before(in_.state.step());
    for (std::size_t back = 0; in_.log.phase_count() > 0 && back <= current; ++back) {
      take_phase(in_.log.phase(current - back));
    }
    for (std::size_t i = 0; i < sheets; ++i) {
      const Sheet& sheet = in_.shape.sheets[i];
      const auto tile = latest_[i].empty() ? std::nullopt : bounding_frame(sheet, latest_[i]);
      if (!tile) {
        continue;
      }
      const auto band = bounding_frame(sheet, visited_[i]);
      if (band && (band->rows != tile->rows || band->cols != tile->cols)) {
        add_frame(*band, FrameKind::Visited, static_cast<int>(i));
      }
      add_frame(*tile, FrameKind::Tile, static_cast<int>(i));
      for (std::size_t c = 0; c < latest_[i].size(); ++c) {
        out_.sheets[i].cells[c].in_tile = latest_[i][c];
      }
    }
  }

 private:
  void take_phase(const PhaseLog& log) {
    // Found in a later phase already.
    std::vector<bool> has_latest;
    std::ranges::transform(latest_, std::back_inserter(has_latest),
                           [](const auto& cells) { return !cells.empty(); });
    for (const CellTouch& touch : log.touches) {
      const std::size_t at = size(touch.sheet);
      const Sheet& sheet = in_.shape.sheets[at];
      if (!touch.is_read() || touch.first_read >= in_.state.step() ||
          sheet.kind != SheetKind::Buffer) {
        continue;
      }
      visited_[at].resize(size(sheet.rows) * size(sheet.cols));
      visited_[at][touch.cell] = true;
      if (!has_latest[at]) {
        latest_[at].resize(visited_[at].size());
        latest_[at][touch.cell] = true;
      }
    }
  }

  void add_frame(CellFrame frame, FrameKind kind, int sheet) {
    frame.kind = kind;
    frame.sheet = sheet;
    frame.block = in_.block;
    out_.frames.push_back(frame);
  }

  const ContentInputs& in_;
  StageContent& out_;
  std::vector<std::vector<bool>> latest_;
  std::vector<std::vector<bool>> visited_;
};

// Frames the focus thread's reads of each shared array in this phase: its row of As, its column of
// Bs; strided reads one by one.
void frame_focus_reads(const ContentInputs& in, StageContent& out) {
  if (in.log.phase_count() == 0) {
    return;
  }
  std::vector<std::vector<bool>> read(in.shape.sheets.size());
  for (const LoggedAccess& access : in.log.phase(in.log.phase_before(in.state.step())).accesses) {
    const Sheet& sheet = in.shape.sheets[size(access.place.sheet)];
    if (access.step >= in.state.step() || !access.place.inside || sheet.kind != SheetKind::Shared) {
      continue;
    }
    auto& cells = read[size(access.place.sheet)];
    const std::size_t cell = cell_index(sheet, {access.place.row, access.place.col});
    if (!access.is_store && access.thread == in.thread) {
      cells.resize(size(sheet.rows) * size(sheet.cols));
      cells[cell] = true;
    } else if (access.is_store && !cells.empty()) {
      cells[cell] = false;  // what was read is overwritten
    }
  }
  for (std::size_t i = 0; i < read.size(); ++i) {
    if (read[i].empty()) {
      continue;
    }
    for (CellFrame frame : rectangles(in.shape.sheets[i], read[i])) {
      frame.kind = FrameKind::FocusReads;
      frame.sheet = static_cast<int>(i);
      frame.block = in.block;
      out.frames.push_back(frame);
    }
  }
}

// The sources of shared arrays, and which copies the current statement made. The latest tile of one
// array may be a phase older than another's.
class Sources {
 public:
  Sources(const ContentInputs& in, StageContent& out)
      : in_(in),
        out_(out),
        buffers_(in.shape.sheets.size(), kNoSheet),
        cells_(buffers_.size()),
        first_(buffers_.size()),
        is_turned_(buffers_.size()),
        is_rewritten_(buffers_.size()) {}

  void find() {
    const std::size_t current = in_.log.phase_before(in_.state.step());
    for (std::size_t back = 0; in_.log.phase_count() > 0 && back <= current; ++back) {
      note_rewritten(current - back);
      const std::vector<int> known = buffers_;
      for (const Transfer& move : in_.log.transfers_of(current - back)) {
        if (move.step < in_.state.step() && move.from.inside && move.to.inside) {
          take(move, known);
        }
      }
    }
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      if (buffers_[i] != kNoSheet) {
        auto frame = bounding_frame(in_.shape.sheets[size(buffers_[i])], cells_[i]);
        frame->sheet = buffers_[i];
        const auto count = static_cast<std::size_t>(std::ranges::count(cells_[i], true));
        out_.sources.push_back({static_cast<int>(i), *frame, count, is_partial(i),
                                count == size(frame->rows) * size(frame->cols),
                                is_turned_[i] && frame->rows > 1 && frame->cols > 1});
      }
    }
  }

 private:
  // Part of the array's contents is older than the phase that fills it now.
  [[nodiscard]] bool is_partial(std::size_t sheet) const {
    const auto& cells = out_.sheets[sheet].cells;
    return std::ranges::any_of(cells, &Cell::is_stale) &&
           std::ranges::any_of(cells, [](const Cell& cell) {
             return cell.state == CellState::Value && !cell.is_stale && !cell.is_padding;
           });
  }
  // `known`: arrays whose latest tile was found in a later phase.
  void take(const Transfer& move, const std::vector<int>& known) {
    if (in_.statement != nullptr && move.step >= in_.statement->first_step) {
      out_.moving.push_back(move);
    }
    if (known[size(move.to.sheet)] != kNoSheet || is_rewritten_[size(move.to.sheet)]) {
      return;
    }
    int& buffer = buffers_[size(move.to.sheet)];
    buffer = buffer == kNoSheet ? move.from.sheet : buffer;
    if (buffer == move.from.sheet) {
      const Sheet& sheet = in_.shape.sheets[size(buffer)];
      auto& cells = cells_[size(move.to.sheet)];
      cells.resize(size(sheet.rows) * size(sheet.cols));
      cells[cell_index(sheet, {move.from.row, move.from.col})] = true;
      note_turn(move);
    }
  }
  // Arrays that the phase computes into: earlier copies are overwritten.
  void note_rewritten(std::size_t phase) {
    std::vector<bool> is_brought(buffers_.size());
    for (const Transfer& move : in_.log.transfers_of(phase)) {
      is_brought[size(move.to.sheet)] = true;
    }
    for (const LoggedAccess& access : in_.log.phase(phase).accesses) {
      const std::size_t sheet = size(access.place.sheet);
      if (access.is_store && !access.is_arrival && access.step < in_.state.step() &&
          !is_brought[sheet]) {
        is_rewritten_[sheet] = true;
      }
    }
  }
  // Whether a step along a row of the buffer is a step along a column of the array.
  void note_turn(const Transfer& move) {
    auto& first = first_[size(move.to.sheet)];
    if (!first) {
      first = move;
    } else if (move.from.row == first->from.row && move.from.col != first->from.col) {
      is_turned_[size(move.to.sheet)] =
          move.to.col == first->to.col && move.to.row != first->to.row;
    }
  }

  const ContentInputs& in_;
  StageContent& out_;
  std::vector<int> buffers_;  // by shared sheet: the buffer that it was loaded from
  std::vector<std::vector<bool>> cells_;
  std::vector<std::optional<Transfer>> first_;
  std::vector<bool> is_turned_;
  std::vector<bool> is_rewritten_;
};

// The block's first tile is whole if there are others; so is its largest block.
void find_tile_sizes(const ContentInputs& in, StageContent& out) {
  const StageShape& shape = in.shape;
  if (!shape.has_matrix_l()) {
    return;
  }
  for (const CellFrame& frame : out.frames) {
    if (frame.kind == FrameKind::Block && frame.sheet == shape.c) {
      out.tile.rows = std::max(out.tile.rows, frame.rows);
      out.tile.cols = std::max(out.tile.cols, frame.cols);
    }
  }
  const int all = shape.sheets[size(shape.a)].cols;
  for (std::size_t i = 0; i < in.log.phase_count() && out.tile.inner == 0; ++i) {
    for (const CellTouch& touch : in.log.phase(i).touches) {
      if (touch.sheet == shape.a && touch.is_read()) {
        const int col = cell_place(shape.sheets[size(shape.a)], touch.cell).col;
        out.tile.inner = std::max(out.tile.inner, col + 1);
      }
    }
  }
  out.tile.inner = out.tile.inner == all ? 0 : out.tile.inner;
}

// The second party of a finding marks where it is reported (narration).
void frame_findings(const ContentInputs& in, StageContent& out) {
  if (in.statement == nullptr || in.phase) {
    return;
  }
  const simt::Program& program = in.recording.program();
  for (const insight::Finding& finding : in.findings) {
    if (!insight::takes_effect_in(finding, program.launch().grid, in.block,
                                  in.statement->first_step, in.statement->last_step)) {
      continue;
    }
    const auto cell = insight::find_cell(program, finding.element);
    const auto place =
        cell ? sheet_place(in.shape, program, program.locate(cell->address, 1)) : std::nullopt;
    if (place && place->inside) {
      out.frames.push_back(
          {FrameKind::Finding, place->sheet, place->row, place->col, 1, 1, in.block});
    }
  }
}

}  // namespace

void add_frames(const ContentInputs& inputs, StageContent& content) {
  Tiles(inputs, content).find();
  frame_blocks(inputs, content);
  find_tile_sizes(inputs, content);
  frame_focus_reads(inputs, content);
  Sources(inputs, content).find();
  frame_findings(inputs, content);
}

double still_to_come(const std::byte* from) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, sizeof word);
  const simt::MbarrierObject object(word);
  return object.pending > 0 ? static_cast<double>(object.pending)
                            : static_cast<double>(object.bytes);
}

CellKinds kinds_of(const StageContent& content) {
  CellKinds kinds;
  for (const SheetContent& sheet : content.sheets) {
    for (const Cell& cell : sheet.cells) {
      kinds.read |= cell.is_read && cell.by_focus_block;
      kinds.written |= cell.is_written && cell.by_focus_block;
      kinds.masked |= cell.is_masked;
      kinds.arriving |= cell.is_arriving;
      kinds.stale |= cell.is_stale;
      kinds.padding |= cell.is_padding;
      kinds.wrong |= cell.is_wrong;
      kinds.grown |= cell.has_grown;
    }
  }
  return kinds;
}

}  // namespace tilestep::ui
