// A lab of the lesson that is open: its rows with what became of them, why the first one failed,
// and the buttons that grade and reset the text.
#pragma once

#include "ui/panel.h"

namespace tilestep::ui {

// Below the lab's words. Nothing where the beat is no lab.
[[nodiscard]] Commands draw_lab(const Context& context);

}  // namespace tilestep::ui
