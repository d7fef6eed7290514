// Where the sums of a block's threads stand on stage, and what they are at a step. Pure.
#pragma once

#include "insight/trace/accumulators.h"
#include "ui/stage/phase_log.h"
#include "ui/stage/shape.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tilestep::ui {

// A sum of the focus block at one step, and the cell it lands in.
struct SumCell {
  std::size_t sum = 0;       // index into BlockSums::sums()
  std::uint32_t thread = 0;  // that stores it; now.thread holds it until then
  SheetPlace place;
  insight::SumNow now;
  bool is_added_to = false;  // by the current statement
  bool is_chosen = false;    // the one of its thread that is written out
  // Of StageShape::threads; nothing where another sum of the thread has its cell.
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

// Which of its owner's sums stands in a cell of an output, for state::FocusSum.
[[nodiscard]] int sum_number(const Ownership& owners, int sheet, std::size_t cell);

}  // namespace tilestep::ui
