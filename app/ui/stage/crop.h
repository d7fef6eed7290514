// What is shown of arrays that are too large to be read: what is around the focus thread. Pure.
#pragma once

#include "ui/stage/content.h"
#include "ui/stage/geometry.h"

#include <limits>

namespace tilestep::ui {

// A side of a matrix with more cells than this may be left out in part.
inline constexpr int kReadable = 16;

// How many cells are shown at most: rows of C and columns of C, of a block its part of them, and
// elements along k.
struct CellCounts {
  static constexpr int kAll = std::numeric_limits<int>::max();
  int rows = kAll;
  int cols = kAll;
  int inner = kAll;
  bool one_part = false;  // of an array with several buffers
  friend bool operator==(const CellCounts&, const CellCounts&) = default;
};

// Of the block's own arrays, or of matrices that are alone on stage; `crops_matrices`: of these in
// any case. Empty where all can be shown. What is shown has the same size as long as the block's
// tiles have; rows of A are those of C, columns of B those of C.
[[nodiscard]] Shown find_crop(const ContentInputs& inputs, const StageContent& content,
                              const CellCounts& counts = {}, bool crops_matrices = false);
// Where all of the matrices is shown: buffers and arrays beside them that are larger than they are.
[[nodiscard]] Shown find_crop_of_map(const ContentInputs& inputs);

}  // namespace tilestep::ui
