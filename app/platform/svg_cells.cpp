#include "platform/svg_cells.h"

#include "platform/svg_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tilestep::platform {
namespace {

using ui::CellInstance;

bool is_visible(ImU32 colour) {
  return (colour >> IM_COL32_A_SHIFT) != 0;
}

// The cell's rectangle, `inset` smaller on each side.
std::string frame(const CellInstance& cell, float inset) {
  const float radius = std::min({cell.radius, cell.w * 0.5F, cell.h * 0.5F}) - inset;
  std::string text =
      fmt::format("x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", svg_number(cell.x + inset),
                  svg_number(cell.y + inset), svg_number(std::max(0.0F, cell.w - 2.0F * inset)),
                  svg_number(std::max(0.0F, cell.h - 2.0F * inset)));
  return radius > 0.0F ? text + fmt::format(" rx=\"{}\"", svg_number(radius)) : text;
}

// Stripes across x + y = n · period.
std::string hatch(const CellInstance& cell) {
  const float size = std::min(cell.w, cell.h);
  const double period = std::clamp(size * 0.24F, 4.0F, 12.0F);
  const double half_width = std::clamp(size * 0.035F, 0.6F, 1.4F);
  const SvgPolygon box{{cell.x, cell.y},
                       {cell.x + cell.w, cell.y},
                       {cell.x + cell.w, cell.y + cell.h},
                       {cell.x, cell.y + cell.h}};
  const double corner = cell.x + cell.y;
  SvgOutline stripes;
  for (double at = 0.0; at - half_width < cell.w + cell.h; at += period) {
    stripes.add(cut(cut(box, {1.0, 1.0, half_width - at - corner}),
                    {-1.0, -1.0, corner + at + half_width}));
  }
  return stripes.path();
}

std::string cut_corner(const CellInstance& cell) {
  const float size = std::min(cell.w, cell.h);
  const float legs = std::clamp(size * 0.30F, 3.0F, 16.0F);
  const float radius = std::min({cell.radius, size * 0.5F, legs});
  const float right = cell.x + cell.w;
  return fmt::format("M{0},{1}H{2}A{3},{3} 0 0 1 {4},{5}V{6}Z", svg_number(right - legs),
                     svg_number(cell.y), svg_number(right - radius), svg_number(radius),
                     svg_number(right), svg_number(cell.y + radius), svg_number(cell.y + legs));
}

std::string marks(const CellInstance& cell) {
  std::string path;
  if ((cell.marks & ui::mark::kHatched) != 0) {
    path += hatch(cell);
  }
  if ((cell.marks & ui::mark::kCut) != 0) {
    path += cut_corner(cell);
  }
  return path.empty() || !is_visible(cell.mark_colour)
             ? std::string()
             : fmt::format("<path d=\"{}\" {}/>\n", path, svg_fill(cell.mark_colour));
}

std::string stroke(const CellInstance& cell) {
  return fmt::format("{} stroke-width=\"{}\"", svg_stroke(cell.border),
                     svg_number(cell.border_width));
}

// Eight times from the middle of a side to the middle of a corner, because a dash pattern begins
// anew with each: as in the shader, the middle of every side is free.
std::string dashed_border(const CellInstance& cell) {
  const float inset = cell.border_width * 0.5F;
  const float half_width = cell.w * 0.5F - inset;
  const float half_height = cell.h * 0.5F - inset;
  const float radius = std::max(0.0F, std::min({cell.radius - inset, half_width, half_height}));
  const float to_diagonal = radius * (1.0F - std::sqrt(0.5F));
  const SvgPoint middle{cell.x + cell.w * 0.5F, cell.y + cell.h * 0.5F};
  std::string path;
  const auto half_side = [&](SvgPoint side, SvgPoint along, float length, float depth) {
    const auto point = [&](double ahead, double outwards) {
      return svg_number(middle.x + along.x * ahead + side.x * outwards) + "," +
             svg_number(middle.y + along.y * ahead + side.y * outwards);
    };
    const bool clockwise = side.x * along.y - side.y * along.x > 0.0;
    path += "M" + point(0.0, depth) + "L" + point(length - radius, depth);
    path += fmt::format("A{0},{0} 0 0 {1} {2}", svg_number(radius), clockwise ? 1 : 0,
                        point(length - to_diagonal, depth - to_diagonal));
  };
  for (const double sign : {-1.0, 1.0}) {
    for (const double way : {-1.0, 1.0}) {
      half_side({0.0, sign}, {way, 0.0}, half_width, half_height);
      half_side({sign, 0.0}, {0.0, way}, half_height, half_width);
    }
  }
  const float period = std::clamp(cell.border_width * 5.0F, 5.0F, 14.0F);
  return fmt::format(
      "<path d=\"{}\" fill=\"none\" {} stroke-dasharray=\"{} {}\" stroke-dashoffset=\"{}\"/>\n",
      path, stroke(cell), svg_number(0.6F * period), svg_number(0.4F * period),
      svg_number(0.8F * period));
}

}  // namespace

void append_cell(std::string& svg, const CellInstance& cell) {
  const std::string fill = is_visible(cell.fill) ? svg_fill(cell.fill) : "fill=\"none\"";
  const bool bordered = cell.border_width > 0.0F && is_visible(cell.border);
  const bool dashed = (cell.marks & ui::mark::kDashed) != 0;
  const std::string inside = marks(cell);
  const float inset = cell.border_width * 0.5F;
  // A stroke of the same rectangle would cover the half of itself that the fill does not reach.
  const bool opaque = (cell.border >> IM_COL32_A_SHIFT) == 255 || !is_visible(cell.fill);
  if (bordered && !dashed && opaque && inside.empty()) {
    svg += fmt::format("<rect class=\"cell\" {} {} {}/>\n", frame(cell, inset), fill, stroke(cell));
    return;
  }
  svg += fmt::format("<rect class=\"cell\" {} {}/>\n{}", frame(cell, 0.0F), fill, inside);
  if (bordered && dashed) {
    svg += dashed_border(cell);
  } else if (bordered) {
    svg += fmt::format("<rect {} fill=\"none\" {}/>\n", frame(cell, inset), stroke(cell));
  }
}

}  // namespace tilestep::platform
