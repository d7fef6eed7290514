// The focus thread's variables, its warp, shared memory, findings.
#pragma once

#include "ui/panel.h"

namespace tilestep::ui {

[[nodiscard]] Commands draw_inspector(const Context& context);

}  // namespace tilestep::ui
