// The elements and sums of a thread, and the tile of a block.
#pragma once

#include "insight/trace/accumulators.h"
#include "ui/stage/phase_log.h"
#include "ui/stage/shape.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tilestep::ui {

// The layout of the focus block's threads and their sums on stage: the elements of an output that
// the block stores, each in the thread that stores it. Pure.

// A sum of the focus block at one step, and the cell that it is stored to.
struct SumCell {
  std::size_t sum = 0;       // index into BlockSums::sums()
  std::uint32_t thread = 0;  // the storing thread; now.thread holds the sum until then
  SheetPlace place;
  insight::SumNow now;
  bool is_added_to = false;  // by the current statement
  bool is_chosen = false;    // written out, of its thread's sums
  // In StageShape::threads; nullopt if another sum of the thread has its cell.
  std::optional<CellPlace> cell = {};
};

// An output's cell and the variable of its sum. Known for every block, because all blocks use the
// same variables.
struct Landing {
  Owner owner;
  int sheet = kNoSheet;
  std::size_t cell = 0;
  insight::SumHome home;
};
// `first`: the sums of the first block. Sorted by owner. Excludes cells whose sum has no variable
// of its own: a variable that serves several elements in turn does not identify one.
[[nodiscard]] std::vector<Landing> find_landings(const StageShape& shape, const Ownership& owners,
                                                 const insight::BlockSums& first);

// The index, among its owner's sums, of the sum of an output's cell; for state::FocusSum.
[[nodiscard]] int sum_number(const Ownership& owners, int sheet, std::size_t cell);

// Arranges the cells of StageShape::threads if a thread stores several elements, or if the threads'
// order differs from their elements'. Changes nothing if the elements of a block form no rectangle,
// if blocks differ, or if the first block is too large to be followed.
void lay_out_threads(StageShape& shape, const Ownership& owners, const insight::BlockSums& first);

// A thread's first cell (nullopt: it stores none of the tile), and the thread of a cell (kNoThread
// beyond the last one).
[[nodiscard]] std::optional<CellPlace> thread_cell(const StageShape& shape, std::uint32_t thread);
[[nodiscard]] std::uint32_t cell_thread(const StageShape& shape, CellPlace place);
// SumCell::cell for a sum of a block.
[[nodiscard]] std::optional<CellPlace> find_sum_cell(const StageShape& shape, std::uint32_t block,
                                                     const SumCell& sum,
                                                     const insight::OwnedSum& own);
// Whether a block stores a tile of the output.
[[nodiscard]] bool stores_tile(const StageShape& shape, std::uint32_t block);
// The output cell for a cell of a block's threads; nullopt if the cells are one per thread, beyond
// the output's end, or if the block stores no tile.
[[nodiscard]] std::optional<SheetPlace> output_cell(const StageShape& shape, std::uint32_t block,
                                                    CellPlace place);

}  // namespace tilestep::ui
