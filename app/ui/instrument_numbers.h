// The numbers beside the slider of BLOCK_SIZE: what each was and is, and the first cause of what
// that does to the time.
#pragma once

#include "ui/panel.h"
#include "ui/stage/geometry.h"

namespace tilestep::ui {

// `is_held`: the hand moves the slider: numbers are compared with those of before it did.
void draw_instrument_numbers(const Context& context, const Box& box, bool is_held);

}  // namespace tilestep::ui
