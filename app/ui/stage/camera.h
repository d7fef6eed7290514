// Pan and zoom: the mouse's effect on AppState::camera, and its meaning in pixels.
//
// Camera::zoom is the height of a number of A in lines of text, so that it is independent of window
// and text size; x and y are the world point at the stage's center. 0: fit.
#pragma once

#include "state/app_state.h"
#include "ui/stage/geometry.h"
#include "ui/stage/paint.h"

#include <optional>
#include <vector>

namespace tilestep::ui {

// The box of the stage in the window.
struct StageArea {
  ImVec2 from;  // window pixels
  ImVec2 size;
  float font = 18.0F;
};

[[nodiscard]] StageView view_of(const state::Camera& camera, const Arrangement& arrangement,
                                const StageArea& area);

// `steps` wheel notches at a pixel, whose world point stays there. Zooming out until everything
// fits gives the fitting camera.
[[nodiscard]] state::Camera zoomed(const StageView& view, const Arrangement& arrangement,
                                   const StageArea& area, ImVec2 pixel, float steps);
[[nodiscard]] state::Camera panned(const StageView& view, const StageArea& area, ImVec2 by);

// The overview when zoomed in: the whole stage, small, and a frame around the visible part.
// Clicking or dragging there moves the view.

// The overview's box in window pixels; nullopt if the whole stage is visible, or if it would cover
// too much.
[[nodiscard]] std::optional<Box> overview_box(const Arrangement& arrangement, const StageView& view,
                                              const StageArea& area);
// The camera centered at `pixel` of the overview.
[[nodiscard]] state::Camera look_at(const Arrangement& arrangement, const StageView& view,
                                    const StageArea& area, const Box& overview, ImVec2 pixel);

// `instances`: scratch memory, kept across frames.
void paint_overview(const StagePicture& picture, const Box& overview,
                    std::vector<CellInstance>& instances);

}  // namespace tilestep::ui
