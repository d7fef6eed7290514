// Zoomed in: all of the stage, small, and a frame around what of it is seen. A click or a drag
// there takes the view along.
#pragma once

#include "ui/stage/camera.h"
#include "ui/stage/paint.h"

#include <optional>
#include <vector>

namespace tilestep::ui {

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
