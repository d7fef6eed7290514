// What stands beside a sheet's name.
#pragma once

#include "ui/stage/paint.h"

#include <string>
#include <vector>

namespace tilestep::ui {

// "8×8", "16 of 64 stored": of an output; "← A[0..3][4..7]", "1 column of padding", "rows 4–11": of
// a shared array that is cropped. The first tells most; those at the end may be left out.
[[nodiscard]] std::vector<std::string> sheet_note(const StagePicture& picture, int sheet);

// "A[0..3][4..7]", "B[2][1]": the cells of a frame.
[[nodiscard]] std::string frame_name(const StageShape& shape, const CellFrame& frame);

}  // namespace tilestep::ui
