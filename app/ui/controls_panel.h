// The top bar: what runs (kernel, M, N, K, BLOCK_SIZE, inputs, schedule), which tab, which theme.
#pragma once

#include "ui/panel.h"

namespace tilestep::ui {

[[nodiscard]] Commands draw_controls(const Context& context);

}  // namespace tilestep::ui
