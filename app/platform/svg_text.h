// Text of a finished frame: quads that show a glyph of the font atlas become characters again, and
// neighbours of one line become one text element.
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

// What an SVG has to know of a font file: its name for other programs, how large its letters are,
// and the outlines of the icons, which no other program has a font for.

struct SvgFace {
  std::string_view family;  // value of font-family, with its substitutes
  bool bold = false;
  double em = 1.0;  // font-size for one pixel of Dear ImGui's size, which is ascent to descent

  bool operator==(const SvgFace&) const = default;
};
[[nodiscard]] SvgFace svg_face(const ImFontConfig& source);

// Where a glyph's pen is, on the base line, and the directions of its text; one unit is a pixel
// of the size that it was made for.
struct GlyphPlace {
  SvgPoint pen;
  SvgPoint along{1.0, 0.0};
  SvgPoint down{0.0, 1.0};
};
// Path data of a character at `size` (Dear ImGui's). Empty where the font does not have it.
[[nodiscard]] std::string glyph_path(const ImFontConfig& source, ImWchar character, double size,
                                     const GlyphPlace& place);

// One character as it is on the page.
struct PlacedGlyph {
  ImWchar character = 0;
  const ImFontConfig* source = nullptr;
  GlyphPlace place;
  double size = 0.0;     // Dear ImGui's, on the page
  double advance = 0.0;  // on the page, as the next three
  double space = 0.0;    // of this font and size; 0: no space was ever drawn
  ImU32 colour = 0;
  SvgRect shown;  // where Dear ImGui cut the quad
};

class GlyphFinder {
 public:
  // Reads the atlas as it is now: a frame in which it grew has coordinates of another texture.
  explicit GlyphFinder(const ImFontAtlas& atlas);

  // The corners of a quad, clockwise from the glyph's top left. Nothing where it shows no glyph.
  [[nodiscard]] std::optional<PlacedGlyph> find(std::span<const ImDrawVert, 4> quad) const;

 private:
  struct Entry {
    const ImFontBaked* baked = nullptr;
    const ImFontGlyph* glyph = nullptr;
    float space = 0.0F;
  };
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> owners_;  // by texel: one more than the entry, or 0
  int width_ = 0;
  int height_ = 0;
};

// Collects the characters of one line.
class SvgLine {
 public:
  // False where the glyph does not go on with this line: write the line, then add again.
  [[nodiscard]] bool add(const PlacedGlyph& glyph);
  [[nodiscard]] bool empty() const { return runs_.empty(); }
  // Where Dear ImGui cut the line.
  [[nodiscard]] const SvgRect& shown() const { return shown_; }
  // The element, with `attributes` in it; the line is empty afterwards.
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
  // Between the line's end and the glyph. Nothing where it is elsewhere.
  [[nodiscard]] std::optional<Gap> gap_before(const PlacedGlyph& glyph) const;
  [[nodiscard]] std::string run_attributes(const Run& run) const;

  std::vector<Run> runs_;
  SvgRect shown_;
  std::map<const ImFontConfig*, SvgFace> faces_;
};

}  // namespace tilestep::platform
