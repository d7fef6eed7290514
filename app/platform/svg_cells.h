// Cells (ui/panel.h) as elements of an SVG. The same shapes as shaders/cell.frag draws.
#pragma once

#include "ui/panel.h"

#include <string>

namespace tilestep::platform {

// One <rect class="cell">, and what its marks need besides.
void append_cell(std::string& svg, const ui::CellInstance& cell);

}  // namespace tilestep::platform
