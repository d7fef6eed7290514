// What is shown of matrices that are too large to be read: the focus block's tiles and two cells
// each side; of a block's own arrays what is around the focus thread. Pure.
#pragma once

#include "ui/stage/content.h"
#include "ui/stage/geometry.h"

#include <array>

namespace tilestep::ui {

// A side with more cells than this is cropped.
inline constexpr int kReadable = 16;

// How much is shown of the block's own arrays, and of matrices that stand alone.
struct BlockCrop {
  int above = kReadable;  // cells of a side that is cropped
  int to = 12;            // cells that are left of it
};
// From large windows to small ones: each shows less than the one before, so that numbers can be
// read.
inline constexpr std::array<BlockCrop, 6> kBlockCrops{{{}, {8, 8}, {6, 6}, {4, 4}, {3, 3}, {2, 2}}};

// Empty where all can be shown. What is shown has the same size as long as the block's tiles have;
// rows of A are those of C, columns of B those of C.
[[nodiscard]] Shown find_crop(const ContentInputs& inputs, const StageContent& content,
                              const BlockCrop& block = {});
// Where all of the matrices is shown: buffers and arrays beside them that are larger than they are.
[[nodiscard]] Shown find_crop_of_map(const ContentInputs& inputs);

}  // namespace tilestep::ui
