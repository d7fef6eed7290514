// The button beside the play buttons that runs to the next event, its menu, and the sentence about
// where that led.
#pragma once

#include "ui/panel.h"

namespace tilestep::ui {

// `wide`: the button says what it runs to.
[[nodiscard]] Commands event_button(const Context& context, bool wide);

// Above the panel that is being drawn, at its right: what was found, or what is looked for.
void draw_event_sentence(const Context& context);

}  // namespace tilestep::ui
