// The timeline of two runs: a row of phases each, on one axis of their common stops. A run that
// waits for the other has a gap.
#pragma once

#include "record/activity.h"
#include "ui/panel.h"

#include <string>

namespace tilestep::ui {

// In `size` pixels from the cursor; of a frame with a side 2 whose joint timeline is there.
[[nodiscard]] Commands draw_joint_track(const Context& context, ImVec2 size);

// The longest form of a phase's name that has room; at least its sign. No name is cut.
[[nodiscard]] std::string phase_words(const Context& context, const record::Phase& phase,
                                      float size, float room);

}  // namespace tilestep::ui
