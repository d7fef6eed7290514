// What the triangles of a draw list show where they show no text: their visible part without the
// smoothing of edges, and what it is painted with.
#pragma once

#include "platform/svg_path.h"

#include <imgui.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace tilestep::platform {

// One colour, or a run from one to another between two points.
struct SvgPaint {
  ImU32 colour = 0;
  struct Gradient {
    SvgPoint from;
    SvgPoint to;
    ImU32 end = 0;
    bool operator==(const Gradient& other) const;
  };
  std::optional<Gradient> gradient;

  bool operator==(const SvgPaint&) const = default;
};

struct SvgPiece {
  SvgPaint paint;
  SvgPolygon polygon;  // empty: nothing to be seen
  SvgPolygon hole;     // of the polygon
};

// Where the atlas keeps its white pixel, and the textures that smooth lines and corners.
class SvgTriangles {
 public:
  explicit SvgTriangles(const ImFontAtlas& atlas) : atlas_(atlas) {}
  [[nodiscard]] SvgPiece piece(const std::array<ImDrawVert, 3>& triangle) const;

 private:
  [[nodiscard]] bool cut_line(const std::array<ImDrawVert, 3>& triangle, SvgPiece& piece) const;
  [[nodiscard]] bool cut_corner(const std::array<ImDrawVert, 3>& triangle, SvgPiece& piece) const;

  const ImFontAtlas& atlas_;
};

}  // namespace tilestep::platform
