#include "platform/svg_path.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace tilestep::platform {
namespace {

constexpr double kGrid = 100.0;  // points of the grid a pixel

using GridPoint = std::pair<int, int>;
using Loop = std::vector<GridPoint>;

GridPoint on_grid(SvgPoint p) {
  return {static_cast<int>(std::lround(p.x * kGrid)), static_cast<int>(std::lround(p.y * kGrid))};
}

std::string grid_number(int hundredths) {
  return svg_number(hundredths / kGrid);
}

// Whether b lies on the way from a to c.
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
  // As many edges end in a point as begin there, so every walk comes back to where it began.
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

}  // namespace tilestep::platform
