// What is shown of matrices that are too large to be read: the focus block's tiles and two cells
// each side; of a block's own arrays what is around the focus thread. Pure.
#pragma once

#include "ui/stage/content.h"
#include "ui/stage/geometry.h"

namespace tilestep::ui {

// A side with more cells than this is cropped.
inline constexpr int kReadable = 16;

// Empty where all can be shown. What is shown has the same size as long as the block's tiles have;
// rows of A are those of C, columns of B those of C.
[[nodiscard]] Shown find_crop(const ContentInputs& inputs, const StageContent& content);

}  // namespace tilestep::ui
