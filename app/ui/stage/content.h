// What every cell of the stage shows at one step: values from memory, marks from executed accesses.
// Pure: the frame's view in, plain data out; painted by paint.h, asked by tooltip.h.
#pragma once

#include "narration/narrator.h"
#include "problem/launch/expected.h"
#include "state/app_state.h"
#include "ui/stage/number_text.h"
#include "ui/stage/phase_log.h"
#include "ui/stage/run_marks.h"
#include "ui/stage/sheet.h"
#include "ui/stage/sums.h"
#include "workspace/workspace.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilestep::ui {

enum class CellState : std::uint8_t {
  Empty,    // never written, nothing known
  Value,    // holds a value
  Pending,  // C: not stored yet, shows the sum that lands there
  Unused,   // beyond the last element of a wrapped row
  Veiled,   // holds what a question asks for
};

struct Cell {
  double value = 0.0;
  CellState state = CellState::Empty;
  bool is_masked = false;  // thread: switched off in the current statement, or exited
  bool is_read = false;    // by the current statement
  bool is_written = false;
  bool by_focus_block = false;  // the reader or writer belongs to the focus block
  bool by_focus_thread = false;
  bool is_arriving = false;  // of a shared array: a copy to it is under way
  bool is_padding = false;   // of a shared array: holds no element of a buffer
  bool is_stale = false;     // of a shared array: stored over in this phase before anybody reads it
  bool is_wrong = false;     // of an output: differs from the reference; shared: from outside
  bool in_tile = false;      // brought in by the focus block's latest load phase
  bool is_now = false;       // read at this very moment of a phase that plays
  bool has_grown = false;    // a sum that the phase on stage added to
  double before = 0.0;       // … what it was when the phase began
  // Of a compensated sum: what it has lost to rounding so far, as the kernel keeps it.
  std::optional<double> compensation = std::nullopt;
  std::uint32_t block = kNoThread;  // C: of the owner
  // Of a shared array: whose number it holds, where that is another's than the sheet's.
  insight::ValueRole role = insight::ValueRole::None;
};

struct SheetContent {
  std::vector<Cell> cells;
  int longest = 1;  // characters that show every value well
  // How many values need at least i characters, or a whole number would be rounded.
  std::array<std::size_t, kLongestNumber + 1> needing{};
  double largest = 0.0;    // magnitude of a finite value
  std::size_t stored = 0;  // output: cells written so far
  std::size_t pending = 0;
  int padding = 0;  // columns at the right of a shared array that nothing is ever stored to
  bool has_mbarriers = false;  // its numbers are what these wait for
};

enum class FrameKind {
  Block,       // cells of an output that a block stores
  Tile,        // of A or B: loaded in the latest load phase
  Visited,     // of A or B: loaded by the block so far
  FocusReads,  // of a shared array: read by the focus thread in this phase
  FocusSum,    // of an output: the focus thread stores a sum there
  LastTile,    // of A or B: loaded before the tile that the phase on stage loaded
  FocusCell,   // loaded or stored by the focus thread in the phase on stage
  Finding,     // what the statement on stage does there is a finding
  Guide,       // of a matrix: the row or column that an index of the focus thread has come to mean
  BlockGuide,  // … of any thread of its block
  Factors,     // of A or B: the row or column whose elements the focus thread's sum multiplies
};
struct CellFrame {
  FrameKind kind = FrameKind::Block;
  int sheet = kNoSheet;
  int row = 0, col = 0, rows = 0, cols = 0;
  std::uint32_t block = 0;
  friend bool operator==(const CellFrame&, const CellFrame&) = default;
};

// An access outside its array, drawn beyond the edge.
struct Stray {
  SheetPlace place;
  std::string name;  // "A[8][0]"
  bool is_store = false;
  bool by_focus_thread = false;
};

// Which cells of a buffer stand in a shared array: "As from A[0..3][4..7]".
struct Source {
  int shared = kNoSheet;
  CellFrame from;
  std::size_t count = 0;    // of different cells
  bool is_partial = false;  // the rest of the array still holds the tile before
  bool is_whole = true;     // they are all of `from`
  bool is_turned = false;   // its rows are columns of the shared array
};

// Of a shared array: some of what stands in it is.
[[nodiscard]] inline bool is_turned(const std::vector<Source>& sources, int sheet) {
  return std::any_of(sources.begin(), sources.end(), [sheet](const Source& source) {
    return source.shared == sheet && source.is_turned;
  });
}

// What a phase brought from a buffer into a shared array.
struct Ribbon {
  CellFrame from;
  CellFrame to;
  float grown = 1.0F;  // 0…1: how far it has come
};

// Whether there is any cell like this; of reads and stores, by the focus block.
struct CellKinds {
  bool read = false;
  bool written = false;
  bool masked = false;
  bool arriving = false;
  bool padding = false;
  bool wrong = false;
  bool grown = false;
  bool stale = false;
};

// Of tiles that are whole: rows and columns of C that a block stores, elements along k that it
// loads at a time; 0: unknown, or all of them.
struct TileSizes {
  int rows = 0;
  int cols = 0;
  int inner = 0;
};

struct StageContent {
  std::vector<SheetContent> sheets;
  TileSizes tile;
  CellKinds kinds;
  std::vector<CellFrame> frames;
  std::vector<Stray> strays;
  std::vector<Source> sources;
  std::vector<Transfer> moving;  // transfers made by the current statement, or the phase on stage
  // Of a phase that is shown as a whole:
  std::vector<Ribbon> ribbons;
  bool fault_line = false;  // two activities that no barrier separates, and a race between them
  // The focus block's sums that land on stage, by thread, row and column.
  std::vector<SumCell> sums;
  // Sums have taken products: what was read of shared memory are factors. True where no sum is
  // followed.
  bool multiplies = true;
  // The variable that the chosen sum is kept in now, or else most sums in the end; may be empty.
  std::string sum_name;
  std::string compensation;  // the variable that keeps what compensated sums have lost
  // Output cell that the focus thread's chosen sum lands in, and its cell among the threads.
  std::optional<SheetPlace> focus_result;
  std::optional<CellPlace> focus_cell;
};

struct ContentInputs {
  const record::Recording& recording;
  const StageShape& shape;
  const Ownership& owners;
  BlockLog& log;
  const record::State& state;
  const record::State* before;               // at the start of the current statement; null: none
  const record::Activity* statement;         // just executed; null: none
  std::string accumulator;                   // what the sums live in; empty: nothing with a name
  const insight::BlockSums* sums = nullptr;  // of the focus block
  std::span<const Landing> landings;         // of all blocks
  int sum = 0;                               // which of a thread's sums is written out
  std::span<const problem::ExpectedOutput> expected;  // of outputs that there is a reference for
  // By sheet: what the cells of an output hold at the end of the run; of other sheets nothing.
  std::span<const std::vector<double>> ends{};
  std::uint32_t block = 0;  // focus
  std::uint32_t thread = 0;
  const narration::Narrator* narrator = nullptr;  // of the focus block; null: nothing is told
  std::span<const insight::Finding> findings;     // of this very run
  std::span<const CopyFlight> copies{};           // of the focus block
  // The phase of the block that ends here and is shown as a whole, and what it did, once counted.
  std::optional<std::size_t> phase = std::nullopt;
  const narration::PhaseSummary* summary = nullptr;
  state::NumberForm form = state::NumberForm::Decimal;  // of numbers in sentences
};
[[nodiscard]] StageContent make_content(const ContentInputs& inputs);
[[nodiscard]] CellKinds kinds_of(const StageContent& content);

}  // namespace tilestep::ui
