// A finished frame as an SVG: text as text, cells as rectangles, everything else as paths.
//
// The picture is made from Dear ImGui's draw lists, in their order and with their clip rectangles.
// Edges that these smooth with a fringe, a line texture or a corner texture become sharp edges in
// the middle of the smoothing; a viewer smooths them at its own scale. Images (ImGui::Image) are
// left out.
#pragma once

#include "platform/svg_path.h"

#include <imgui.h>

#include <filesystem>
#include <string>

namespace tilestep::platform {

// `area`: the part of the window, in window pixels; without limits the whole window. `ground` is
// the background. The draw data must be those of the latest frame, in which the font atlas did not
// grow: call it when the layout is stable.
[[nodiscard]] std::string svg_of(const ImDrawData& data, const ImVec4& ground,
                                 const SvgRect& area = {});

void write_svg(const std::string& svg, const std::filesystem::path& file);  // throws PlatformError

}  // namespace tilestep::platform
