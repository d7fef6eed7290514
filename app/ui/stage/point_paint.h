// What a scene of a lesson points at, over the stage: boxes with labels around cells, and an arrow
// where a label has to stand beside. They follow zoom and crop.
#pragma once

#include "ui/stage/paint.h"

namespace tilestep::ui {

// While the stage is as the scene has it.
void paint_points(const StagePicture& picture, std::vector<CellInstance>& instances);

}  // namespace tilestep::ui
