// Text on screen: line breaks, widths, and lines of several colors and fonts.
#pragma once

#include "narration/sentence.h"
#include "ui/panel.h"

#include <imgui.h>

#include <string>
#include <string_view>

namespace tilestep::ui {

// CJK symbols, kana, ideographs and full-width forms (Unicode blocks).
[[nodiscard]] bool is_wide_character(unsigned c);

// Whether a line may break between two adjacent characters: between ideographs, but not before a
// closing mark or after an opening one (W3C, "Requirements for Chinese Text Layout").
[[nodiscard]] bool may_break_between(unsigned before, unsigned after);

// The text with line breaks inserted for the current font; unchanged if it has no ideographs,
// because Dear ImGui itself breaks at blanks.
[[nodiscard]] std::string with_line_breaks(std::string_view text, float width);

// The same for ImGui::TextWrapped: up to the right edge of the region, or the wrap position.
void text_in_lines(std::string_view text);

// The width of one line, in pixels.
[[nodiscard]] float text_width(ImFont* font, float size, const std::string& text);

// ImGui's text in another font.
void text_in(ImFont* font, const std::string& text);
void text_in(ImFont* font, const std::string& text, ImU32 colour);

// A piece's color (`plain` if it has none) and font.
[[nodiscard]] ImU32 hue_colour(const Theme& theme, narration::Hue hue, ImU32 plain);
[[nodiscard]] ImFont* font_of(const Context& context, const narration::Piece& piece);
[[nodiscard]] float pieces_width(const Context& context, const narration::Pieces& pieces,
                                 float size);

// Writes texts of several colors and fonts one after another, each from a whole pixel on.
class TextPen {
 public:
  // `size`: of the text in pixels. Without a list: draws to the current window's.
  TextPen(const Context& context, ImVec2 at, float size, ImDrawList* list = nullptr);

  void write(const std::string& text, ImU32 colour, ImFont* font);
  void mono(const std::string& text, ImU32 colour) { write(text, colour, context_.fonts.mono); }
  void pieces(const narration::Pieces& pieces, ImU32 plain);
  [[nodiscard]] float x() const { return at_.x; }
  void move_to(float x) { at_.x = x; }

 private:
  const Context& context_;
  ImDrawList& list_;
  ImVec2 at_;
  float size_;
};

}  // namespace tilestep::ui
