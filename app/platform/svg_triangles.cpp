#include "platform/svg_triangles.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace tilestep::platform {
namespace {

using Triangle = std::array<ImDrawVert, 3>;

constexpr double kSliver = 1e-5;  // twice the area of a triangle that shows nothing, square pixels
// A fringe is a pixel wide, at a mitre a little more; a run of colours that is meant is wider.
constexpr double kWidestFringe = 2.5;
constexpr int kCornerPlanes = 12;  // that a quarter of a circle is cut with

ImU32 alpha(ImU32 colour) {
  return colour >> IM_COL32_A_SHIFT;
}

// The plane through three values at the triangle's corners.
HalfPlane plane(const Triangle& t, double v0, double v1, double v2) {
  const double x1 = t[1].pos.x - t[0].pos.x;
  const double y1 = t[1].pos.y - t[0].pos.y;
  const double x2 = t[2].pos.x - t[0].pos.x;
  const double y2 = t[2].pos.y - t[0].pos.y;
  const double determinant = x1 * y2 - x2 * y1;
  HalfPlane found;
  found.a = ((v1 - v0) * y2 - (v2 - v0) * y1) / determinant;
  found.b = ((v2 - v0) * x1 - (v1 - v0) * x2) / determinant;
  found.c = v0 - found.a * t[0].pos.x - found.b * t[0].pos.y;
  return found;
}

// Where factor · f + constant ≥ 0.
HalfPlane scaled(const HalfPlane& f, double factor, double constant) {
  return {f.a * factor, f.b * factor, f.c * factor + constant};
}

HalfPlane sum(const HalfPlane& f, const HalfPlane& g) {
  return {f.a + g.a, f.b + g.b, f.c + g.c};
}

ImU32 mean(const Triangle& t) {
  ImU32 colour = 0;
  for (const unsigned shift : {0U, 8U, 16U, 24U}) {
    ImU32 total = 0;
    for (const ImDrawVert& v : t) {
      total += v.col >> shift & 0xffU;
    }
    colour |= total / 3 << shift;
  }
  return colour;
}

// The corners do not have one colour: a smoothed edge, or a run of colours that is meant.
void paint_run(const Triangle& t, SvgPiece& piece) {
  const auto [low, high] = std::minmax_element(
      t.begin(), t.end(),
      [](const ImDrawVert& a, const ImDrawVert& b) { return alpha(a.col) < alpha(b.col); });
  const ImU32 from = low->col;
  const ImU32 to = low != high ? high->col : (t[1].col != from ? t[1].col : t[2].col);
  const auto part = [&](const ImDrawVert& v) { return v.col == to ? 1.0 : 0.0; };
  const bool two = std::all_of(t.begin(), t.end(),
                               [&](const ImDrawVert& v) { return v.col == from || v.col == to; });
  if (!two) {
    piece.paint.colour = mean(t);
    return;
  }
  const HalfPlane run = plane(t, part(t[0]), part(t[1]), part(t[2]));
  const double steepness = run.a * run.a + run.b * run.b;
  const ImU32 transparent = to & ~IM_COL32_A_MASK;
  if (from == transparent && steepness * kWidestFringe * kWidestFringe > 1.0) {
    piece.paint.colour = to;
    piece.polygon = cut(piece.polygon, scaled(run, 1.0, -0.5));
    return;
  }
  const auto at = [&](double value) {
    const double share = (value - run.c) / steepness;
    return SvgPoint{run.a * share, run.b * share};
  };
  piece.paint.colour = from;
  piece.paint.gradient = SvgPaint::Gradient{at(0.0), at(1.0), to};
}

bool is_fraction_of(float value, float a, float b) {
  constexpr float kClose = 1e-6F;
  return std::abs(value - a) < kClose || std::abs(value - b) < kClose;
}

// The part of a corner texture within a rounded corner; `x` and `y` are its texels from the outer
// corner, the circle has its centre at `centre` in both.
SvgPolygon within(SvgPolygon polygon, const HalfPlane& x, const HalfPlane& y, double centre,
                  double radius) {
  for (int i = 0; i <= kCornerPlanes; ++i) {
    const double angle = std::acos(0.0) * i / kCornerPlanes;
    const double c = std::cos(angle);
    const double s = std::sin(angle);
    constexpr double kTexelOfTolerance = 1e-3;
    polygon = cut(polygon, sum(scaled(x, c, radius - centre * c + kTexelOfTolerance),
                               scaled(y, s, -centre * s)));
  }
  return polygon;
}

}  // namespace

bool SvgPaint::Gradient::operator==(const Gradient& other) const {
  const auto near = [](SvgPoint a, SvgPoint b) { return std::hypot(a.x - b.x, a.y - b.y) < 0.01; };
  return near(from, other.from) && near(to, other.to) && end == other.end;
}

bool SvgTriangles::cut_line(const Triangle& triangle, SvgPiece& piece) const {
  const float row = triangle[0].uv.y;
  if (triangle[1].uv.y != row || triangle[2].uv.y != row) {
    return false;
  }
  // u0, u1, v, 1 / thickness; the smoothing takes half a pixel on each side.
  const std::span lines(atlas_.Builder->TexUvLines);
  const auto line =
      std::find_if(lines.begin(), lines.end(), [row](const ImVec4& l) { return l.z == row; });
  if (line == lines.end() || !(line->w > 0.0F)) {
    return false;
  }
  const auto across = [&line](const ImDrawVert& v) {
    return (v.uv.x - line->x) / (line->y - line->x);
  };
  const HalfPlane part =
      plane(triangle, across(triangle[0]), across(triangle[1]), across(triangle[2]));
  const double margin = 0.5 / (1.0 / line->w + 1.0);
  piece.polygon =
      cut(cut(piece.polygon, scaled(part, 1.0, -margin)), scaled(part, -1.0, 1.0 - margin));
  return true;
}

bool SvgTriangles::cut_corner(const Triangle& triangle, SvgPiece& piece) const {
  const std::span corners(atlas_.Builder->TexUvCorners);
  const auto found = std::find_if(corners.begin(), corners.end(), [&](const ImVec4& c) {
    return std::all_of(triangle.begin(), triangle.end(), [&](const ImDrawVert& v) {
      return is_fraction_of(v.uv.x, c.x, c.z) && is_fraction_of(v.uv.y, c.y, c.w);
    });
  });
  if (found == corners.end()) {
    return false;
  }
  const auto index = static_cast<int>(found - corners.begin());
  const int thickness = index / IM_DRAWLIST_TEX_CORNERS_ROUNDING_MAX;  // 0: filled
  const int radius = index % IM_DRAWLIST_TEX_CORNERS_ROUNDING_MAX + 1;
  const auto texel = [](float at, float first, float scale) { return (at - first) / scale; };
  const ImVec2 scale = atlas_.TexUvScale;
  const auto x = [&](int i) {
    return texel(triangle[static_cast<std::size_t>(i)].uv.x, found->x, scale.x);
  };
  const auto y = [&](int i) {
    return texel(triangle[static_cast<std::size_t>(i)].uv.y, found->y, scale.y);
  };
  const HalfPlane across = plane(triangle, x(0), x(1), x(2));
  const HalfPlane downwards = plane(triangle, y(0), y(1), y(2));
  piece.polygon = within(piece.polygon, across, downwards, radius, radius);
  if (thickness > 0) {
    piece.hole = within(piece.polygon, across, downwards, radius, radius - thickness);
  }
  return true;
}

SvgPiece SvgTriangles::piece(const Triangle& triangle) const {
  SvgPiece piece;
  piece.polygon = {{triangle[0].pos.x, triangle[0].pos.y},
                   {triangle[1].pos.x, triangle[1].pos.y},
                   {triangle[2].pos.x, triangle[2].pos.y}};
  const bool clear = std::all_of(triangle.begin(), triangle.end(),
                                 [](const ImDrawVert& v) { return alpha(v.col) == 0; });
  if (clear || !(std::abs(twice_area(piece.polygon)) > kSliver)) {
    piece.polygon.clear();
    return piece;
  }
  const ImVec2 white = atlas_.TexUvWhitePixel;
  const bool plain = std::all_of(triangle.begin(), triangle.end(), [&white](const ImDrawVert& v) {
    return v.uv.x == white.x && v.uv.y == white.y;
  });
  if (!plain && !cut_line(triangle, piece) && !cut_corner(triangle, piece)) {
    piece.polygon.clear();
    return piece;
  }
  piece.paint.colour = triangle[0].col;
  if (triangle[1].col != triangle[0].col || triangle[2].col != triangle[0].col) {
    paint_run(triangle, piece);
  }
  return piece;
}

}  // namespace tilestep::platform
