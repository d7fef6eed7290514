#include "ui/stage/sum_strip.h"

#include "problem/tr.h"
#include "ui/stage/sum_boxes.h"
#include "ui/stage/sum_pen.h"
#include "ui/sum_text.h"
#include "ui/theme.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tilestep::ui {
namespace {

constexpr float kLeastSentence = 0.6F;  // of a line of text

// The newest term and the value alone; where that is too long, in numbers, or the value.
void draw_last(const Context& context, const SumStory& story, ImVec2 at, float width, float font) {
  const Theme& t = context.theme;
  const SumText& sum = *story.sum;
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
  SumPen pen(context, at, size);
  if (!fits(last, result) && !sum.value.empty()) {
    pen.mono(sum.head + " " + sum.value, t.text);
  } else {
    pen.mono(head, t.text);
    pen.term(last + " ", sum.from_a_and_b);
    pen.result(result);
  }
  const std::string coming = "  " + to_come(story.to_come);
  if (story.to_come > 0 &&
      pen.x() + context.fonts.text->CalcTextSizeA(font, 1e6F, 0.0F, coming.c_str()).x <=
          at.x + width) {
    pen.write(coming, t.text_dim, context.fonts.text);
  }
}

// The thread's other sums, as many as fit.
std::string others_text(const Context& context, const SumStory& story, float font, float width) {
  std::string text;
  for (const SumStory::Other& other : story.others) {
    const std::string longer = text + (text.empty() ? "" : " · ") + other.text;
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

// Smaller where it would be cut off.
void paint_sentence(const Context& context, const std::string& text, Box box) {
  const float font = ImGui::GetFontSize();
  ImFont* const face = context.fonts.text;
  float size = font;
  const auto is_cut = [&] {
    return face->CalcTextSizeA(size, 1e6F, box.w, text.c_str()).y > box.h - 0.15F * font;
  };
  if (is_cut()) {  // two lines begin higher
    box = {box.x, box.y - 0.35F * font, box.w, box.h + 0.35F * font};
  }
  while (size > kLeastSentence * font && is_cut()) {
    size -= 0.5F;
  }
  ImGui::GetWindowDrawList()->AddText(face, size, {box.x, box.y}, context.theme.text_dim,
                                      text.c_str(), nullptr, box.w);
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
  SumPen head(context, {box.x + pad, box.y + 0.5F * pad}, font);
  head.mono(story.element, yellow);
  if (!story.element.empty()) {
    head.write(story.progress.empty() ? tr("  so far") : tr("  so far, {}", story.progress),
               t.text_dim, context.fonts.text);
  }
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
    SumPen pen(context, {box.x + pad, y}, font);
    for (const std::string& term : line) {
      pen.term(term + " ", story.sum->from_a_and_b);
    }
    y += 1.3F * font;
  }
  SumPen end(context, {box.right() - pad - result_width, box.bottom() - 0.4F * pad - large}, large);
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
    SumPen head(context, {from.x + pad, from.y + 0.4F * font}, font);
    head.write(note + "   ", t.text_dim, context.fonts.text);
    head.write(story.title, t.text, context.fonts.text);
    if (!story.progress.empty()) {
      head.write(" · " + story.progress, t.text, context.fonts.text);
    }
    const std::string also = " · " + story.also;
    const float width = context.fonts.text->CalcTextSizeA(font, 1e6F, 0.0F, also.c_str()).x;
    if (!story.also.empty() && head.x() + width <= to.x - pad) {  // of a number all or nothing
      head.write(also, t.text_dim, context.fonts.text);
    }
    const float left = head.x() + 1.5F * font;
    head.write("   " + others_text(context, story, font, to.x - pad - left), t.text_dim,
               context.fonts.text);
  }
  const ImVec2 at(from.x + pad, from.y + (is_short ? 0.55F : 1.85F) * font);
  if (story.sum && size.y < 2.8F * font) {
    draw_last(context, story, at, size.x - 2.0F * pad, font);
  } else if (story.sum) {
    draw_sum_boxes(context, story, at, size.x - 2.0F * pad);
  } else {
    paint_sentence(context, story.sentence, {at.x, at.y, size.x - 2.0F * pad, to.y - at.y});
  }
  list.PopClipRect();
}

}  // namespace tilestep::ui
