// Which cells belong together: what each block stores, the tile it loaded and all it loaded so far,
// what the focus thread has read, and where the contents of shared arrays came from.
#pragma once

#include "ui/stage/content.h"

namespace tilestep::ui {

// Adds frames, sources and moving cells, and marks the cells of the latest tile.
void add_frames(const ContentInputs& inputs, StageContent& content);

}  // namespace tilestep::ui
