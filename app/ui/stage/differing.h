// Two stages side by side: the cells that show another number on each.
#pragma once

#include "ui/stage/paint.h"
#include "ui/stage/stage_memory.h"

namespace tilestep::ui {

// Of sheets that both stages have, by name and extent. Fills StageMemory::differing of both.
// `sums_are_known`: every block's, on both stages; else a sum beside an empty cell says nothing.
void find_differing(StageMemory& one, StageMemory& two, bool sums_are_known);

void paint_differing(const StagePicture& picture, const std::vector<SheetPlace>& differing,
                     std::vector<CellInstance>& instances);

}  // namespace tilestep::ui
