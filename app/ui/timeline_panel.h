// Phases of every block, statements as ticks, scrubbing, play and pace.
#pragma once

#include "ui/panel.h"

namespace tilestep::ui {

// Short: one row, with the button for the next phase before it.
[[nodiscard]] Commands draw_timeline(const Context& context, bool is_short);

}  // namespace tilestep::ui
