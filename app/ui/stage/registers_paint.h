// Paints the focus thread's L of registers.
#pragma once

#include "ui/panel.h"
#include "ui/stage/geometry.h"
#include "ui/stage/registers.h"

#include <string>
#include <vector>

namespace tilestep::ui {

// Pixels that it wants of so wide a stage; 0 where its numbers would be smaller than a line of
// text.
[[nodiscard]] float register_width(const RegisterTile& tile, ImVec2 room, float font);

void paint_registers(const Context& context, const RegisterTile& tile, const std::string& thread,
                     const Box& box, std::vector<CellInstance>& instances);

}  // namespace tilestep::ui
