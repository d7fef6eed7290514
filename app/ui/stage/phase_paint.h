// Paints what a whole phase has beside its cells: ribbons, what the focus thread brought, sums
// before it, and the line between two activities that no barrier separates.
#pragma once

#include "ui/stage/paint.h"

namespace tilestep::ui {

// Behind the cells.
void paint_ribbons(const StagePicture& picture);
// In the cells that show a sum: what it was when the phase began.
void paint_sums_before(const StagePicture& picture);
// In the free corner of the block's arrays, below its name. False: the thread brought nothing.
bool paint_brought(const StagePicture& picture);
void paint_fault_line(const StagePicture& picture);

}  // namespace tilestep::ui
