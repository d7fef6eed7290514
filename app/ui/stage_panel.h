// The stage: what the focus block's last statement did, in words and in cells, and the sum.
#pragma once

#include "ui/panel.h"
#include "ui/stage/camera.h"
#include "ui/stage/geometry.h"
#include "ui/stage/paint.h"
#include "ui/stage/stage_memory.h"
#include "ui/window_plan.h"

#include <vector>

namespace tilestep::ui {

// How large its numbers are under a plan; none before the first recording.
[[nodiscard]] NumberSizes stage_numbers(const Context& context, const WindowPlan& plan);
[[nodiscard]] Commands draw_stage(const Context& context, const WindowPlan& plan);

// What the pointer does on the stage: it pans and zooms, names a cell, follows or chooses it.

// Where a card of that size tells of a cell: as near as it can be without lying over the cell or
// over what is kept free, inside the window. Pixels.
[[nodiscard]] ImVec2 place_beside_cell(ImVec2 size, const Box& cell, const std::vector<Box>& kept,
                                       const Box& window);

// The item that was added last was clicked with the left button, and not dragged.
[[nodiscard]] bool was_clicked();

// Dragging pans with any button; a left click that did not drag chooses; the wheel zooms. Asks the
// item that was added last.
[[nodiscard]] Commands handle_mouse(const Context& context, StageMemory& memory,
                                    const ContentInputs& in, const Arrangement& arrangement,
                                    const StageArea& area, const StageView& view);

// What a lesson's beat is about, where that decides what is large on the stage.

// A scene that points at matrices alone, or a question for an element of one.
[[nodiscard]] bool is_about_matrices(const Context& context, const StageShape& shape);

// Two stages side by side: the cells that show another number on each.

// Compares sheets that both stages have, by name and extent; fills StageMemory::differing of both.
// `sums_are_known`: every block's, on both stages; else a sum beside an empty cell says nothing.
void find_differing(StageMemory& one, StageMemory& two, bool sums_are_known);

void paint_differing(const StagePicture& picture, const std::vector<SheetPlace>& differing,
                     std::vector<CellInstance>& instances);

}  // namespace tilestep::ui
