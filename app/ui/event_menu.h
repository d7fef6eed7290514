// The button beside the play buttons that runs to the next event, and its menu.
#pragma once

#include "ui/panel.h"

namespace tilestep::ui {

// `wide`: the button says what it runs to.
[[nodiscard]] Commands event_button(const Context& context, bool wide);

}  // namespace tilestep::ui
