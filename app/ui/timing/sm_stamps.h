// Stamps of the clock that a GPU measured, above those of the estimate for the same machine code.
#pragma once

#include "ui/panel.h"
#include "workspace/shown_sm.h"

#include <imgui.h>

#include <cstdint>

namespace tilestep::ui {

// The clocks of the longer one of both.
[[nodiscard]] std::int64_t clocks_of(const workspace::ShownStamps& stamps);

// Fills the rectangle with both, on one axis of clocks. Returns commands that zoom and move.
[[nodiscard]] Commands draw_stamps(const Context& context, const workspace::ShownStamps& stamps,
                                   ImVec2 from, ImVec2 to);

// The mean clocks of each phase, measured and estimated; the legend of the rows.
void draw_phases(const Context& context, const workspace::ShownStamps& stamps);

// The legend of the rows: cycles of a warp for each instruction, in this wave and in the whole
// launch, estimated and measured.
void states_table(const Context& context, const workspace::ShownSm& sm);

// The clocks of a wave by the number of blocks at once. In a lecture as high as the room allows.
void latency_curve(const Context& context, const workspace::ShownSm& sm);

}  // namespace tilestep::ui
