#include "ui/stage/phase.h"
#include "ui/stage/thread_tile.h"

#include <algorithm>
#include <utility>

namespace tilestep::ui {
namespace {

constexpr std::size_t kMostFocusCells = 16;  // of a sheet; more are not framed individually

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

// A band from the part of a buffer to the array that it was copied to.
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

// The part of every buffer that a phase loaded.
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

// The tile before the one that this phase loaded, instead of everything loaded so far.
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

// Its reads are framed as a row and a column already (FrameKind::FocusReads).
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

// As shares of the whole time: when accesses are shown, and how long a number moves.
constexpr float kFirst = 0.04F;
constexpr float kAccesses = 0.7F;
constexpr float kAhead = 0.1F;  // before the store that ends the movement
constexpr float kWay = 0.25F;
constexpr float kStagger = 0.1F;  // from the first to the last number of an access
constexpr float kShortestGlance = 0.06F;

StageContent content_before(const ContentInputs& in) {
  const record::State state = in.recording.state_at(shown_phase(in)->first_step);
  const ContentInputs then{.recording = in.recording,
                           .shape = in.shape,
                           .owners = in.owners,
                           .log = in.log,
                           .state = state,
                           .before = nullptr,
                           .statement = nullptr,
                           .accumulator = in.accumulator,
                           .sums = in.sums,
                           .landings = in.landings,
                           .sum = in.sum,
                           .expected = in.expected,
                           .block = in.block,
                           .thread = in.thread,
                           .narrator = nullptr,
                           .findings = {}};
  return make_content(then);
}

// A race between two activities of the phase without a barrier between them.
bool has_fault_line(const ContentInputs& in) {
  const record::Phase* phase = shown_phase(in);
  if (phase == nullptr || phase->kind != record::PhaseKind::LoadAndMultiply) {
    return false;
  }
  // A check reports a race once, but the same lines race in every phase that contains both.
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

PhasePlay::PhasePlay(const ContentInputs& in, const StageContent& whole)
    : whole_(whole),
      before_(content_before(in)),
      steps_(in.log.phase(*in.phase).steps),
      end_(in.state.step()) {
  find_ways(in);
}

float PhasePlay::time_of(std::uint64_t step) const {
  const auto rank = std::lower_bound(steps_.begin(), steps_.end(), step) - steps_.begin();
  return kFirst + kAccesses * (static_cast<float>(rank) + 0.5F) / static_cast<float>(steps_.size());
}

bool PhasePlay::is_just(std::uint64_t step, float t) const {
  const float glance = std::max(kShortestGlance, kAccesses / static_cast<float>(steps_.size()));
  const float since = t - time_of(step);
  return step != CellTouch::kNever && since >= 0.0F && since < glance;
}

// The step just before the first access that is not shown yet.
std::uint64_t PhasePlay::step_at(float t) const {
  const auto unseen = std::partition_point(steps_.begin(), steps_.end(),
                                           [&](std::uint64_t step) { return time_of(step) <= t; });
  return unseen == steps_.end() ? end_ : *unseen;
}

void PhasePlay::add_ways(const ContentInputs& in, const std::vector<Transfer>& moves) {
  for (std::size_t first = 0; first < moves.size();) {
    std::size_t last = first;
    while (last < moves.size() && moves[last].step == moves[first].step) {
      ++last;
    }
    for (std::size_t i = first; i < last; ++i) {
      const Transfer& move = moves[i];
      if (!move.from.inside || !move.to.inside) {
        continue;
      }
      const float late =
          kStagger * static_cast<float>(i - first) / static_cast<float>(last - first);
      const float leaves = std::max(0.0F, time_of(move.step) - kAhead) + late;
      const double value = cell_at(whole_, in.shape, move.from).value;
      ways_.push_back({{move.from, move.to, value, 0.0F}, leaves, leaves + kWay});
      const Sheet& to = in.shape.sheets[size(move.to.sheet)];
      landings_[{move.to.sheet, cell_index(to, {move.to.row, move.to.col})}] = leaves + kWay;
    }
    first = last;
  }
}

// Finds the movements from buffers to shared arrays, and from the threads' sums to their stores.
void PhasePlay::find_ways(const ContentInputs& in) {
  add_ways(in, whole_.moving);
  if (in.shape.threads == kNoSheet) {
    return;
  }
  std::map<std::pair<int, std::size_t>, const CellTouch*> stored;
  for (const CellTouch& touch : in.log.phase(*in.phase).touches) {
    if (touch.is_written()) {
      stored[{touch.sheet, touch.cell}] = &touch;
    }
  }
  std::vector<Transfer> moves;
  for (const SumCell& sum : whole_.sums) {
    const Sheet& sheet = in.shape.sheets[size(sum.place.sheet)];
    const auto touch =
        stored.find({sum.place.sheet, cell_index(sheet, {sum.place.row, sum.place.col})});
    const auto cell = sum.cell;
    if (touch != stored.end() && cell) {
      moves.push_back({touch->second->last_write,
                       sum.thread,
                       {in.shape.threads, cell->row, cell->col, true},
                       sum.place});
    }
  }
  std::ranges::stable_sort(moves, {}, &Transfer::step);
  add_ways(in, moves);
}

float PhasePlay::landing_of(const CellTouch& touch) const {
  const auto landing = landings_.find({touch.sheet, touch.cell});
  return landing != landings_.end() ? landing->second : time_of(touch.last_write);
}

std::vector<Flight> PhasePlay::flights(float t) const {
  std::vector<Flight> now;
  for (const Way& way : ways_) {
    if (way.leaves <= t && t < way.arrives) {
      Flight flight = way.flight;
      const float x = (t - way.leaves) / (way.arrives - way.leaves);
      flight.progress =
          x < 0.5F ? 4.0F * x * x * x : 1.0F - 4.0F * (1.0F - x) * (1.0F - x) * (1.0F - x);
      now.push_back(flight);
    }
  }
  return now;
}

void PhasePlay::show_touches(const PhaseLog& log, float t, StageContent& out) const {
  for (const CellTouch& touch : log.touches) {
    Cell& cell = out.sheets[size(touch.sheet)].cells[touch.cell];
    if (touch.is_written() && landing_of(touch) > t) {
      const Cell& old = before_.sheets[size(touch.sheet)].cells[touch.cell];
      cell.value = old.value;
      cell.state = old.state;
      cell.is_wrong = old.is_wrong;
      cell.is_padding = old.is_padding;
      cell.is_written = false;
    }
    cell.is_read = touch.is_read() && time_of(touch.first_read) <= t;
    cell.is_now = is_just(touch.first_read, t) || is_just(touch.last_read, t);
  }
}

void PhasePlay::show_sums(const ContentInputs& in, std::uint64_t step, StageContent& out) const {
  if (in.sums == nullptr) {
    return;
  }
  const std::uint64_t began = shown_phase(in)->first_step;
  const auto show = [&](int sheet, std::size_t index, const insight::SumNow& now) {
    Cell& cell = out.sheets[size(sheet)].cells[index];
    const bool has_grown = now.assigned && now.step >= began;
    cell.value = static_cast<double>(now.value);
    cell.has_grown = cell.has_grown && has_grown;
    return has_grown;
  };
  for (const SumCell& sum : whole_.sums) {
    if (!sum.is_added_to) {
      continue;
    }
    const insight::SumNow now = in.sums->now(sum.sum, step);
    const Sheet& landing = in.shape.sheets[size(sum.place.sheet)];
    const std::size_t index = cell_index(landing, {sum.place.row, sum.place.col});
    Cell& pending = out.sheets[size(sum.place.sheet)].cells[index];
    if (pending.state == CellState::Pending) {
      show(sum.place.sheet, index, now);
      pending.state = now.assigned ? CellState::Pending : CellState::Empty;
    }
    if (const auto place = sum.cell) {
      const std::size_t own = cell_index(in.shape.sheets[size(in.shape.threads)], *place);
      Cell& cell = out.sheets[size(in.shape.threads)].cells[own];
      cell.is_written = show(in.shape.threads, own, now);
      cell.state = now.assigned ? CellState::Value : CellState::Empty;
    }
  }
}

StageContent PhasePlay::at(float t, const ContentInputs& in) const {
  StageContent out = whole_;
  if (t >= 1.0F || is_empty()) {
    return out;
  }
  show_touches(in.log.phase(*in.phase), t, out);
  show_sums(in, step_at(t), out);
  for (Ribbon& ribbon : out.ribbons) {
    float first = 1.0F;
    float last = 0.0F;
    for (const Way& way : ways_) {
      if (way.flight.from.sheet == ribbon.from.sheet && way.flight.to.sheet == ribbon.to.sheet) {
        first = std::min(first, way.leaves);
        last = std::max(last, way.arrives);
      }
    }
    ribbon.grown = std::clamp((t - first) / std::max(last - first, 0.01F), 0.0F, 1.0F);
  }
  out.fault_line = false;
  out.kinds = kinds_of(out);
  return out;
}

}  // namespace tilestep::ui
