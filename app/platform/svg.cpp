#include "platform/svg.h"

#include "platform/cell_renderer.h"
#include "platform/error.h"
#include "platform/svg_cells.h"
#include "platform/svg_text.h"
#include "platform/svg_triangles.h"
#include "problem/file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace tilestep::platform {
namespace {

// Icons: other programs have no letters for them.
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

// Translucent shapes that overlap must not become one: then the overlap would not be darker.
class Overlap {
 public:
  // Whether the polygon lies over a shape other than its own; if not, it is noted.
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
  // Everything from here on is cut to this rectangle. False where nothing can be seen.
  bool clip_to(const SvgRect& rect);
  int clip_number(const SvgRect& rect);  // of a clipPath, which is written where it is new
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
  const ImDrawVert* newest = nullptr;  // of the shape that the triangles belong to
  for (unsigned int i = 0; i + 2 < command.ElemCount; i += 3) {
    const std::array points{&corner(i), &corner(i + 1), &corner(i + 2)};
    const ImDrawVert* first = points[0];
    // A glyph is a quad of four corners in a row, clockwise.
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
