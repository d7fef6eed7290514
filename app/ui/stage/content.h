// The content of every cell of the stage at one step: values from memory, marks from executed
// accesses. Pure: the frame's view in, plain data out; painters.h paints it.
#pragma once

#include "course/answer_mask.h"
#include "insight/trace/accumulators.h"
#include "narration/narrator.h"
#include "narration/sentence.h"
#include "problem/launch/expected.h"
#include "record/recording.h"
#include "state/app_state.h"
#include "ui/number_text.h"
#include "ui/stage/geometry.h"
#include "ui/stage/phase_log.h"
#include "ui/stage/run_marks.h"
#include "ui/stage/thread_tile.h"
#include "ui/sum_text.h"
#include "workspace/frame_view.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilestep::ui {

// The kind of content of a cell.
enum class CellState : std::uint8_t {
  Empty,    // never stored, nothing known
  Value,    // holds a value
  Pending,  // C: not stored yet, shows the sum that will be stored there
  Unused,   // beyond the last element of a wrapped row
  Masked,   // holds the answer of a question
};

// The content of one cell at one step.
struct Cell {
  double value = 0.0;
  CellState state = CellState::Empty;
  bool is_masked = false;  // thread: off in the current statement, or exited
  bool is_read = false;    // by the current statement
  bool is_written = false;
  bool by_focus_block = false;  // the reading or storing thread belongs to the focus block
  bool by_focus_thread = false;
  bool is_arriving = false;  // shared array: a copy to it is in flight
  bool is_padding = false;   // shared array: holds no element of a buffer
  bool is_stale = false;     // shared array: overwritten in this phase before it was read
  bool is_wrong = false;     // output: differs from the reference; shared: out of range
  bool in_tile = false;      // loaded by the focus block's latest load phase
  bool is_now = false;       // read at this moment of a playing phase
  bool has_grown = false;    // the phase on stage added to this sum
  double before = 0.0;       // its value at the phase's beginning
  // Compensated sum: the lost rounding error so far, as the kernel stores it.
  std::optional<double> compensation = std::nullopt;
  std::uint32_t block = kNoThread;  // C: of the owner
  // Shared array: whose number it holds, if another matrix's than the sheet's.
  insight::ValueRole role = insight::ValueRole::None;
};

// The content of a sheet: its cells, row by row, and facts about all of them.
struct SheetContent {
  std::vector<Cell> cells;
  int longest = 1;  // characters needed by every value
  // Element i: how many values need at least i characters to avoid rounding a whole number.
  std::array<std::size_t, kLongestNumber + 1> needing{};
  double largest = 0.0;    // magnitude of a finite value
  std::size_t stored = 0;  // output: stored cells so far
  std::size_t pending = 0;
  int padding = 0;             // columns at the right of a shared array that are never stored to
  bool has_mbarriers = false;  // its numbers are what the barriers still wait for
};

// The meaning of a frame around cells.
enum class FrameKind {
  Block,       // cells of an output that a block stores
  Tile,        // A or B: loaded in the latest load phase
  Visited,     // A or B: loaded by the block so far
  FocusReads,  // shared array: read by the focus thread in this phase
  FocusSum,    // output: the focus thread stores a sum there
  LastTile,    // A or B: loaded before the tile of the phase on stage
  FocusCell,   // loaded or stored by the focus thread in the phase on stage
  Finding,     // the statement on stage causes a finding there
  Guide,       // matrix: the row or column that an index of the focus thread means
  BlockGuide,  // … of any thread of its block
  Factors,     // A or B: the row or column whose elements the focus thread's sum multiplies
};
// A rectangle of cells with a common meaning.
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

// The cells of a buffer that a shared array holds: "As from A[0..3][4..7]".
struct Source {
  int shared = kNoSheet;
  CellFrame from;
  std::size_t count = 0;    // number of different cells
  bool is_partial = false;  // the rest of the array still holds the previous tile
  bool is_whole = true;     // these are all of `from`
  bool is_turned = false;   // its rows are columns of the shared array
};

// Whether a shared array holds some of its cells transposed.
[[nodiscard]] inline bool is_turned(const std::vector<Source>& sources, int sheet) {
  return std::any_of(sources.begin(), sources.end(), [sheet](const Source& source) {
    return source.shared == sheet && source.is_turned;
  });
}

// The cells that a phase copied from a buffer to a shared array.
struct Ribbon {
  CellFrame from;
  CellFrame to;
  float grown = 1.0F;  // 0…1: progress of the animation
};

// Whether cells of each kind exist; reads and stores are the focus block's.
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

// Sizes of whole tiles: rows and columns of C that a block stores, and elements along k per load;
// 0: unknown, or all of them.
struct TileSizes {
  int rows = 0;
  int cols = 0;
  int inner = 0;
};

// Everything that the stage shows at one step.
struct StageContent {
  std::vector<SheetContent> sheets;
  TileSizes tile;
  CellKinds kinds;
  std::vector<CellFrame> frames;
  std::vector<Stray> strays;
  std::vector<Source> sources;
  std::vector<Transfer> moving;  // transfers made by the current statement, or the phase on stage
  // For a phase that is shown as a whole.
  std::vector<Ribbon> ribbons;
  // Two activities without a barrier between them, and a race between them.
  bool fault_line = false;
  // The focus block's sums that are stored to cells on stage, by thread, row and column.
  std::vector<SumCell> sums;
  // Sums have added products, so the values read from shared memory are factors. True if no sum is
  // followed.
  bool multiplies = true;
  // The current variable of the chosen sum, or else the final variable of most sums; may be empty.
  std::string sum_name;
  std::string compensation;  // the variable with the lost rounding errors of compensated sums
  // The output cell of the focus thread's chosen sum, and its cell among the threads.
  std::optional<SheetPlace> focus_result;
  std::optional<CellPlace> focus_cell;
};
// The cell at a place inside its sheet.
template <class Content>  // StageContent, const or not
[[nodiscard]] auto& cell_at(Content& content, const StageShape& shape, const SheetPlace& at) {
  return content.sheets[size(at.sheet)]
      .cells[cell_index(shape.sheets[size(at.sheet)], {at.row, at.col})];
}

// The data that the content of the stage is made from; it must outlive the call.
struct ContentInputs {
  const record::Recording& recording;
  const StageShape& shape;
  const Ownership& owners;
  BlockLog& log;
  const record::State& state;
  const record::State* before;               // at the start of the current statement; may be null
  const record::Activity* statement;         // the latest statement; may be null
  std::string accumulator;                   // the variable of the sums; empty: it has no name
  const insight::BlockSums* sums = nullptr;  // of the focus block
  std::span<const Landing> landings;         // of all blocks
  int sum = 0;                               // index of the sum of each thread that is written out
  std::span<const problem::ExpectedOutput> expected;  // of outputs with a reference
  // Contents of an output's cells at the end of the run, by sheet; empty for other sheets.
  std::span<const std::vector<double>> ends{};
  std::uint32_t block = 0;  // focus
  std::uint32_t thread = 0;
  const narration::Narrator* narrator = nullptr;  // of the focus block; null: no narration
  std::span<const insight::Finding> findings;     // of this run
  std::span<const CopyFlight> copies{};           // of the focus block
  // The block's phase that ends here and is shown as a whole, and its summary once counted.
  std::optional<std::size_t> phase = std::nullopt;
  const narration::PhaseSummary* summary = nullptr;
  state::NumberForm form = state::NumberForm::Decimal;  // of numbers in sentences
};
[[nodiscard]] StageContent make_content(const ContentInputs& inputs);
[[nodiscard]] CellKinds kinds_of(const StageContent& content);

// Groups of cells: each block's stores, its latest tile and all its loads, the focus thread's
// reads, and the sources of shared arrays.

// Adds frames, sources and moving cells, and marks the cells of the latest tile.
void add_frames(const ContentInputs& inputs, StageContent& content);

// Cells of shared memory that hold mbarriers: their bits are not numbers.

// The arrivals that the mbarrier in these 8 bytes still waits for in its phase, and once these are
// complete, the bytes.
[[nodiscard]] double still_to_come(const std::byte* from);

// The position in words: the focus block's phase, and the effect of the last statement; at the end
// of the run, the result.

enum class Verdict { None, Right, Wrong };

// The words above the stage.
struct Headline {
  std::string where;     // "Phase 4 of 5 · product 3 of 4 · block (1,0)"
  std::string phase;     // "multiply tile 1"
  std::string sentence;  // the narration's sentence, or the result, as plain text
  narration::Narration narrated;
  Verdict verdict = Verdict::None;  // of a complete run
};
// The headline of a playing phase, whose summary is shown when it is over.
[[nodiscard]] Headline while_playing(const ContentInputs& inputs);
[[nodiscard]] Headline make_headline(const ContentInputs& inputs, const StageContent& content);

// Cell widths and roles of a launch: these do not change with steps.

// Sets Sheet::digits from the buffers at the end of the run.
void find_digits(const record::State& end, StageShape& shape);
// Sets Sheet::role from the sources of values; without sums, from the places in the L.
void find_roles(const insight::BlockSums* sums, const simt::Program& program, StageShape& shape);

// Removes from the stage's content what would reveal the answer of an open question.

// Cells become "?"; marks and frames at the answer are removed. `step`: of the run that is shown.
void mask_content(const course::AnswerMask& mask, const ContentInputs& inputs,
                  StageContent& content);
// Removes the sentence: the question is in its place.
void mask_headline(const course::AnswerMask& mask, Headline& headline);
void mask_sum(const course::AnswerMask& mask, std::uint64_t step, SumStory& story);

// Rows and columns of the matrices, drawn when an index of the kernel gets its meaning: the focus
// thread's, and those of all threads of its block. Pure.

// Adds frames of these rows and columns: FrameKind::Guide for the focus thread,
// FrameKind::BlockGuide for the block. None if a matrix has no such row or column.
void add_guides(const ContentInputs& inputs, std::span<const narration::Guide> guides,
                StageContent& content);

// Adds the row of A and the column of B along which the focus thread's sum runs, while it adds a
// product: FrameKind::Factors.
void add_factor_lines(const ContentInputs& inputs, StageContent& content);

// Further facts about values: padding in a shared array, and wrong results.

// The previous tile after a barrier has freed it: cells that the phase overwrites and no longer
// reads.
void mark_stale(const ContentInputs& inputs, StageContent& content);
// Shared cells whose latest store was not an element of a buffer: zeros beyond a matrix's edge.
void mark_padding(const ContentInputs& inputs, StageContent& content);

// The expected contents of a sheet; null: no reference. Element i is cell i.
[[nodiscard]] const problem::ExpectedOutput* expected_of(const ContentInputs& inputs,
                                                         const Sheet& sheet);

// ContentInputs::ends, from the recording's last state.
[[nodiscard]] std::vector<std::vector<double>> ends_of(const record::State& end,
                                                       const StageShape& shape);

// Stored output cells that differ from the reference at the end of the run.
void mark_wrong(const ContentInputs& inputs, StageContent& content);

// The tooltip of a cell: its value, and who stored it, when, and from where.

// The text of a cell's tooltip.
struct CellStory {
  std::string title;               // "As[1][2] = -1"
  std::vector<std::string> lines;  // "stored by thread (1,2) of block (1,0)", …
};
[[nodiscard]] CellStory cell_story(const ContentInputs& inputs, const StageContent& content,
                                   CellHit hit);

// "As[1][2]"; a thread's cell: "acc of thread (1,2)".
[[nodiscard]] std::string cell_name(const ContentInputs& inputs, CellHit hit);

}  // namespace tilestep::ui
