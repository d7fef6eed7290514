// The threads of the focus block where their elements are: as the block's part of an output, one
// cell an element, in the thread that stores it. Pure.
#pragma once

#include "ui/stage/phase_log.h"
#include "ui/stage/shape.h"
#include "ui/stage/sums.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tilestep::ui {

// Lays the cells of StageShape::threads out so where a thread stores several elements, or where the
// threads stand in another order than what they store. Nothing changes where the elements of a
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
// The output's cell that a cell of a block's threads stands for; nothing where these are cells of
// threads, beyond the output's end, and of a block that stores no tile of it.
[[nodiscard]] std::optional<SheetPlace> output_cell(const StageShape& shape, std::uint32_t block,
                                                    CellPlace place);

}  // namespace tilestep::ui
