// Phases of every block, statements as ticks, scrubbing, play and pace.
#pragma once

#include "ui/panel.h"

namespace tilestep::ui {

[[nodiscard]] Commands draw_timeline(const Context& context);

}  // namespace tilestep::ui
