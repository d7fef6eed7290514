// Plans what the stage shows, as numbers or as a map, and at which size.
#pragma once

#include "ui/stage/content.h"
#include "ui/stage/geometry.h"

#include <functional>
#include <limits>

namespace tilestep::ui {

// Chooses the parts of a launch that have numbers on the stage: the whole matrices or only the
// block's own arrays, and how many cells of these. Pure: sizes in, counts out.
//
// Whether the matrices are a map depends on their size, never on the block's: a change of
// BLOCK_SIZE affects only the block. Of arrays that are too large to read, the surroundings of the
// focus thread are shown.

// A larger side of a matrix may be shown in part.
inline constexpr int kReadable = 16;

// The largest number of visible cells: rows and columns of C (of a block, of its part), and
// elements along k.
struct CellCounts {
  static constexpr int kAll = std::numeric_limits<int>::max();
  int rows = kAll;
  int cols = kAll;
  int inner = kAll;
  bool one_part = false;  // show one part of an array with several buffers
  friend bool operator==(const CellCounts&, const CellCounts&) = default;
};

// Crops the block's own arrays, or matrices that are alone on stage; `crops_matrices`: these in any
// case. Empty if everything can be shown. The visible part has a constant size while the block's
// tiles have; rows of A are those of C, columns of B those of C.
[[nodiscard]] Shown find_crop(const ContentInputs& inputs, const StageContent& content,
                              const CellCounts& counts = {}, bool crops_matrices = false);
// If the whole matrices are shown: crops buffers and arrays beside them that are larger.
[[nodiscard]] Shown find_crop_of_map(const ContentInputs& inputs);

// The room and text sizes that a plan must observe.
struct StageRequest {
  float width = 0.0F;  // pixels for everything
  float height = 0.0F;
  float font = 0.0F;   // height of a line of text among the cells
  float least = 0.0F;  // pixels: the least readable number
  Labels labels = Labels::All;
  Matrices matrices = Matrices::Numbers;  // Numbers: or a map
  friend bool operator==(const StageRequest&, const StageRequest&) = default;
};

// What is shown, and the largest number of cells.
struct StagePlan {
  Matrices matrices = Matrices::Numbers;
  CellCounts counts;
  float least_map = kLeastMap;
};

// The visible cells for these counts.
using ShownOf = std::function<Shown(const CellCounts& counts, Matrices matrices)>;

[[nodiscard]] StagePlan plan_stage(const StageShape& shape, const StageRequest& request,
                                   const ShownOf& shown);
[[nodiscard]] Arrangement arrange_plan(const StageShape& shape, const StageRequest& request,
                                       const StagePlan& plan, const ShownOf& shown);

// A launch of the same kernel with 8×8×8 elements and tiles of 4×4: the panels around the stage
// leave room for its numbers, so their layout is the same for every size.
[[nodiscard]] StageShape reference_shape(const StageShape& shape);

}  // namespace tilestep::ui
