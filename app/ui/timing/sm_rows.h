// The warps of an SM as rows over clocks, for the page of one SM.
#pragma once

#include "simt/state/event.h"
#include "ui/panel.h"
#include "workspace/shown_sm.h"

#include <imgui.h>

#include <cstdint>
#include <memory>

namespace tilestep::ui {

[[nodiscard]] ImU32 state_colour(const Theme& theme, clock::WarpState state);

// The part of an axis of clocks on screen; the axis has `all` clocks, at least 1.
struct ClockRange {
  std::int64_t first = 0;
  std::int64_t clocks = 1;
};
[[nodiscard]] ClockRange shown_clocks(const state::SmView& view, std::int64_t all);

// `view` with the `clocks` from `first` on screen, both within the axis.
[[nodiscard]] state::SmView with_clocks(state::SmView view, std::int64_t all, double first,
                                        double clocks);

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
