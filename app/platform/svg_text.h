// Text of a finished frame: quads that show a glyph of the font atlas become characters again, and
// neighbors in one line become one text element.
#pragma once

#include "platform/svg_path.h"

#include <imgui.h>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilestep::platform {

// The data of a font file for an SVG: its name in other programs, the size of its letters, and the
// outlines of the icons, which other programs have no font for.

// A font as an SVG names it.
struct SvgFace {
  std::string_view family;  // value of font-family, with fallbacks
  bool bold = false;
  double em = 1.0;  // font-size per pixel of Dear ImGui's size, which is from ascent to descent

  bool operator==(const SvgFace&) const = default;
};
[[nodiscard]] SvgFace svg_face(const ImFontConfig& source);

// The position of a glyph's pen on the baseline, and the directions of its text; one unit is a
// pixel of the size that it was made for.
struct GlyphPlace {
  SvgPoint pen;
  SvgPoint along{1.0, 0.0};
  SvgPoint down{0.0, 1.0};
};
// Path data of a character at `size` (Dear ImGui's). Empty if the font does not have it.
[[nodiscard]] std::string glyph_path(const ImFontConfig& source, ImWchar character, double size,
                                     const GlyphPlace& place);

// One character on the page.
struct PlacedGlyph {
  ImWchar character = 0;
  const ImFontConfig* source = nullptr;
  GlyphPlace place;
  double size = 0.0;     // Dear ImGui's, on the page
  double advance = 0.0;  // on the page, as the next three
  double space = 0.0;    // of this font and size; 0: no space was drawn
  ImU32 colour = 0;
  SvgRect shown;  // Dear ImGui's clipping of the quad
};

class GlyphFinder {
 public:
  // Uses the present atlas: a frame in which it grew has coordinates of another texture.
  explicit GlyphFinder(const ImFontAtlas& atlas);

  // The corners of a quad, clockwise from the glyph's top left. Nullopt if it shows no glyph.
  [[nodiscard]] std::optional<PlacedGlyph> find(std::span<const ImDrawVert, 4> quad) const;

 private:
  struct Entry {
    const ImFontBaked* baked = nullptr;
    const ImFontGlyph* glyph = nullptr;
    float space = 0.0F;
  };
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> owners_;  // by texel: index of the entry plus one, or 0
  int width_ = 0;
  int height_ = 0;
};

// Collects the characters of one line.
class SvgLine {
 public:
  // Returns false if the glyph does not continue this line: write the line, then add it again.
  [[nodiscard]] bool add(const PlacedGlyph& glyph);
  [[nodiscard]] bool empty() const { return runs_.empty(); }
  // Dear ImGui's clipping of the line.
  [[nodiscard]] const SvgRect& shown() const { return shown_; }
  // The element with `attributes`; the line is empty afterwards.
  [[nodiscard]] std::string take(const std::string& attributes);

 private:
  struct Run {
    std::string text;
    SvgFace face;
    PlacedGlyph first;
    ImWchar last = 0;
    double length = 0.0;
  };
  [[nodiscard]] SvgFace face_of(const PlacedGlyph& glyph);
  struct Gap {
    int spaces = 0;
    double width = 0.0;
    bool exact = false;  // as within one piece of text
  };
  // The gap between the line's end and the glyph. Nullopt if it is not on this line.
  [[nodiscard]] std::optional<Gap> gap_before(const PlacedGlyph& glyph) const;
  [[nodiscard]] std::string run_attributes(const Run& run) const;

  std::vector<Run> runs_;
  SvgRect shown_;
  std::map<const ImFontConfig*, SvgFace> faces_;
};

}  // namespace tilestep::platform
