// Matrices without numbers: every cell in its hue, equal neighbours as one rectangle, and the lines
// between tiles.
#pragma once

#include "ui/stage/paint.h"

#include <vector>

namespace tilestep::ui {

// Whether a sheet is a map in this picture.
[[nodiscard]] bool is_map(const StagePicture& picture, int sheet);
void add_map(const StagePicture& picture, int sheet, std::vector<CellInstance>& out);
// All of the matrices beside the parts that have numbers, and where these are.
void paint_map(const StagePicture& picture, std::vector<CellInstance>& instances);

}  // namespace tilestep::ui
