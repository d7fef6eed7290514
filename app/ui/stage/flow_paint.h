// Where the pointed or chosen cell's value came from and went: frames around the cells, arrows.
#pragma once

#include "insight/events/cell_flow.h"
#include "ui/stage/paint.h"

#include <vector>

namespace tilestep::ui {

// Cells of one sheet as few frames: one where they fill a rectangle, else one each.
[[nodiscard]] std::vector<CellFrame> flow_frames(const StageShape& shape,
                                                 const simt::Program& program,
                                                 const std::vector<std::uint64_t>& addresses);

void paint_flow(const StagePicture& picture, const insight::CellFlow& flow,
                std::vector<CellInstance>& instances);

}  // namespace tilestep::ui
