#include "ui/stage/sum_strip.h"

#include "ui/sum_text.h"
#include "ui/theme.h"

#include <algorithm>
#include <cmath>
#include <vector>

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
  // "+ 6·(−2)": the factors in their matrices' hues.
  void term(const std::string& text, bool from_a_and_b) {
    const Theme& t = context_.theme;
    const std::string dot = "·";
    const std::size_t at = text.find(dot);
    if (!from_a_and_b || at == std::string::npos || text.find(dot, at + 1) != std::string::npos) {
      mono(text, t.text);
      return;
    }
    const std::size_t blank = text.find(' ');
    const std::size_t first = blank < at ? blank + 1 : 0;
    mono(text.substr(0, first), t.text_dim);
    mono(text.substr(first, at - first), role_colours(t, insight::ValueRole::A).line);
    mono(dot, t.text_dim);
    mono(text.substr(at + dot.size()), role_colours(t, insight::ValueRole::B).line);
  }
  // "= 33 + (−2)·(−4) = 41": what the thread holds is a sum.
  void result(const std::string& text) {
    const Theme& t = context_.theme;
    const std::size_t at = text.rfind("= ");
    const std::size_t value = at == std::string::npos ? 0 : at + 2;
    mono(text.substr(0, value), t.text);
    mono(text.substr(value), role_colours(t, insight::ValueRole::Sum).line);
  }
  [[nodiscard]] float x() const { return at_.x; }
  void mono(const std::string& text, ImU32 colour) { write(text, colour, context_.fonts.mono); }

 private:
  const Context& context_;
  ImDrawList& list_;
  ImVec2 at_;
  float size_;
};

// The newest term and the value alone; where that is too long, in numbers, or the value.
void draw_last(const Context& context, const SumText& sum, ImVec2 at, float width, float font) {
  const Theme& t = context.theme;
  const float size = 1.1F * font;
  const float advance = context.fonts.mono->CalcTextSizeA(size, 1e6F, 0.0F, "0").x;
  const std::string head = sum.head + (sum.terms.empty() ? " " : " … ");
  const auto fits = [&](const std::string& last, const std::string& result) {
    return static_cast<float>(sum_columns(head + last + " " + result)) * advance <= width;
  };
  std::string last = sum.last;
  std::string result = sum.result;
  if (!fits(last, result) && !sum.last_numbers.empty()) {
    last = sum.last_numbers;
    result = "= " + sum.value;
  }
  Pen pen(context, at, size);
  if (!fits(last, result) && !sum.value.empty()) {
    pen.mono(sum.head + " " + sum.value, t.text);
    return;
  }
  pen.mono(head, t.text);
  pen.term(last + " ", sum.from_a_and_b);
  pen.result(result);
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
  for (std::size_t i = 0; i < shown.front; ++i) {
    first.term(sum.terms[i] + " ", sum.from_a_and_b);
  }
  if (shown.front + shown.back < sum.terms.size()) {
    first.mono(sum.terms.size() == shown.back ? "" : kSumEllipsis, t.text_dim);
  }
  for (std::size_t i = sum.terms.size() - shown.back; i < sum.terms.size(); ++i) {
    first.term(sum.terms[i] + " ", sum.from_a_and_b);
  }
  // With one term only, it follows on the first line.
  const float below = sum.terms.empty() ? 0.0F : 1.3F * size;
  Pen second(context, {at.x + advance * static_cast<float>(head), at.y + below}, size);
  if (head + sum_columns(sum.last + sum.result) + 1 > columns && !sum.last_numbers.empty()) {
    second.term(sum.last_numbers + " ", sum.from_a_and_b);
    second.result("= " + sum.value);
    return;
  }
  second.term(sum.last + " ", sum.from_a_and_b);
  second.result(sum.result);
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

// Lines of terms that are not wider than `columns`; where there are too many lines, the last ones.
std::vector<std::vector<std::string>> wrapped(const SumText& sum, std::size_t columns,
                                              std::size_t most_lines) {
  std::vector<std::string> terms = sum.terms;
  if (!sum.last_numbers.empty()) {
    terms.push_back(sum.last_numbers);
  }
  std::vector<std::vector<std::string>> lines(1);
  std::size_t used = 0;
  for (const std::string& term : terms) {
    const std::size_t width = sum_columns(term) + 1;
    if (used + width > columns && used > 0) {
      lines.emplace_back();
      used = 0;
    }
    lines.back().push_back(term);
    used += width;
  }
  if (lines.size() > most_lines) {
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(most_lines));
    lines.front().front() = "… " + lines.front().front();
  }
  return lines;
}

}  // namespace

void draw_large_sum(const Context& context, const SumStory& story, const Box& box) {
  const Theme& t = context.theme;
  const float font = ImGui::GetFontSize();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 to(box.right(), box.bottom());
  list.AddRectFilled({box.x, box.y}, to, t.raised, 0.35F * font);
  list.PushClipRect({box.x, box.y}, to, true);
  const float pad = 0.7F * font;
  const ImU32 yellow = role_colours(t, insight::ValueRole::Sum).line;
  Pen head(context, {box.x + pad, box.y + 0.5F * pad}, font);
  head.mono(story.element, yellow);
  const std::string progress = story.progress.empty() ? "" : ", " + story.progress;
  head.write(story.element.empty() ? "" : "  so far" + progress, t.text_dim, context.fonts.text);
  if (!story.sum) {
    list.AddText(context.fonts.text, font, {box.x + pad, box.y + 2.2F * font}, t.text,
                 story.sentence.c_str(), nullptr, box.w - 2.0F * pad);
    list.PopClipRect();
    return;
  }
  const float advance = context.fonts.mono->CalcTextSizeA(font, 1e6F, 0.0F, "0").x;
  const float large = 1.5F * font;
  const std::string result = "= " + story.sum->value;
  const float result_width = context.fonts.mono->CalcTextSizeA(large, 1e6F, 0.0F, result.c_str()).x;
  const auto columns = static_cast<std::size_t>((box.w - 2.0F * pad) / advance);
  const auto lines = wrapped(*story.sum, columns, 3);
  float y = box.y + 2.0F * font;
  for (const auto& line : lines) {
    Pen pen(context, {box.x + pad, y}, font);
    for (const std::string& term : line) {
      pen.term(term + " ", story.sum->from_a_and_b);
    }
    y += 1.3F * font;
  }
  Pen end(context, {box.right() - pad - result_width, box.bottom() - 0.4F * pad - large}, large);
  end.mono("= ", t.text_dim);
  end.mono(story.sum->value, yellow);
  list.PopClipRect();
}

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
    if (!story.progress.empty()) {
      head.write(" · " + story.progress, t.text, context.fonts.text);
    }
    if (!story.also.empty()) {
      head.write(" · " + story.also, t.text_dim, context.fonts.text);
    }
    const float left = head.x() + 1.5F * font;
    head.write("   " + others_text(context, story, font, to.x - pad - left), t.text_dim,
               context.fonts.text);
  }
  const ImVec2 at(from.x + pad, from.y + (is_short ? 0.55F : 1.85F) * font);
  if (story.sum && size.y < 2.8F * font) {
    draw_last(context, *story.sum, at, size.x - 2.0F * pad, font);
  } else if (story.sum) {
    draw_sum(context, *story.sum, at, size.x - 2.0F * pad, font);
  } else {
    list.AddText(context.fonts.text, font, at, t.text_dim, story.sentence.c_str());
  }
  list.PopClipRect();
}

}  // namespace tilestep::ui
