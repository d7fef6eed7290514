#include "ui/stage/narration_paint.h"

#include "ui/theme.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

namespace tilestep::ui {
namespace {

// Heights of text, in lines.
constexpr float kEyebrow = 0.95F;
constexpr float kSentence = 1.55F;
constexpr float kSmallSentence = 1.1F;
constexpr float kNote = 0.92F;
constexpr float kSentenceAt = 1.45F;
constexpr float kNoteAt = 3.5F;

ImU32 colour_of(const Theme& theme, narration::Hue hue, ImU32 plain) {
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

float width_of(const Context& context, const narration::Pieces& pieces, float size) {
  float width = 0.0F;
  for (const narration::Piece& piece : pieces) {
    width += font_of(context, piece)->CalcTextSizeA(size, 1e6F, 0.0F, piece.text.c_str()).x;
  }
  return width;
}

// Pieces side by side; returns where they end.
float paint_pieces(const Context& context, const narration::Pieces& pieces, ImVec2 at, float size,
                   ImU32 plain) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (const narration::Piece& piece : pieces) {
    ImFont* font = font_of(context, piece);
    list.AddText(font, size, at, colour_of(context.theme, piece.hue, plain), piece.text.c_str());
    at.x += font->CalcTextSizeA(size, 1e6F, 0.0F, piece.text.c_str()).x;
  }
  return at.x;
}

// The long form where it fits, else the short one, else smaller letters.
void paint_sentence(const Context& context, const narration::Sentence& sentence, ImVec2 at,
                    float width) {
  const float font = ImGui::GetFontSize();
  const narration::Pieces* pieces = &sentence.long_form;
  float size = kSentence * font;
  if (width_of(context, *pieces, size) > width) {
    const bool small_fits = width_of(context, *pieces, kSmallSentence * font) <= width;
    if (small_fits && width_of(context, *pieces, 1.3F * font) <= width) {
      size = 1.3F * font;
    } else if (!sentence.short_form.empty()) {
      pieces = &sentence.short_form;
    }
  }
  const float least = 0.85F * font;
  for (float needed = width_of(context, *pieces, size); needed > width && size > least;
       needed = width_of(context, *pieces, size)) {
    size = std::max(least, std::min(size - 1.0F, std::floor(size * width / needed)));
  }
  at.y += 0.5F * (kSentence * font - size);
  paint_pieces(context, *pieces, {at.x, std::round(at.y)}, size, context.theme.text);
}

narration::Pieces eyebrow_of(const Headline& headline, bool is_short) {
  const narration::Eyebrow& eyebrow = headline.told.eyebrow;
  narration::Pieces pieces;
  const auto add = [&pieces](const std::string& text, bool strong, narration::Hue hue) {
    if (!text.empty()) {
      pieces.push_back({(pieces.empty() ? "" : "   ") + text, hue, strong});
    }
  };
  add(eyebrow.phase, false, narration::Hue::None);
  add(eyebrow.name, true, narration::Hue::None);
  if (!is_short) {
    add(eyebrow.pass, false, narration::Hue::None);
    add(eyebrow.block, false, narration::Hue::None);
  }
  add(eyebrow.lanes, false, narration::Hue::Fault);
  return pieces;
}

// Returns where it ends.
float paint_eyebrow(const Context& context, const narration::Pieces& pieces, ImVec2 at,
                    float size) {
  const Theme& t = context.theme;
  for (const narration::Piece& piece : pieces) {
    at.x = paint_pieces(context, {piece}, at, size, piece.strong ? t.text : t.text_dim);
  }
  return at.x;
}

void paint_one_line(const Context& context, const Headline& headline, const Box& box) {
  const float font = ImGui::GetFontSize();
  const float size = kEyebrow * font;
  const float y = std::round(box.y + 0.5F * (box.h - size));
  const narration::Sentence& sentence = headline.told.sentence;
  const narration::Pieces eyebrow = eyebrow_of(headline, true);
  const float least = 0.8F * font;
  float left = box.x + width_of(context, eyebrow, size) + font;
  // All of it where there is room; large enough that nobody wishes for less.
  const bool has_room = width_of(context, sentence.long_form, 1.1F * font) <= box.right() - left;
  const narration::Pieces& pieces =
      has_room || sentence.short_form.empty() ? sentence.long_form : sentence.short_form;
  if (width_of(context, pieces, least) > box.right() - left) {
    left = box.x;  // the sentence tells more than where it belongs
  } else {
    paint_eyebrow(context, eyebrow, {box.x, y}, size);
  }
  float text = 1.3F * font;
  while (text > least && width_of(context, pieces, text) > box.right() - left) {
    text -= 1.0F;
  }
  const float x = std::max(left, box.right() - width_of(context, pieces, text));
  paint_pieces(context, pieces, {std::round(x), std::round(box.y + 0.5F * (box.h - text))}, text,
               context.theme.text);
}

}  // namespace

ImU32 hue_colour(const Theme& theme, narration::Hue hue, ImU32 plain) {
  return colour_of(theme, hue, plain);
}

void paint_narration(const Context& context, const Headline& headline, const std::string& note,
                     const Box& box, bool is_short) {
  if (is_short) {
    paint_one_line(context, headline, box);
    return;
  }
  const float font = ImGui::GetFontSize();
  const float size = kEyebrow * font;
  const float end =
      paint_eyebrow(context, eyebrow_of(headline, false), {box.x, std::round(box.y)}, size);
  const float note_width = context.fonts.text->CalcTextSizeA(size, 1e6F, 0.0F, note.c_str()).x;
  if (end + 2.0F * size + note_width <= box.right()) {
    ImGui::GetWindowDrawList()->AddText(context.fonts.text, size,
                                        {std::round(box.right() - note_width), std::round(box.y)},
                                        context.theme.text_dim, note.c_str());
  }
  paint_sentence(context, headline.told.sentence, {box.x, box.y + kSentenceAt * font}, box.w);
  if (!headline.told.notes.empty() && box.h >= (kNoteAt + kNote) * font) {
    const narration::Sentence& about = headline.told.notes.front();
    const bool fits = width_of(context, about.long_form, kNote * font) <= box.w;
    paint_pieces(context, fits || about.short_form.empty() ? about.long_form : about.short_form,
                 {box.x, std::round(box.y + kNoteAt * font)}, kNote * font, context.theme.text_dim);
  }
}

}  // namespace tilestep::ui
