// Pan and zoom: what the mouse does to AppState::camera, and what that means in pixels.
//
// Camera::zoom is the height of a number of A in heights of a line of text, so that it survives
// another window and another text size; x and y are the world point in the middle of the stage. 0:
// fit.
#pragma once

#include "state/app_state.h"
#include "ui/stage/geometry.h"

namespace tilestep::ui {

struct StageArea {
  ImVec2 from;  // window pixels
  ImVec2 size;
  float font = 18.0F;
};

[[nodiscard]] StageView view_of(const state::Camera& camera, const Arrangement& arrangement,
                                const StageArea& area);
// The camera that shows what `view` shows.
[[nodiscard]] state::Camera camera_of(const StageView& view, const StageArea& area);

// `steps` notches of the wheel at a pixel, which keeps its world point. Zooming out to where
// everything fits gives the fitting camera.
[[nodiscard]] state::Camera zoomed(const StageView& view, const Arrangement& arrangement,
                                   const StageArea& area, ImVec2 pixel, float steps);
[[nodiscard]] state::Camera panned(const StageView& view, const StageArea& area, ImVec2 by);

}  // namespace tilestep::ui
