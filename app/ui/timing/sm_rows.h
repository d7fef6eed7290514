// The warps of an SM as rows over clocks, for the page of one SM.
#pragma once

#include "ui/panel.h"
#include "workspace/shown_sm.h"

#include <imgui.h>

#include <cstdint>
#include <string>

namespace tilestep::ui {

[[nodiscard]] ImU32 state_colour(const Theme& theme, clock::WarpState state);

// The part of a run on screen. Precondition: run.clocks > 0.
struct ClockRange {
  std::int64_t first = 0;
  std::int64_t clocks = 1;
};
[[nodiscard]] ClockRange shown_clocks(const state::SmView& view, const clock::SmRun& run);

// `view` with the `clocks` from `first` on screen, both within the run.
[[nodiscard]] state::SmView with_clocks(state::SmView view, const clock::SmRun& run, double first,
                                        double clocks);

// Fills the rectangle: the warps, the four schedulers, the data stage, the axis. Returns commands
// that zoom, move and choose an instruction.
[[nodiscard]] Commands draw_sm_rows(const Context& context, const workspace::ShownSm& sm,
                                    ImVec2 from, ImVec2 to);

}  // namespace tilestep::ui
