// The warps of an SM as rows over clocks, for the page of one SM.
#pragma once

#include "simt/state/event.h"
#include "ui/panel.h"
#include "ui/timing/clock_axis.h"
#include "workspace/shown_sm.h"

#include <imgui.h>

#include <cstdint>
#include <memory>

namespace tilestep::ui {

[[nodiscard]] ImU32 state_colour(const Theme& theme, clock::WarpState state);

// The warp of the focus thread.
[[nodiscard]] simt::WarpId focus_warp(const Context& context);

// The rows of one of two launches on one axis of clocks.
struct SmRows {
  const std::shared_ptr<const workspace::ShownSm>& sm;
  std::int64_t all = 1;  // clocks of the axis
  int number = 0;        // 0: the kernel on the stage, 1: the one that it is compared with
};

// Fills the rectangle: the warps, the four schedulers, the data stage, the axis, and the place of
// the stage if the frame has it. Returns commands that zoom, move, choose an instruction and seek.
[[nodiscard]] Commands draw_sm_rows(const Context& context, const SmRows& rows, ImVec2 from,
                                    ImVec2 to);

}  // namespace tilestep::ui
