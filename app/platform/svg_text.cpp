#include "platform/svg_text.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

namespace tilestep::platform {
namespace {

constexpr int kMostSpaces = 12;  // in one piece of text; wider gaps separate columns
constexpr double kExact = 0.02;  // pixels, between letters of one piece
// Pixels between two pieces of a line: each begins on a whole pixel, left of its exact position.
constexpr double kSnapped = 1.02;
constexpr double kOffLine = 0.05;  // of the text's size: deviation within one line

bool is_digit(ImWchar character) {
  return character >= '0' && character <= '9';
}

// Numbers of two cells that happen to be adjacent.
bool are_two_numbers(ImWchar last, ImWchar next) {
  constexpr ImWchar kMinus = 0x2212;
  return is_digit(last) && (is_digit(next) || next == kMinus || next == '-');
}

double length(SvgPoint p) {
  return std::hypot(p.x, p.y);
}

float space_of(const ImFontBaked& baked) {
  for (const ImFontGlyph& glyph : baked.Glyphs) {
    if (glyph.Codepoint == ' ') {
      return glyph.AdvanceX;
    }
  }
  return 0.0F;
}

// As Dear ImGui places glyphs (ImGui_ImplStbTrueType_FontBakedLoadGlyph): rounded.
SvgPoint pen_in_glyph(const ImFontBaked& baked, const ImFontConfig& source) {
  const float reference = baked.OwnerFont->Sources[0]->SizePixels;
  const float scale = reference > 0.0F ? baked.Size / reference : 1.0F;
  return {std::floor(source.GlyphOffset.x * scale + 0.5F),
          std::round(baked.Ascent) + std::floor(source.GlyphOffset.y * scale + 0.5F)};
}

std::string escaped(ImWchar character) {
  switch (character) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    default: {
      char utf8[5] = {};
      return {utf8, static_cast<std::size_t>(ImTextCharToUtf8(utf8, character))};
    }
  }
}

}  // namespace

GlyphFinder::GlyphFinder(const ImFontAtlas& atlas)
    : width_(atlas.TexData->Width), height_(atlas.TexData->Height) {
  owners_.resize(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_));
  ImStableVector<ImFontBaked, 32>& pool = atlas.Builder->BakedPool;
  for (int i = 0; i < pool.Size; ++i) {
    const ImFontBaked& baked = pool[i];
    if (baked.WantDestroy != 0) {
      continue;
    }
    const float space = space_of(baked);
    for (const ImFontGlyph& glyph : baked.Glyphs) {
      if (glyph.Visible == 0) {
        continue;
      }
      entries_.push_back({&baked, &glyph, space});
      const auto texel = [](float at, int size) {
        return std::clamp(static_cast<int>(std::lround(at * static_cast<float>(size))), 0, size);
      };
      const int right = texel(glyph.U1, width_);
      const int bottom = texel(glyph.V1, height_);
      for (int y = texel(glyph.V0, height_); y < bottom; ++y) {
        const int left = texel(glyph.U0, width_);
        std::fill_n(owners_.begin() + static_cast<std::ptrdiff_t>(y) * width_ + left,
                    std::max(0, right - left), static_cast<std::uint32_t>(entries_.size()));
      }
    }
  }
}

std::optional<PlacedGlyph> GlyphFinder::find(std::span<const ImDrawVert, 4> quad) const {
  const ImVec2 from = quad[0].uv;
  const ImVec2 to = quad[2].uv;
  const int u = static_cast<int>((from.x + to.x) * 0.5F * static_cast<float>(width_));
  const int v = static_cast<int>((from.y + to.y) * 0.5F * static_cast<float>(height_));
  if (u < 0 || v < 0 || u >= width_ || v >= height_ || !(to.x > from.x) || !(to.y > from.y)) {
    return std::nullopt;
  }
  const std::uint32_t owner =
      owners_[static_cast<std::size_t>(v) * static_cast<std::size_t>(width_) +
              static_cast<std::size_t>(u)];
  if (owner == 0) {
    return std::nullopt;
  }
  const auto& [baked, glyph, space] = entries_[owner - 1];
  // The position of the quad's corners in the glyph: the whole glyph, or the part after Dear
  // ImGui's clipping.
  const double to_x = (glyph->X1 - glyph->X0) / (glyph->U1 - glyph->U0);
  const double to_y = (glyph->Y1 - glyph->Y0) / (glyph->V1 - glyph->V0);
  const double left = glyph->X0 + (from.x - glyph->U0) * to_x;
  const double top = glyph->Y0 + (from.y - glyph->V0) * to_y;
  const double width = (to.x - from.x) * to_x;
  const double height = (to.y - from.y) * to_y;
  const auto direction = [](const ImDrawVert& a, const ImDrawVert& b, double size) {
    return SvgPoint{(b.pos.x - a.pos.x) / size, (b.pos.y - a.pos.y) / size};
  };
  PlacedGlyph placed;
  placed.character = static_cast<ImWchar>(glyph->Codepoint);
  placed.source = baked->OwnerFont->Sources[static_cast<int>(glyph->SourceIdx)];
  placed.place.along = direction(quad[0], quad[1], width);
  placed.place.down = direction(quad[1], quad[2], height);
  const SvgPoint pen = pen_in_glyph(*baked, *placed.source);
  const SvgPoint& along = placed.place.along;
  const SvgPoint& down = placed.place.down;
  placed.place.pen = {
      quad[0].pos.x + along.x * (pen.x - left) + down.x * (pen.y - top),
      quad[0].pos.y + along.y * (pen.x - left) + down.y * (pen.y - top),
  };
  const double scale = length(along);
  placed.size = baked->Size * scale;
  placed.advance = glyph->AdvanceX * scale;
  placed.space = space * scale;
  placed.colour = quad[0].col;
  constexpr float kWhole = 1e-6F;
  if (from.x > glyph->U0 + kWhole) {
    placed.shown.left = quad[0].pos.x;
  }
  if (from.y > glyph->V0 + kWhole) {
    placed.shown.top = quad[0].pos.y;
  }
  if (to.x < glyph->U1 - kWhole) {
    placed.shown.right = quad[2].pos.x;
  }
  if (to.y < glyph->V1 - kWhole) {
    placed.shown.bottom = quad[2].pos.y;
  }
  return placed;
}

SvgFace SvgLine::face_of(const PlacedGlyph& glyph) {
  const auto known = faces_.find(glyph.source);
  return known != faces_.end()
             ? known->second
             : faces_.emplace(glyph.source, svg_face(*glyph.source)).first->second;
}

std::optional<SvgLine::Gap> SvgLine::gap_before(const PlacedGlyph& glyph) const {
  const Run& last = runs_.back();
  const SvgPoint along = last.first.place.along;
  const double scale = length(along);
  const SvgPoint unit{along.x / scale, along.y / scale};
  const SvgPoint other = glyph.place.along;
  const double turn = unit.x * other.y - unit.y * other.x;
  const double ahead = unit.x * other.x + unit.y * other.y;
  const double dx = glyph.place.pen.x - last.first.place.pen.x;
  const double dy = glyph.place.pen.y - last.first.place.pen.y;
  if (std::abs(turn) > 0.01 || ahead <= 0.0 ||
      std::abs(unit.x * dy - unit.y * dx) > last.first.size * kOffLine) {
    return std::nullopt;
  }
  const double gap = unit.x * dx + unit.y * dy - last.length;
  const double space = last.first.space > 0.0 ? last.first.space : glyph.space;
  const double spaces = space > 0.0 ? std::max(0.0, std::round(gap / space)) : 0.0;
  const double error = std::abs(gap - spaces * space);
  if (error <= kExact && spaces <= kMostSpaces) {
    return Gap{static_cast<int>(spaces), spaces * space, true};
  }
  if (error <= kSnapped && spaces <= 1.0 && !are_two_numbers(last.last, glyph.character)) {
    return Gap{static_cast<int>(spaces), spaces * space, false};
  }
  return std::nullopt;
}

bool SvgLine::add(const PlacedGlyph& glyph) {
  const SvgFace face = face_of(glyph);
  bool same_run = false;
  if (runs_.empty()) {
    shown_ = {};
  } else {
    const auto gap = gap_before(glyph);
    if (!gap) {
      return false;
    }
    Run& last = runs_.back();
    last.text.append(static_cast<std::size_t>(gap->spaces), ' ');
    last.length += gap->width;
    same_run = gap->exact && last.face == face && last.first.colour == glyph.colour &&
               std::abs(last.first.size - glyph.size) < 0.01;
  }
  if (!same_run) {
    runs_.push_back({{}, face, glyph, 0, 0.0});
  }
  Run& run = runs_.back();
  run.text += escaped(glyph.character);
  run.last = glyph.character;
  const SvgPoint from = run.first.place.pen;
  const SvgPoint at = glyph.place.pen;
  run.length = std::hypot(at.x - from.x, at.y - from.y) + glyph.advance;
  shown_.left = std::max(shown_.left, glyph.shown.left);
  shown_.top = std::max(shown_.top, glyph.shown.top);
  shown_.right = std::min(shown_.right, glyph.shown.right);
  shown_.bottom = std::min(shown_.bottom, glyph.shown.bottom);
  return true;
}

std::string SvgLine::run_attributes(const Run& run) const {
  const SvgPoint origin = runs_.front().first.place.pen;
  const double along =
      std::hypot(run.first.place.pen.x - origin.x, run.first.place.pen.y - origin.y);
  std::string text =
      fmt::format(" x=\"{}\" y=\"{}\" font-family=\"{}\" font-size=\"{}\" {}",
                  svg_number(origin.x + along), svg_number(origin.y), run.face.family,
                  svg_number(run.first.size * run.face.em), svg_fill(run.first.colour));
  if (run.face.bold) {
    text += " font-weight=\"bold\"";
  }
  // If another font replaces it, its text gets the same width.
  text +=
      fmt::format(" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\"", svg_number(run.length));
  return text;
}

std::string SvgLine::take(const std::string& attributes) {
  const SvgPoint along = runs_.front().first.place.along;
  const SvgPoint pen = runs_.front().first.place.pen;
  std::string turned;
  if (const double angle = std::atan2(along.y, along.x) * 180.0 / std::acos(-1.0);
      std::abs(angle) > 0.01) {
    turned = fmt::format(" transform=\"rotate({} {} {})\"", svg_number(angle), svg_number(pen.x),
                         svg_number(pen.y));
  }
  std::string element = "<text" + attributes + turned;
  if (runs_.size() == 1) {
    element += run_attributes(runs_.front()) + ">" + runs_.front().text;
  } else {
    element += '>';
    for (const Run& run : runs_) {
      element += "<tspan" + run_attributes(run) + ">" + run.text + "</tspan>";
    }
  }
  runs_.clear();
  return element + "</text>\n";
}

}  // namespace tilestep::platform
