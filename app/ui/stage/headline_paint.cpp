#include "ui/stage/headline.h"
#include "ui/theme.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

namespace tilestep::ui {
namespace {

constexpr float kTitle = 1.55F;  // heights of the phase's name, in lines of text
constexpr float kLongTitle = 1.2F;

// The phase's colour as a bar beside its words.
void paint_bar(const Context& context, const Headline& headline, ImVec2 from, float height) {
  const float width = std::round(0.28F * ImGui::GetFontSize());
  ImGui::GetWindowDrawList()->AddRectFilled(from, {from.x + width, from.y + height},
                                            phase_colour(context.theme, headline.kind).fill,
                                            0.5F * width);
}

ImVec2 title_size(const Context& context, const Headline& headline, float size, float wrap) {
  return context.fonts.bold->CalcTextSizeA(size, 1e6F, wrap, headline.phase.c_str());
}

ImU32 sentence_colour(const Theme& theme, Verdict verdict) {
  return verdict == Verdict::Right   ? theme.good
         : verdict == Verdict::Wrong ? theme.bad
                                     : theme.text;
}

}  // namespace

float draw_headline_in_corner(const Context& context, const Headline& headline, ImVec2 from,
                              ImVec2 size) {
  const float font = ImGui::GetFontSize();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float indent = std::round(0.7F * font);
  const float wrap = size.x - indent;
  // "multiply tile 1, write back" is allowed two lines, in smaller type.
  float title = kTitle * font;
  if (title_size(context, headline, title, 0.0F).x > wrap) {
    title = kLongTitle * font;
  }
  const float x = from.x + indent;
  float y = from.y;
  list.PushClipRect(from, {from.x + size.x, from.y + size.y}, true);
  list.AddText(context.fonts.text, font, {x, y}, context.theme.text_dim, headline.where.c_str(),
               nullptr, wrap);
  y += context.fonts.text->CalcTextSizeA(font, 1e6F, wrap, headline.where.c_str()).y + 0.35F * font;
  list.AddText(context.fonts.bold, title, {x, y}, context.theme.text, headline.phase.c_str(),
               nullptr, wrap);
  y += title_size(context, headline, title, wrap).y + 0.45F * font;
  list.AddText(context.fonts.text, font, {x, y}, sentence_colour(context.theme, headline.verdict),
               headline.sentence.c_str(), nullptr, wrap);
  const ImVec2 text =
      context.fonts.text->CalcTextSizeA(font, 1e6F, wrap, headline.sentence.c_str());
  list.PopClipRect();
  const float height = std::min(size.y, y + text.y - from.y);
  paint_bar(context, headline, from, height);
  return height;
}

float draw_headline_band(const Context& context, const Headline& headline, ImVec2 from, float width,
                         bool on_plate) {
  const float font = ImGui::GetFontSize();
  const float height = 2.55F * font;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float indent = std::round(0.7F * font);
  const float title = 1.15F * font;
  const float title_width = title_size(context, headline, title, 0.0F).x;
  if (on_plate) {
    const float sentence =
        context.fonts.text->CalcTextSizeA(font, 1e6F, 0.0F, headline.sentence.c_str()).x;
    const float where =
        context.fonts.text->CalcTextSizeA(font, 1e6F, 0.0F, headline.where.c_str()).x;
    const float right =
        std::min(width, 2.0F * indent + std::max(sentence, title_width + font + where));
    list.AddRectFilled({from.x - 0.3F * font, from.y - 0.3F * font},
                       {from.x + right, from.y + height + 0.2F * font}, context.theme.panel,
                       0.3F * font);
  }
  paint_bar(context, headline, from, height);
  const float x = from.x + indent;
  const float right = from.x + width;
  list.PushClipRect(from, {right, from.y + height + 2.0F}, true);
  list.AddText(context.fonts.bold, title, {x, from.y}, context.theme.text, headline.phase.c_str());
  list.AddText(context.fonts.text, font, {x + title_width + 0.8F * font, from.y + 0.1F * font},
               context.theme.text_dim, headline.where.c_str());
  list.PopClipRect();
  const float y = from.y + 1.4F * font;
  ImGui::PushStyleColor(ImGuiCol_Text, sentence_colour(context.theme, headline.verdict));
  ImGui::RenderTextEllipsis(&list, {x, y}, {right, y + 1.2F * font}, right,
                            headline.sentence.c_str(), nullptr, nullptr);
  ImGui::PopStyleColor();
  return height;
}

}  // namespace tilestep::ui
