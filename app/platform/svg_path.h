// Outlines of an SVG: convex polygons, clipped by half-planes, combined to one path. Shared edges
// of two polygons cancel out, so a fan of triangles becomes the outline that it was made from.
#pragma once

#include <imgui.h>

#include <array>
#include <compare>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilestep::platform {

struct SvgPoint {
  double x = 0.0;
  double y = 0.0;
};
using SvgPolygon = std::vector<SvgPoint>;

// The defaults are unlimited.
struct SvgRect {
  double left = -std::numeric_limits<double>::infinity();
  double top = -std::numeric_limits<double>::infinity();
  double right = std::numeric_limits<double>::infinity();
  double bottom = std::numeric_limits<double>::infinity();

  auto operator<=>(const SvgRect&) const = default;
};

// The half-plane a·x + b·y + c ≥ 0.
struct HalfPlane {
  double a = 0.0;
  double b = 0.0;
  double c = 0.0;

  [[nodiscard]] double at(SvgPoint p) const { return a * p.x + b * p.y + c; }
};

// The part of a convex polygon inside `keep`; may be empty.
[[nodiscard]] SvgPolygon cut(const SvgPolygon& polygon, const HalfPlane& keep);
// Twice the area; the sign shows the orientation.
[[nodiscard]] double twice_area(const SvgPolygon& polygon);

// A number for an attribute: hundredths of a pixel, without trailing zeros.
[[nodiscard]] std::string svg_number(double value);
// The attribute `fill="#rrggbb"`, and `fill-opacity` if the color is translucent.
[[nodiscard]] std::string svg_fill(ImU32 colour);
[[nodiscard]] std::string svg_stroke(ImU32 colour);
[[nodiscard]] std::string svg_stop(ImU32 colour);  // of a gradient

class SvgOutline {
 public:
  // The polygon's orientation does not matter. A hole subtracts what was added once.
  void add(const SvgPolygon& polygon, bool hole = false);
  [[nodiscard]] bool empty() const { return edges_.empty(); }
  // Path data for the fill rule "nonzero".
  [[nodiscard]] std::string path() const;

 private:
  using Grid = std::pair<int, int>;  // hundredths of a pixel

  // Edges from the smaller to the larger point: the number in this direction minus the number in
  // the other.
  std::map<std::pair<Grid, Grid>, int> edges_;
};

// The visible part of a draw list's triangles other than text, without the smoothing of edges, and
// its paint.

// One color, or a gradient between two points.
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

// The visible part of one triangle, with its paint.
struct SvgPiece {
  SvgPaint paint;
  SvgPolygon polygon;  // empty: invisible
  SvgPolygon hole;     // inside the polygon
};

// Knows the atlas's white pixel, and the textures that smooth lines and corners.
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
