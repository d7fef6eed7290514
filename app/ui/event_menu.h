// The button beside the play buttons that runs to the next event, its menu, and the sentence about
// where that led.
#pragma once

#include "ui/panel.h"
#include "ui/stage/geometry.h"

namespace tilestep::ui {

// `wide`: the button says what it runs to.
[[nodiscard]] Commands event_button(const Context& context, bool wide);

// At the right and at the bottom of a room, as small as the text allows: what was found, or what is
// looked for.
void draw_event_sentence(const Context& context, const Box& room);

}  // namespace tilestep::ui
