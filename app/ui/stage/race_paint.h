// A race that strikes: the cell, the value that was needed, the two threads and what joins them.
#pragma once

#include "ui/stage/paint.h"
#include "ui/stage/strikes.h"

#include <vector>

namespace tilestep::ui {

// Where one is on stage: arcs over the cells, the cell in a double frame, the value that is lost or
// late; and both sides in words with a dashed line between, in the free corner, or else at the
// stage's upper left.
void paint_race(const StagePicture& picture, std::vector<CellInstance>& instances);

// A bow with an arrowhead, from the edge of one box to the edge of another.
void paint_arc(const StagePicture& picture, const Box& from, const Box& to, ImU32 colour);

}  // namespace tilestep::ui
