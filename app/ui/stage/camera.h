// Pan and zoom: what the mouse does to AppState::camera, and what that means in pixels.
//
// Camera::zoom is the height of a number of A in heights of a line of text, so that it survives
// another window and another text size; x and y are the world point in the middle of the stage. 0:
// fit.
#pragma once

#include "state/app_state.h"
#include "ui/stage/geometry.h"
#include "ui/stage/paint.h"

#include <optional>
#include <vector>

namespace tilestep::ui {

struct StageArea {
  ImVec2 from;  // window pixels
  ImVec2 size;
  float font = 18.0F;
};

[[nodiscard]] StageView view_of(const state::Camera& camera, const Arrangement& arrangement,
                                const StageArea& area);

// `steps` notches of the wheel at a pixel, which keeps its world point. Zooming out to where
// everything fits gives the fitting camera.
[[nodiscard]] state::Camera zoomed(const StageView& view, const Arrangement& arrangement,
                                   const StageArea& area, ImVec2 pixel, float steps);
[[nodiscard]] state::Camera panned(const StageView& view, const StageArea& area, ImVec2 by);

// Zoomed in: all of the stage, small, and a frame around what of it is seen. A click or a drag
// there takes the view along.

// In window pixels; nothing where all of the stage is seen, and where it would cover too much.
[[nodiscard]] std::optional<Box> overview_box(const Arrangement& arrangement, const StageView& view,
                                              const StageArea& area);
// The camera whose middle is what lies at `pixel` of the overview.
[[nodiscard]] state::Camera look_at(const Arrangement& arrangement, const StageView& view,
                                    const StageArea& area, const Box& overview, ImVec2 pixel);

// `instances`: scratch, kept from frame to frame.
void paint_overview(const StagePicture& picture, const Box& overview,
                    std::vector<CellInstance>& instances);

}  // namespace tilestep::ui
