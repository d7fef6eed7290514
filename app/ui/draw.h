// One frame of the whole window.
#pragma once

#include "ui/panel.h"

namespace tilestep::ui {

[[nodiscard]] Commands draw(const Context& context);

}  // namespace tilestep::ui
