// A race that strikes: the cell, the value that was needed, the two threads and what joins them.
#pragma once

#include "ui/stage/paint.h"
#include "ui/stage/strikes.h"

#include <vector>

namespace tilestep::ui {

// Over the cells: the arcs, the cell in a double frame, the value that is lost or late.
void paint_strike(const StagePicture& picture, const ShownStrike& shown,
                  std::vector<CellInstance>& instances);

// Both sides in words, with a dashed line between; fits in `room`, or begins at its upper left.
void paint_strike_card(const StagePicture& picture, const ShownStrike& shown, const Box& room,
                       std::vector<CellInstance>& instances);

}  // namespace tilestep::ui
