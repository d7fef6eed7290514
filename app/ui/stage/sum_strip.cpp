#include "ui/stage/sum_strip.h"

#include "ui/sum_text.h"
#include "ui/theme.h"

#include <algorithm>
#include <cmath>

namespace tilestep::ui {
namespace {

// One piece of the sum in its colour, where the previous one ended.
class Pen {
 public:
  Pen(const Context& context, ImVec2 at, float size)
      : context_(context), list_(*ImGui::GetWindowDrawList()), at_(at), size_(size) {}

  void write(const std::string& text, ImU32 colour, ImFont* font) {
    list_.AddText(font, size_, {std::round(at_.x), at_.y}, colour, text.c_str());
    at_.x += font->CalcTextSizeA(size_, 1e6F, 0.0F, text.c_str()).x;
  }
  [[nodiscard]] float x() const { return at_.x; }
  void mono(const std::string& text, ImU32 colour) { write(text, colour, context_.fonts.mono); }

 private:
  const Context& context_;
  ImDrawList& list_;
  ImVec2 at_;
  float size_;
};

// The newest term and the value alone.
void draw_last(const Context& context, const SumText& sum, ImVec2 at, float font) {
  const Theme& t = context.theme;
  Pen pen(context, at, 1.1F * font);
  pen.mono(sum.head + (sum.terms.empty() ? " " : " … "), t.text);
  pen.mono(sum.last + " ", role_colours(t, insight::ValueRole::Sum).line);
  pen.mono(sum.result, t.text);
}

void draw_sum(const Context& context, const SumText& sum, ImVec2 at, float width, float font) {
  const Theme& t = context.theme;
  const float size = 1.1F * font;
  const float advance = context.fonts.mono->CalcTextSizeA(size, 1e6F, 0.0F, "0").x;
  const auto columns = static_cast<std::size_t>(std::max(8.0F, width / advance));
  const std::size_t head = sum_columns(sum.head) + 1;
  const Elision shown = elide(sum.terms, columns > head ? columns - head : 0);
  Pen first(context, at, size);
  first.mono(sum.head + " ", t.text);
  std::string line;
  for (std::size_t i = 0; i < shown.front; ++i) {
    line += sum.terms[i] + " ";
  }
  if (shown.front + shown.back < sum.terms.size()) {
    line += sum.terms.size() == shown.back ? "" : kSumEllipsis;
  }
  for (std::size_t i = sum.terms.size() - shown.back; i < sum.terms.size(); ++i) {
    line += sum.terms[i] + " ";
  }
  first.mono(line, t.text);
  // With one term only, it follows on the first line.
  const float below = sum.terms.empty() ? 0.0F : 1.3F * size;
  Pen second(context, {at.x + advance * static_cast<float>(head), at.y + below}, size);
  second.mono(sum.last + " ", role_colours(t, insight::ValueRole::Sum).line);
  second.mono(sum.result, t.text);
}

// The thread's other sums, as many as fit.
std::string others_text(const Context& context, const SumStory& story, float font, float width) {
  std::string text;
  for (const std::string& other : story.others) {
    const std::string longer = text + (text.empty() ? "" : " · ") + other;
    if (context.fonts.text->CalcTextSizeA(font, 1e6F, 0.0F, (longer + " …").c_str()).x > width) {
      return text + (text.empty() ? "" : " …");
    }
    text = longer;
  }
  return text;
}

}  // namespace

void draw_sum_strip(const Context& context, const std::string& note, const SumStory& story,
                    ImVec2 from, ImVec2 size, bool is_short) {
  const Theme& t = context.theme;
  const float font = ImGui::GetFontSize();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 to(from.x + size.x, from.y + size.y);
  list.AddRectFilled(from, to, t.raised, 0.35F * font);
  list.AddRect(from, to, t.border, 0.35F * font);
  list.PushClipRect(from, to, true);
  const float pad = 0.6F * font;
  if (!is_short) {
    Pen head(context, {from.x + pad, from.y + 0.4F * font}, font);
    head.write(note + "   ", t.text_dim, context.fonts.text);
    head.write(story.title, t.text, context.fonts.text);
    if (!story.also.empty()) {
      head.write(" · " + story.also, t.text_dim, context.fonts.text);
    }
    const float left = head.x() + 1.5F * font;
    head.write("   " + others_text(context, story, font, to.x - pad - left), t.text_dim,
               context.fonts.text);
  }
  const ImVec2 at(from.x + pad, from.y + (is_short ? 0.55F : 1.85F) * font);
  if (story.sum && size.y < 2.8F * font) {
    draw_last(context, *story.sum, at, font);
  } else if (story.sum) {
    draw_sum(context, *story.sum, at, size.x - 2.0F * pad, font);
  } else {
    list.AddText(context.fonts.text, font, at, t.text_dim, story.sentence.c_str());
  }
  list.PopClipRect();
}

}  // namespace tilestep::ui
