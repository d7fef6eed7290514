// Outlines of an SVG: convex polygons, cut by half-planes, added up to one path. The edges that two
// polygons share cancel out, so a fan of triangles leaves as the outline that it was made from.
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

// Without limits where nothing is said.
struct SvgRect {
  double left = -std::numeric_limits<double>::infinity();
  double top = -std::numeric_limits<double>::infinity();
  double right = std::numeric_limits<double>::infinity();
  double bottom = std::numeric_limits<double>::infinity();

  auto operator<=>(const SvgRect&) const = default;
};

// Where a·x + b·y + c ≥ 0.
struct HalfPlane {
  double a = 0.0;
  double b = 0.0;
  double c = 0.0;

  [[nodiscard]] double at(SvgPoint p) const { return a * p.x + b * p.y + c; }
};

// What is left of a convex polygon; empty where nothing is.
[[nodiscard]] SvgPolygon cut(const SvgPolygon& polygon, const HalfPlane& keep);
// Twice the area; positive for one of the two ways round.
[[nodiscard]] double twice_area(const SvgPolygon& polygon);

// A number for an attribute: hundredths of a pixel, no digits that say nothing.
[[nodiscard]] std::string svg_number(double value);
// Attributes `fill="#rrggbb"`, and `fill-opacity` where the colour is translucent.
[[nodiscard]] std::string svg_fill(ImU32 colour);
[[nodiscard]] std::string svg_stroke(ImU32 colour);
[[nodiscard]] std::string svg_stop(ImU32 colour);  // of a gradient

class SvgOutline {
 public:
  // The polygon's direction does not matter. A hole takes away what was added once.
  void add(const SvgPolygon& polygon, bool hole = false);
  [[nodiscard]] bool empty() const { return edges_.empty(); }
  // Path data for the fill rule "nonzero".
  [[nodiscard]] std::string path() const;

 private:
  using Grid = std::pair<int, int>;  // hundredths of a pixel

  // From the smaller point to the larger: how often, less how often backwards.
  std::map<std::pair<Grid, Grid>, int> edges_;
};

// What the triangles of a draw list show where they show no text: their visible part without the
// smoothing of edges, and what it is painted with.

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
