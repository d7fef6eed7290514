// What an SVG has to know of a font file: its name for other programs, how large its letters are,
// and the outlines of the icons, which no other program has a font for.
#pragma once

#include "platform/svg_path.h"

#include <imgui.h>

#include <string>
#include <string_view>

namespace tilestep::platform {

struct SvgFace {
  std::string_view family;  // value of font-family, with what stands in for it
  bool bold = false;
  double em = 1.0;  // font-size for one pixel of Dear ImGui's size, which is ascent to descent

  bool operator==(const SvgFace&) const = default;
};
[[nodiscard]] SvgFace svg_face(const ImFontConfig& source);

// Where a glyph's pen stands, on the base line, and the directions of its text; one unit is a pixel
// of the size that it was made for.
struct GlyphPlace {
  SvgPoint pen;
  SvgPoint along{1.0, 0.0};
  SvgPoint down{0.0, 1.0};
};
// Path data of a character at `size` (Dear ImGui's). Empty where the font does not have it.
[[nodiscard]] std::string glyph_path(const ImFontConfig& source, ImWchar character, double size,
                                     const GlyphPlace& place);

}  // namespace tilestep::platform
