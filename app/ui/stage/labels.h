// What stands beside the cells: names, row and column numbers.
#pragma once

#include "ui/stage/paint.h"

namespace tilestep::ui {

inline constexpr float kLeastChip = 8.0F;  // pixels, of text in a name's chip

// Name, size and a word about what is shown, beside every sheet; row and column numbers, with few
// labels those of the followed sum alone; the numbers of buffers.
void paint_labels(const StagePicture& picture);

}  // namespace tilestep::ui
