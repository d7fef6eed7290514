// The stage: the effect of the focus block's last statement, in words and cells, and the sum.
#pragma once

#include "ui/panel.h"
#include "ui/stage/camera.h"
#include "ui/stage/geometry.h"
#include "ui/stage/paint.h"
#include "ui/stage/stage_memory.h"
#include "ui/window_plan.h"

#include <vector>

namespace tilestep::ui {

// The size of its numbers under a plan; 0 before the first recording.
[[nodiscard]] NumberSizes stage_numbers(const Context& context, const WindowPlan& plan);
[[nodiscard]] Commands draw_stage(const Context& context, const WindowPlan& plan);

// The pointer's effects on the stage: it pans and zooms, shows a cell's name, follows or chooses
// it.

// The position of a cell's tooltip card of that size: as near as possible without covering the cell
// or the boxes in `kept`, inside the window. Pixels.
[[nodiscard]] ImVec2 place_beside_cell(ImVec2 size, const Box& cell, const std::vector<Box>& kept,
                                       const Box& window);

// True if the last item was left-clicked and not dragged.
[[nodiscard]] bool was_clicked();

// Dragging pans with any button; a left click without dragging chooses; the wheel zooms. Refers to
// the last item.
[[nodiscard]] Commands handle_mouse(const Context& context, StageMemory& memory,
                                    const ContentInputs& in, const Arrangement& arrangement,
                                    const StageArea& area, const StageView& view);

// The subject of a lesson's beat, if it decides what is large on the stage.

// A scene that points only at matrices, or a question about an element of one.
[[nodiscard]] bool is_about_matrices(const Context& context, const StageShape& shape);

// Two stages side by side: the cells with different numbers.

// Compares sheets that both stages have, by name and extent; fills StageMemory::differing of both.
// `sums_are_known`: every block's, on both stages; otherwise a sum beside an empty cell is no
// difference.
void find_differing(StageMemory& one, StageMemory& two, bool sums_are_known);

void paint_differing(const StagePicture& picture, const std::vector<SheetPlace>& differing,
                     std::vector<CellInstance>& instances);

}  // namespace tilestep::ui
