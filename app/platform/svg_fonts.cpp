#include "platform/svg_text.h"

#include <fmt/format.h>

#include <array>

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
#define STBTT_STATIC
#define STB_TRUETYPE_IMPLEMENTATION
#include <imstb_truetype.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

namespace tilestep::platform {
namespace {

struct FamilyOfFile {
  std::string_view file;  // prefix of the file's name
  std::string_view family;
  bool bold = false;
};
constexpr std::string_view kSans = "Roboto, sans-serif";
constexpr std::string_view kDyslexic = "OpenDyslexic, sans-serif";
constexpr std::string_view kFixed = "Inconsolata, monospace";
constexpr std::string_view kChineseFamily = "Droid Sans Fallback, Noto Sans CJK SC, sans-serif";
constexpr std::array kFamilies{
    FamilyOfFile{"Roboto-Bold", kSans, true}, FamilyOfFile{"Roboto", kSans},
    FamilyOfFile{"Inconsolata", kFixed},      FamilyOfFile{"OpenDyslexic-Bold", kDyslexic, true},
    FamilyOfFile{"OpenDyslexic", kDyslexic},  FamilyOfFile{"DroidSansFallback", kChineseFamily}};

bool open_font(const ImFontConfig& source, stbtt_fontinfo& font) {
  const auto* bytes = static_cast<const unsigned char*>(source.FontData);
  if (bytes == nullptr) {
    return false;
  }
  const int offset = stbtt_GetFontOffsetForIndex(bytes, static_cast<int>(source.FontNo));
  return offset >= 0 && stbtt_InitFont(&font, bytes, offset) != 0;
}

std::string curve(const stbtt_vertex& v, const GlyphPlace& place, double scale) {
  const auto point = [&](int x, int y) {
    const double along = x * scale;
    const double down = -y * scale;
    return svg_number(place.pen.x + place.along.x * along + place.down.x * down) + "," +
           svg_number(place.pen.y + place.along.y * along + place.down.y * down);
  };
  switch (v.type) {
    case STBTT_vmove:
      return "M" + point(v.x, v.y);
    case STBTT_vline:
      return "L" + point(v.x, v.y);
    case STBTT_vcurve:
      return "Q" + point(v.cx, v.cy) + " " + point(v.x, v.y);
    default:
      return "C" + point(v.cx, v.cy) + " " + point(v.cx1, v.cy1) + " " + point(v.x, v.y);
  }
}

}  // namespace

SvgFace svg_face(const ImFontConfig& source) {
  SvgFace face{kSans};
  for (const FamilyOfFile& known : kFamilies) {
    if (std::string_view(source.Name).starts_with(known.file)) {
      face.family = known.family;
      face.bold = known.bold;
      break;
    }
  }
  if (stbtt_fontinfo font{}; open_font(source, font)) {
    face.em = source.ExtraSizeScale * stbtt_ScaleForPixelHeight(&font, 1.0F) /
              stbtt_ScaleForMappingEmToPixels(&font, 1.0F);
  }
  return face;
}

std::string glyph_path(const ImFontConfig& source, ImWchar character, double size,
                       const GlyphPlace& place) {
  stbtt_fontinfo font{};
  if (!open_font(source, font)) {
    return {};
  }
  stbtt_vertex* vertices = nullptr;
  const int count = stbtt_GetCodepointShape(&font, character, &vertices);
  const double scale = size * source.ExtraSizeScale * stbtt_ScaleForPixelHeight(&font, 1.0F);
  std::string path;
  for (int i = 0; i < count; ++i) {
    path += curve(vertices[i], place, scale);
  }
  stbtt_FreeShape(&font, vertices);
  return path.empty() ? path : path + "Z";
}

}  // namespace tilestep::platform
