#include "platform/svg_path.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tilestep::platform {
namespace {

constexpr double kGrid = 100.0;  // grid points per pixel

using GridPoint = std::pair<int, int>;
using Loop = std::vector<GridPoint>;

GridPoint on_grid(SvgPoint p) {
  return {static_cast<int>(std::lround(p.x * kGrid)), static_cast<int>(std::lround(p.y * kGrid))};
}

std::string grid_number(int hundredths) {
  return svg_number(hundredths / kGrid);
}

// Whether b is on the line from a to c.
bool says_nothing(GridPoint a, GridPoint b, GridPoint c) {
  const std::int64_t x1 = b.first - a.first;
  const std::int64_t y1 = b.second - a.second;
  const std::int64_t x2 = c.first - b.first;
  const std::int64_t y2 = c.second - b.second;
  return x1 * y2 == x2 * y1 && x1 * x2 + y1 * y2 >= 0;
}

Loop without_idle_points(const Loop& loop) {
  Loop kept;
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const GridPoint before = kept.empty() ? loop.back() : kept.back();
    if (!says_nothing(before, loop[i], loop[(i + 1) % loop.size()])) {
      kept.push_back(loop[i]);
    }
  }
  return kept;
}

void append_loop(std::string& path, const Loop& loop) {
  GridPoint at = loop.front();
  path += fmt::format("M{},{}", grid_number(at.first), grid_number(at.second));
  for (std::size_t i = 1; i < loop.size(); ++i) {
    const GridPoint to = loop[i];
    if (to.second == at.second) {
      path += "H" + grid_number(to.first);
    } else if (to.first == at.first) {
      path += "V" + grid_number(to.second);
    } else {
      path += fmt::format("L{},{}", grid_number(to.first), grid_number(to.second));
    }
    at = to;
  }
  path += 'Z';
}

std::string colour_attributes(const char* name, const char* opacity, ImU32 colour) {
  const auto channel = [colour](int shift) {
    return (colour >> static_cast<unsigned>(shift)) & 0xffU;
  };
  std::string text = fmt::format("{}=\"#{:02x}{:02x}{:02x}\"", name, channel(IM_COL32_R_SHIFT),
                                 channel(IM_COL32_G_SHIFT), channel(IM_COL32_B_SHIFT));
  if (const ImU32 alpha = channel(IM_COL32_A_SHIFT); alpha != 255) {
    text += fmt::format(" {}-opacity=\"{:.3g}\"", opacity, alpha / 255.0);
  }
  return text;
}

using Triangle = std::array<ImDrawVert, 3>;

constexpr double kSliver = 1e-5;  // twice the area of an invisible triangle, in square pixels
// A fringe is a pixel wide, at a miter a little more; an intended gradient is wider.
constexpr double kWidestFringe = 2.5;
constexpr int kCornerPlanes = 12;  // cutting planes per quarter circle

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

// The half-plane factor · f + constant ≥ 0.
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

// The corners have different colors: a smoothed edge, or an intended gradient.
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

// The part of a corner texture inside a rounded corner; `x` and `y` are its texels from the outer
// corner; the circle's center is `centre` in both.
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

SvgPolygon cut(const SvgPolygon& polygon, const HalfPlane& keep) {
  SvgPolygon kept;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const SvgPoint from = polygon[i];
    const SvgPoint to = polygon[(i + 1) % polygon.size()];
    const double f = keep.at(from);
    const double t = keep.at(to);
    if (f >= 0.0) {
      kept.push_back(from);
    }
    if ((f < 0.0) != (t < 0.0)) {
      const double share = f / (f - t);
      kept.push_back({from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share});
    }
  }
  return kept;
}

double twice_area(const SvgPolygon& polygon) {
  double area = 0.0;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const SvgPoint& a = polygon[i];
    const SvgPoint& b = polygon[(i + 1) % polygon.size()];
    area += a.x * b.y - b.x * a.y;
  }
  return area;
}

std::string svg_number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') {
    text.pop_back();
  }
  return text == "-0" ? "0" : text;
}

std::string svg_fill(ImU32 colour) {
  return colour_attributes("fill", "fill", colour);
}

std::string svg_stroke(ImU32 colour) {
  return colour_attributes("stroke", "stroke", colour);
}

std::string svg_stop(ImU32 colour) {
  return colour_attributes("stop-color", "stop", colour);
}

void SvgOutline::add(const SvgPolygon& polygon, bool hole) {
  const bool turned = (twice_area(polygon) < 0.0) != hole;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    Grid from = on_grid(polygon[i]);
    Grid to = on_grid(polygon[(i + 1) % polygon.size()]);
    if (from == to) {
      continue;
    }
    if (turned) {
      std::swap(from, to);
    }
    const bool forwards = from < to;
    const auto edge = forwards ? std::pair{from, to} : std::pair{to, from};
    const auto at = edges_.try_emplace(edge, 0).first;
    at->second += forwards ? 1 : -1;
    if (at->second == 0) {
      edges_.erase(at);
    }
  }
}

std::string SvgOutline::path() const {
  std::map<Grid, std::vector<Grid>> ways;
  for (const auto& [edge, count] : edges_) {
    const auto& [from, to] = count > 0 ? edge : std::pair{edge.second, edge.first};
    ways[from].insert(ways[from].end(), static_cast<std::size_t>(std::abs(count)), to);
  }
  std::string path;
  // As many edges end in a point as begin there, so every walk returns to its start.
  for (auto& [start, open] : ways) {
    while (!open.empty()) {
      Loop loop;
      Grid at = start;
      do {
        loop.push_back(at);
        std::vector<Grid>& next = ways.at(at);
        at = next.back();
        next.pop_back();
      } while (at != start);
      loop = without_idle_points(loop);
      if (loop.size() > 2) {
        append_loop(path, loop);
      }
    }
  }
  return path;
}

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
