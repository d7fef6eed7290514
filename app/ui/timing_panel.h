// The Timing tab: GFLOP/s over BLOCK_SIZE against cuBLAS. Fills the window under the top bar.
#pragma once

#include "ui/panel.h"

namespace tilestep::ui {

[[nodiscard]] Commands draw_timing(const Context& context);

}  // namespace tilestep::ui
