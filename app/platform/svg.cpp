#include "platform/svg.h"

#include "platform/error.h"
#include "platform/gl.h"
#include "platform/svg_path.h"
#include "platform/svg_text.h"
#include "problem/file.h"
#include "ui/panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

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

// Stripes along x + y = n · period.
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

// Eight paths from the middle of a side to the middle of a corner, because a dash pattern starts
// over with each: as in the shader, the middle of every side is a gap.
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

// One <rect class="cell">, and the elements of its marks.
void append_cell(std::string& svg, const CellInstance& cell) {
  const std::string fill = is_visible(cell.fill) ? svg_fill(cell.fill) : "fill=\"none\"";
  const bool bordered = cell.border_width > 0.0F && is_visible(cell.border);
  const bool dashed = (cell.marks & ui::mark::kDashed) != 0;
  const std::string inside = marks(cell);
  const float inset = cell.border_width * 0.5F;
  // A stroke of the same rectangle would cover the half of itself beyond the fill.
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

// Icons: other programs have no glyphs for them.
bool is_private(ImWchar character) {
  return character >= 0xE000 && character <= 0xF8FF;
}

SvgRect common(const SvgRect& a, const SvgRect& b) {
  return {std::max(a.left, b.left), std::max(a.top, b.top), std::min(a.right, b.right),
          std::min(a.bottom, b.bottom)};
}

SvgRect to_rect(const ImVec4& r) {
  return {r.x, r.y, r.z, r.w};
}

// Overlapping translucent shapes must stay separate: merged, the overlap would not be darker.
class Overlap {
 public:
  // Whether the polygon overlaps a shape other than its own; if not, it is added.
  bool covers(const SvgPolygon& polygon, bool begins_shape) {
    constexpr double kTouching = 0.02;
    SvgRect box{1e9, 1e9, -1e9, -1e9};
    for (const SvgPoint& p : polygon) {
      box = {std::min(box.left, p.x + kTouching), std::min(box.top, p.y + kTouching),
             std::max(box.right, p.x - kTouching), std::max(box.bottom, p.y - kTouching)};
    }
    if (begins_shape || shapes_.empty()) {
      shapes_.emplace_back(1e9, 1e9, -1e9, -1e9);
    }
    const auto over = [&box](const SvgRect& other) {
      const SvgRect both = common(box, other);
      return both.left < both.right && both.top < both.bottom;
    };
    if (shapes_.size() > kMost || std::any_of(shapes_.begin(), shapes_.end() - 1, over)) {
      return true;
    }
    SvgRect& own = shapes_.back();
    own = {std::min(own.left, box.left), std::min(own.top, box.top), std::max(own.right, box.right),
           std::max(own.bottom, box.bottom)};
    return false;
  }
  void clear() { shapes_.clear(); }

 private:
  static constexpr std::size_t kMost = 256;
  std::vector<SvgRect> shapes_;
};

class SvgWriter {
 public:
  SvgWriter(const ImDrawData& data, const SvgRect& area)
      : area_(common(area,
                     {data.DisplayPos.x, data.DisplayPos.y, data.DisplayPos.x + data.DisplaySize.x,
                      data.DisplayPos.y + data.DisplaySize.y})),
        atlas_(*ImGui::GetIO().Fonts),
        glyphs_(atlas_),
        triangles_(atlas_) {}

  std::string write(const ImDrawData& data, const ImVec4& ground);

 private:
  void add_list(const ImDrawList& list);
  void add_triangles(const ImDrawList& list, const ImDrawCmd& command);
  void add_piece(const SvgPiece& piece, bool begins_shape);
  void add_glyph(const PlacedGlyph& glyph);
  void add_cells(const CellBatch& batch);
  void end_shape();
  void end_line();
  void end_both() {
    end_shape();
    end_line();
  }
  // Clips everything from here on to this rectangle. Returns false if nothing is visible.
  bool clip_to(const SvgRect& rect);
  int clip_number(const SvgRect& rect);  // of a clipPath, which is written on first use
  std::string fill_of(const SvgPaint& paint);

  SvgRect area_;
  const ImFontAtlas& atlas_;
  GlyphFinder glyphs_;
  SvgTriangles triangles_;
  std::string svg_;
  SvgOutline shape_;
  SvgPaint paint_;
  Overlap overlap_;
  SvgLine line_;
  SvgRect clip_;
  bool in_group_ = false;
  std::map<SvgRect, int> clips_;  // their numbers
  int gradients_ = 0;
};

std::string rect_attributes(const SvgRect& r) {
  return fmt::format("x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", svg_number(r.left),
                     svg_number(r.top), svg_number(r.right - r.left), svg_number(r.bottom - r.top));
}

std::string SvgWriter::write(const ImDrawData& data, const ImVec4& ground) {
  const std::string width = svg_number(area_.right - area_.left);
  const std::string height = svg_number(area_.bottom - area_.top);
  clip_ = area_;
  svg_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"{2} {3} {0} {1}\" xml:space=\"preserve\" text-rendering=\"geometricPrecision\" "
      "style=\"font-kerning:none\">\n<rect {4} {5}/>\n",
      width, height, svg_number(area_.left), svg_number(area_.top), rect_attributes(area_),
      svg_fill(ImGui::ColorConvertFloat4ToU32({ground.x, ground.y, ground.z, 1.0F})));
  for (const ImDrawList* list : data.CmdLists) {
    add_list(*list);
  }
  end_both();
  return std::exchange(svg_, {}) + (in_group_ ? "</g>\n</svg>\n" : "</svg>\n");
}

void SvgWriter::add_list(const ImDrawList& list) {
  for (const ImDrawCmd& command : list.CmdBuffer) {
    if (const auto batch = GlCellRenderer::batch_of(command)) {
      end_both();
      add_cells(*batch);
    } else if (command.UserCallback == nullptr && clip_to(to_rect(command.ClipRect))) {
      add_triangles(list, command);
    }
  }
}

void SvgWriter::add_cells(const CellBatch& batch) {
  if (clip_to(to_rect(batch.clip))) {
    for (const ui::CellInstance& cell : batch.cells) {
      append_cell(svg_, cell);
    }
  }
}

void SvgWriter::add_triangles(const ImDrawList& list, const ImDrawCmd& command) {
  const auto corner = [&](unsigned int i) -> const ImDrawVert& {
    const ImDrawIdx index = list.IdxBuffer[static_cast<int>(command.IdxOffset + i)];
    return list.VtxBuffer[static_cast<int>(command.VtxOffset + index)];
  };
  const ImDrawVert* newest = nullptr;  // of the shape that contains the triangles
  for (unsigned int i = 0; i + 2 < command.ElemCount; i += 3) {
    const std::array points{&corner(i), &corner(i + 1), &corner(i + 2)};
    const ImDrawVert* first = points[0];
    // A glyph is a quad of four consecutive corners, clockwise.
    if (i + 5 < command.ElemCount && points[1] == first + 1 && points[2] == first + 2 &&
        &corner(i + 3) == first && &corner(i + 4) == first + 2 && &corner(i + 5) == first + 3) {
      if (const auto glyph = glyphs_.find(std::span<const ImDrawVert, 4>(first, 4))) {
        add_glyph(*glyph);
        newest = first + 3;
        i += 3;
        continue;
      }
    }
    const auto [oldest, latest] = std::minmax_element(points.begin(), points.end());
    const bool begins_shape = newest == nullptr || *oldest > newest;
    newest = begins_shape ? *latest : std::max(newest, *latest);
    add_piece(triangles_.piece({*points[0], *points[1], *points[2]}), begins_shape);
  }
}

void SvgWriter::add_piece(const SvgPiece& piece, bool begins_shape) {
  if (piece.polygon.size() < 3) {
    return;
  }
  end_line();
  if (piece.paint != paint_) {
    end_shape();
  }
  const bool translucent = (piece.paint.colour >> IM_COL32_A_SHIFT) != 255;
  if (translucent && overlap_.covers(piece.polygon, begins_shape)) {
    end_shape();
    static_cast<void>(overlap_.covers(piece.polygon, true));
  }
  paint_ = piece.paint;
  shape_.add(piece.polygon);
  if (piece.hole.size() > 2) {
    shape_.add(piece.hole, true);
  }
}

void SvgWriter::add_glyph(const PlacedGlyph& glyph) {
  end_shape();
  if ((glyph.colour >> IM_COL32_A_SHIFT) == 0) {
    return;
  }
  if (is_private(glyph.character)) {
    end_line();
    svg_ += fmt::format("<path d=\"{}\" {}/>\n",
                        glyph_path(*glyph.source, glyph.character, glyph.size, glyph.place),
                        svg_fill(glyph.colour));
  } else if (!line_.add(glyph)) {
    end_line();
    static_cast<void>(line_.add(glyph));
  }
}

void SvgWriter::end_line() {
  if (line_.empty()) {
    return;
  }
  std::string attributes;
  if (line_.shown() != SvgRect{}) {
    attributes = fmt::format(" clip-path=\"url(#c{})\"", clip_number(common(line_.shown(), clip_)));
  }
  svg_ += line_.take(attributes);
}

void SvgWriter::end_shape() {
  overlap_.clear();
  if (shape_.empty()) {
    return;
  }
  const std::string path = std::exchange(shape_, {}).path();
  if (!path.empty()) {
    const std::string fill = fill_of(paint_);
    svg_ += fmt::format("<path d=\"{}\" {}/>\n", path, fill);
  }
}

std::string SvgWriter::fill_of(const SvgPaint& paint) {
  if (!paint.gradient) {
    return svg_fill(paint.colour);
  }
  const SvgPaint::Gradient& run = *paint.gradient;
  ++gradients_;
  svg_ += fmt::format(
      "<linearGradient id=\"g{}\" gradientUnits=\"userSpaceOnUse\" x1=\"{}\" y1=\"{}\" x2=\"{}\" "
      "y2=\"{}\"><stop offset=\"0\" {}/><stop offset=\"1\" {}/></linearGradient>\n",
      gradients_, svg_number(run.from.x), svg_number(run.from.y), svg_number(run.to.x),
      svg_number(run.to.y), svg_stop(paint.colour), svg_stop(run.end));
  return fmt::format("fill=\"url(#g{})\"", gradients_);
}

int SvgWriter::clip_number(const SvgRect& rect) {
  const auto [at, is_new] = clips_.try_emplace(rect, static_cast<int>(clips_.size()) + 1);
  if (is_new) {
    svg_ += fmt::format("<clipPath id=\"c{}\"><rect {}/></clipPath>\n", at->second,
                        rect_attributes(rect));
  }
  return at->second;
}

bool SvgWriter::clip_to(const SvgRect& rect) {
  const SvgRect clip = common(rect, area_);
  if (!(clip.left < clip.right) || !(clip.top < clip.bottom)) {
    return false;
  }
  if (clip == clip_) {
    return true;
  }
  end_both();
  if (std::exchange(in_group_, false)) {
    svg_ += "</g>\n";
  }
  clip_ = clip;
  if (clip != area_) {
    const int number = clip_number(clip);
    svg_ += fmt::format("<g clip-path=\"url(#c{})\">\n", number);
    in_group_ = true;
  }
  return true;
}

}  // namespace

std::string svg_of(const ImDrawData& data, const ImVec4& ground, const SvgRect& area) {
  return SvgWriter(data, area).write(data, ground);
}

void write_svg(const std::string& svg, const std::filesystem::path& file) {
  if (const Result<void> written = problem::write_file(file, svg); !written) {
    throw PlatformError(written.error().message);
  }
}

}  // namespace tilestep::platform
