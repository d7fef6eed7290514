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
  std::int64_t all = 1;   // clocks of the axis
  int number = 0;         // 0: the kernel on the stage, 1: the one that it is compared with
  bool has_lanes = true;  // the schedulers and the data stage; both launches have them, or neither
};

// Rows of this height, in pixels, leave room for the lanes.
[[nodiscard]] bool has_room_for_lanes(const Context& context, float height);

// Height of a state's band, as a share of its row, whose height is in pixels: without colors,
// heights distinguish states. A low row is filled.
[[nodiscard]] float share_of_row(clock::WarpState state, float row);
// Height of the strip of issues at the top of a row, in pixels; 0: the row is too low for one.
[[nodiscard]] float issue_strip(float row);

// Fills the rectangle: the warps, the lanes, the axis, and the place of the stage if the frame has
// it. Returns commands that zoom, move, choose an instruction and seek.
[[nodiscard]] Commands draw_sm_rows(const Context& context, const SmRows& rows, ImVec2 from,
                                    ImVec2 to);

}  // namespace tilestep::ui
