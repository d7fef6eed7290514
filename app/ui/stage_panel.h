// The stage: A, B, C in the textbook L, the focus block's shared arrays and accumulators enlarged,
// and what the last executed statement touched. Pan, zoom, hover, click.
#pragma once

#include "ui/panel.h"

namespace tilestep::ui {

[[nodiscard]] Commands draw_stage(const Context& context);

}  // namespace tilestep::ui
