// What side 2 is: a button in its band, and the menu behind it.
#pragma once

#include "ui/panel.h"

namespace tilestep::ui {

// At the cursor, in so many pixels; of side 1's context.
[[nodiscard]] Commands draw_second_menu(const Context& context, float width);

}  // namespace tilestep::ui
