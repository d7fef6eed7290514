// The card below the source: what the focus block's latest phase did, line by line.
#pragma once

#include "ui/panel.h"
#include "ui/window_plan.h"

namespace tilestep::ui {

// Takes the card's place from the foot of the source column, where that leaves enough of it; an
// empty box where there is none. It yields before anything else does.
[[nodiscard]] Box take_card(WindowPlan& plan, float font);

// The same counts as `counters --by line --build step`, of this block's phase.
void draw_phase_card(const Context& context);

}  // namespace tilestep::ui
