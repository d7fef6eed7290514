// A finished frame as an SVG: text as text, cells as rectangles, everything else as paths.
//
// The picture is read off Dear ImGui's draw lists, in their order and with their clip rectangles.
// Edges that they smooth with a fringe, a line texture or a corner texture leave as the sharp edges
// in the middle of the smoothing; a viewer smooths them at its own scale. Pictures (ImGui::Image)
// are left out.
#pragma once

#include "platform/svg_path.h"

#include <imgui.h>

#include <filesystem>
#include <string>

namespace tilestep::platform {

// `area`: what of the window is in the picture, window pixels; without limits all of it. `ground`
// lies behind everything. The draw data are those of the frame rendered last, in a frame in which
// the font atlas did not grow: a window at rest.
[[nodiscard]] std::string svg_of(const ImDrawData& data, const ImVec4& ground,
                                 const SvgRect& area = {});

void write_svg(const std::string& svg, const std::filesystem::path& file);  // throws PlatformError

}  // namespace tilestep::platform
