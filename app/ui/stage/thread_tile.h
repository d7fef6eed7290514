// The elements and sums of a thread, a block and their tiles.
#pragma once

#include "insight/trace/accumulators.h"
#include "ui/stage/phase_log.h"
#include "ui/stage/shape.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tilestep::ui {

// Where the threads of the focus block and their sums are on stage: an output's elements that the
// block stores, each in the thread that stores it. Pure.

// A sum of the focus block at one step, and the cell it lands in.
struct SumCell {
  std::size_t sum = 0;       // index into BlockSums::sums()
  std::uint32_t thread = 0;  // that stores it; now.thread holds it until then
  SheetPlace place;
  insight::SumNow now;
  bool is_added_to = false;  // by the current statement
  bool is_chosen = false;    // the one of its thread that is written out
  // In StageShape::threads; nothing where another sum of the thread has its cell.
  std::optional<CellPlace> cell = {};
};

// A cell of an output and the variable in which its value grows: known of every block, for what is
// true of the threads of one is true of those of the others.
struct Landing {
  Owner owner;
  int sheet = kNoSheet;
  std::size_t cell = 0;
  insight::SumHome home;
};
// `first`: the sums of the first block. Sorted by owner. Without cells whose sum has no variable of
// its own: where one variable serves for one element after another, nobody can tell by it.
[[nodiscard]] std::vector<Landing> find_landings(const StageShape& shape, const Ownership& owners,
                                                 const insight::BlockSums& first);

// The number, among its owner's sums, of the sum in a cell of an output; for state::FocusSum.
[[nodiscard]] int sum_number(const Ownership& owners, int sheet, std::size_t cell);

// Lays the cells of StageShape::threads out so where a thread stores several elements, or where the
// threads are in another order than what they store. Nothing changes where the elements of a
// block are no rectangle, where blocks differ, and where the first block is too large to be
// followed.
void lay_out_threads(StageShape& shape, const Ownership& owners, const insight::BlockSums& first);

// A thread's first cell (nothing: it stores none of the tile), and the thread of a cell (kNoThread
// beyond the last one).
[[nodiscard]] std::optional<CellPlace> thread_cell(const StageShape& shape, std::uint32_t thread);
[[nodiscard]] std::uint32_t cell_thread(const StageShape& shape, CellPlace place);
// SumCell::cell of a sum of a block.
[[nodiscard]] std::optional<CellPlace> find_sum_cell(const StageShape& shape, std::uint32_t block,
                                                     const SumCell& sum,
                                                     const insight::OwnedSum& own);
// Whether a block stores a tile of the output.
[[nodiscard]] bool stores_tile(const StageShape& shape, std::uint32_t block);
// The output's cell that a cell of a block's threads represents; nothing where these are cells of
// threads, beyond the output's end, and of a block that stores no tile of it.
[[nodiscard]] std::optional<SheetPlace> output_cell(const StageShape& shape, std::uint32_t block,
                                                    CellPlace place);

}  // namespace tilestep::ui
