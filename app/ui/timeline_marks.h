// Signs above the focus block's row of the timeline: findings, bank conflicts, uncoalesced
// accesses, split warps, barriers. Each has its own shape.
#pragma once

#include "ui/panel.h"
#include "ui/stage/run_marks.h"
#include "ui/timeline_axis.h"

#include <cstdint>
#include <span>

namespace tilestep::ui {

// Of the focus block, as far as they are known; goes on once a frame, and asks for another frame
// while there is more.
[[nodiscard]] const RunMarks& focus_marks(const Context& context);

// Around the line `y`, `height` high; of the axis's statements, which start at `starts`. Returns
// what a click on one of them does.
[[nodiscard]] Commands draw_timeline_marks(const Context& context, const TimelineAxis& axis,
                                           std::span<const std::uint64_t> starts, float y,
                                           float height);

}  // namespace tilestep::ui
