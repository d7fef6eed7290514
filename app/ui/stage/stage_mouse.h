// What the pointer does on the stage: it pans and zooms, names a cell, follows or chooses it.
#pragma once

#include "ui/stage/camera.h"
#include "ui/stage/stage_memory.h"

#include <vector>

namespace tilestep::ui {

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

}  // namespace tilestep::ui
