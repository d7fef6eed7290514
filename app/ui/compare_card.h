// What differs between two runs: the first product that only one of them adds and what becomes of
// it, what both cost, and how long both took where they were measured.
#pragma once

#include "ui/panel.h"

namespace tilestep::ui {

// Of a frame with a side 2.
[[nodiscard]] Commands draw_compare_card(const Context& context);

}  // namespace tilestep::ui
