// What of a launch has numbers on the stage: all of the matrices or only the block's own arrays,
// and how many cells of these. Pure: sizes in, counts out.
//
// Whether the matrices are a map depends on their size, never on the block's: a change of
// BLOCK_SIZE changes no more than the block.
#pragma once

#include "ui/stage/crop.h"
#include "ui/stage/geometry.h"

#include <functional>

namespace tilestep::ui {

struct StageRequest {
  float width = 0.0F;  // pixels for everything
  float height = 0.0F;
  float font = 0.0F;   // height of a line of text among the cells
  float least = 0.0F;  // pixels: numbers that can be read from where lines of text can
  Labels labels = Labels::All;
  Matrices matrices = Matrices::Numbers;  // Numbers: or a map
  friend bool operator==(const StageRequest&, const StageRequest&) = default;
};

struct StagePlan {
  Matrices matrices = Matrices::Numbers;
  CellCounts counts;
  float least_map = kLeastMap;
};

// The cells that are shown for these counts.
using ShownOf = std::function<Shown(const CellCounts& counts, Matrices matrices)>;

[[nodiscard]] StagePlan plan_stage(const StageShape& shape, const StageRequest& request,
                                   const ShownOf& shown);
[[nodiscard]] Arrangement arrange_plan(const StageShape& shape, const StageRequest& request,
                                       const StagePlan& plan, const ShownOf& shown);

// A launch of the same kernel with 8×8×8 elements and tiles of 4×4: the panels around the stage
// leave room for its numbers, and so have the same places for every size.
[[nodiscard]] StageShape reference_shape(const StageShape& shape);

}  // namespace tilestep::ui
