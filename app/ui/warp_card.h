// The card below the source at a statement: the focus thread's warp, lane by lane.
#pragma once

#include "state/command.h"
#include "ui/panel.h"

namespace tilestep::ui {

// A click on a lane follows its thread.
Commands draw_warp_card(const Context& context);

}  // namespace tilestep::ui
