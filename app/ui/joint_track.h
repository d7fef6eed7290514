// The timeline of two runs: a row of phases each, on one axis of their common stops. A run that
// waits for the other has a gap.
#pragma once

#include "ui/panel.h"

namespace tilestep::ui {

// In `size` pixels from the cursor; of a frame with a side 2 whose joint timeline is there.
[[nodiscard]] Commands draw_joint_track(const Context& context, ImVec2 size);

}  // namespace tilestep::ui
