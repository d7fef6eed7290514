#include "ui/text.h"

#include "ui/theme.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace tilestep::ui {
namespace {

bool is_one_of(unsigned c, std::u32string_view characters) {
  return characters.find(static_cast<char32_t>(c)) != std::u32string_view::npos;
}

constexpr std::u32string_view kClosing = U"，。、；：？！）》」』】〉”’％…·,.;:?!)]%";
constexpr std::u32string_view kOpening = U"（《「『【〈“‘([";

// Tracks the width of a growing line.
class LineBreaker {
 public:
  LineBreaker(std::string_view text, float width) : text_(text), width_(width) {}

  std::string broken() {
    unsigned before = 0;
    for (std::size_t at = 0; at < text_.size();) {
      unsigned c = 0;
      const char* const from = text_.data() + at;
      const int size = ImTextCharFromUtf8(&c, from, text_.data() + text_.size());
      if (c == '\n') {
        take(at);
        line_ = 0.0F;
      } else {
        if (before == ' ' || may_break_between(before, c)) {
          take(at);
        }
        piece_ += ImGui::CalcTextSize(from, from + size).x;
      }
      before = c;
      at += static_cast<std::size_t>(std::max(size, 1));
    }
    take(text_.size());
    return std::move(out_);
  }

 private:
  // Adds the text since the last possible break; it moves to the next line if it does not fit.
  void take(std::size_t end) {
    if (line_ > 0.0F && line_ + piece_ > width_) {
      while (!out_.empty() && out_.back() == ' ') {
        out_.pop_back();
      }
      out_ += '\n';
      line_ = 0.0F;
    }
    out_ += text_.substr(done_, end - done_);
    line_ += piece_;
    piece_ = 0.0F;
    done_ = end;
  }

  std::string_view text_;
  float width_;
  std::string out_;
  std::size_t done_ = 0;
  float line_ = 0.0F;
  float piece_ = 0.0F;
};

bool has_wide_character(std::string_view text) {
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at < end;) {
    unsigned c = 0;
    at += std::max(ImTextCharFromUtf8(&c, at, end), 1);
    if (is_wide_character(c)) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool is_wide_character(unsigned c) {
  return (c >= 0x2E80 && c <= 0x9FFF) || (c >= 0xF900 && c <= 0xFAFF) ||
         (c >= 0xFF00 && c <= 0xFFEF) || (c >= 0x20000 && c <= 0x3FFFF);
}

bool may_break_between(unsigned before, unsigned after) {
  return before != 0 && (is_wide_character(before) || is_wide_character(after)) &&
         !is_one_of(after, kClosing) && !is_one_of(before, kOpening) && after != ' ';
}

std::string with_line_breaks(std::string_view text, float width) {
  return has_wide_character(text) ? LineBreaker(text, width).broken() : std::string(text);
}

void text_in_lines(std::string_view text) {
  const float wrap = ImGui::GetCurrentWindow()->DC.TextWrapPos;
  const float width =
      wrap > 0.0F ? wrap - ImGui::GetCursorPosX() : ImGui::GetContentRegionAvail().x;
  const std::string lines = with_line_breaks(text, width);
  ImGui::TextWrapped("%s", lines.c_str());
}

float text_width(ImFont* font, float size, const std::string& text) {
  return font->CalcTextSizeA(size, FLT_MAX, 0.0F, text.c_str()).x;
}

void text_in(ImFont* font, const std::string& text) {
  ImGui::PushFont(font, 0.0F);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopFont();
}

void text_in(ImFont* font, const std::string& text, ImU32 colour) {
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  text_in(font, text);
  ImGui::PopStyleColor();
}

ImU32 hue_colour(const Theme& theme, narration::Hue hue, ImU32 plain) {
  switch (hue) {
    case narration::Hue::FromA:
      return role_colours(theme, insight::ValueRole::A).line;
    case narration::Hue::FromB:
      return role_colours(theme, insight::ValueRole::B).line;
    case narration::Hue::Sum:
      return role_colours(theme, insight::ValueRole::Sum).line;
    case narration::Hue::Good:
      return theme.good;
    case narration::Hue::Fault:
      return theme.bad;
    case narration::Hue::None:
      break;
  }
  return plain;
}

ImFont* font_of(const Context& context, const narration::Piece& piece) {
  return piece.strong ? context.fonts.bold : context.fonts.text;
}

float pieces_width(const Context& context, const narration::Pieces& pieces, float size) {
  float width = 0.0F;
  for (const narration::Piece& piece : pieces) {
    width += text_width(font_of(context, piece), size, piece.text);
  }
  return width;
}

TextPen::TextPen(const Context& context, ImVec2 at, float size, ImDrawList* list)
    : context_(context),
      list_(list != nullptr ? *list : *ImGui::GetWindowDrawList()),
      at_(at),
      size_(size) {}

void TextPen::write(const std::string& text, ImU32 colour, ImFont* font) {
  list_.AddText(font, size_, {std::round(at_.x), at_.y}, colour, text.c_str());
  at_.x += text_width(font, size_, text);
}

void TextPen::pieces(const narration::Pieces& pieces, ImU32 plain) {
  for (const narration::Piece& piece : pieces) {
    write(piece.text, hue_colour(context_.theme, piece.hue, plain), font_of(context_, piece));
  }
}

}  // namespace tilestep::ui
