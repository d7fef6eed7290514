// What lies over the cells: frames, and the names of blocks.
#pragma once

#include "ui/stage/paint.h"

namespace tilestep::ui {

// The card under the focus block's own memory.
void paint_block_card(const StagePicture& picture);
// Its name, in the free corner.
void paint_block_name(const StagePicture& picture, bool with_memory);

// Blocks' frames on what they store, the focus block's tiles, the focus thread's reads and cells.
void paint_frames(const StagePicture& picture, std::vector<CellInstance>& instances);

}  // namespace tilestep::ui
