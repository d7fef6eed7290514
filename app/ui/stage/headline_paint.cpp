#include "ui/stage/headline.h"
#include "ui/theme.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

namespace tilestep::ui {
namespace {

// The phase's colour as a bar beside its words.
void paint_bar(const Context& context, const Headline& headline, ImVec2 from, float height) {
  const float width = std::round(0.28F * ImGui::GetFontSize());
  ImGui::GetWindowDrawList()->AddRectFilled(from, {from.x + width, from.y + height},
                                            phase_colour(context.theme, headline.kind).fill,
                                            0.5F * width);
}

}  // namespace

void draw_headline_in_corner(const Context& context, const Headline& headline, ImVec2 from,
                             ImVec2 size) {
  const float font = ImGui::GetFontSize();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float indent = std::round(0.7F * font);
  const float wrap = size.x - indent;
  float title = 1.55F * font;
  const auto title_width = [&] {
    return context.fonts.bold->CalcTextSizeA(title, 1e6F, 0.0F, headline.phase.c_str()).x;
  };
  while (title > 1.1F * font && title_width() > wrap) {
    title -= 0.05F * font;
  }
  const float x = from.x + indent;
  float y = from.y;
  list.PushClipRect(from, {from.x + size.x, from.y + size.y}, true);
  list.AddText(context.fonts.text, font, {x, y}, context.theme.text_dim, headline.where.c_str());
  y += 1.35F * font;
  list.AddText(context.fonts.bold, title, {x, y}, context.theme.text, headline.phase.c_str());
  y += title + 0.45F * font;
  list.AddText(context.fonts.text, font, {x, y}, context.theme.text, headline.sentence.c_str(),
               nullptr, wrap);
  const ImVec2 text =
      context.fonts.text->CalcTextSizeA(font, 1e6F, wrap, headline.sentence.c_str());
  list.PopClipRect();
  paint_bar(context, headline, from, std::min(size.y, y + text.y - from.y));
}

float draw_headline_band(const Context& context, const Headline& headline, ImVec2 from, float width,
                         bool on_plate) {
  const float font = ImGui::GetFontSize();
  const float height = 2.55F * font;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float indent = std::round(0.7F * font);
  const float title = 1.15F * font;
  const float title_width =
      context.fonts.bold->CalcTextSizeA(title, 1e6F, 0.0F, headline.phase.c_str()).x;
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
  ImGui::RenderTextEllipsis(&list, {x, y}, {right, y + 1.2F * font}, right,
                            headline.sentence.c_str(), nullptr, nullptr);
  return height;
}

}  // namespace tilestep::ui
