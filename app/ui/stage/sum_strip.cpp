#include "ui/stage/sum_strip.h"

#include "ui/stage/number_text.h"
#include "ui/theme.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tilestep::ui {
namespace {

constexpr std::uint32_t kConstant = 0xffffffffU;
constexpr const char* kEllipsis = "+ … ";

std::string value(float number) {
  return full_number(static_cast<double>(number));
}

std::string place(const insight::Term::Factor& factor, const problem::Launch& launch) {
  if (!factor.via.empty()) {
    return factor.via;
  }
  if (factor.launch_buffer == kConstant || factor.launch_buffer >= launch.buffers.size()) {
    return value(factor.value);
  }
  return fmt::format("{}[{}][{}]", launch.buffers[factor.launch_buffer].name, factor.row,
                     factor.col);
}

std::size_t characters(const std::string& utf8) {
  return static_cast<std::size_t>(
      std::count_if(utf8.begin(), utf8.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// One piece of the sum in its colour, where the previous one ended.
class Pen {
 public:
  Pen(const Context& context, ImVec2 at, float size)
      : context_(context), list_(*ImGui::GetWindowDrawList()), at_(at), size_(size) {}

  void write(const std::string& text, ImU32 colour, ImFont* font) {
    list_.AddText(font, size_, {std::round(at_.x), at_.y}, colour, text.c_str());
    at_.x += font->CalcTextSizeA(size_, 1e6F, 0.0F, text.c_str()).x;
  }
  void mono(const std::string& text, ImU32 colour) { write(text, colour, context_.fonts.mono); }

 private:
  const Context& context_;
  ImDrawList& list_;
  ImVec2 at_;
  float size_;
};

void draw_sum(const Context& context, const SumText& sum, ImVec2 at, float width, float font) {
  const Theme& t = context.theme;
  const float size = 1.1F * font;
  const float advance = context.fonts.mono->CalcTextSizeA(size, 1e6F, 0.0F, "0").x;
  const auto columns = static_cast<std::size_t>(std::max(8.0F, width / advance));
  const std::size_t head = characters(sum.head) + 1;
  const Elision shown = elide(sum.terms, columns > head ? columns - head : 0);
  Pen first(context, at, size);
  first.mono(sum.head + " ", t.text);
  std::string line;
  for (std::size_t i = 0; i < shown.front; ++i) {
    line += sum.terms[i] + " ";
  }
  if (shown.front + shown.back < sum.terms.size()) {
    line += sum.terms.size() == shown.back ? "" : kEllipsis;
  }
  for (std::size_t i = sum.terms.size() - shown.back; i < sum.terms.size(); ++i) {
    line += sum.terms[i] + " ";
  }
  first.mono(line, t.text);
  // With one term only, it follows on the first line.
  const float below = sum.terms.empty() ? 0.0F : 1.3F * size;
  Pen second(context, {at.x + advance * static_cast<float>(head), at.y + below}, size);
  second.mono(sum.last + " ", t.warning);
  second.mono(sum.result, t.text);
}

}  // namespace

SumText sum_text(const insight::Accumulation& accumulation, const problem::Launch& launch) {
  SumText text;
  text.head = accumulation.variable + " =";
  std::vector<std::string> pieces;
  if (accumulation.initial != 0.0F || accumulation.terms.empty()) {
    pieces.push_back(value(accumulation.initial));
  }
  // Summed as the thread did, one term after the other.
  float before = accumulation.initial;
  for (std::size_t i = 0; i < accumulation.terms.size(); ++i) {
    const insight::Term& term = accumulation.terms[i];
    const std::string sign = pieces.empty() ? "" : "+ ";
    if (i + 1 < accumulation.terms.size()) {
      pieces.push_back(sign + value(term.a.value) + "·" + value(term.b.value));
      before += term.a.value * term.b.value;
      continue;
    }
    text.last = sign + place(term.a, launch) + "·" + place(term.b, launch);
    const std::string product = value(term.a.value) + "·" + value(term.b.value);
    text.result = pieces.empty() ? fmt::format("= {} = {}", product, value(accumulation.value))
                                 : fmt::format("= {} + {} = {}", value(before), product,
                                               value(accumulation.value));
  }
  if (accumulation.terms.empty()) {
    text.last = value(accumulation.initial);
    pieces.clear();
  }
  if (!accumulation.complete) {
    text.result += "  (and terms that are not products)";
  }
  text.terms = std::move(pieces);
  return text;
}

Elision elide(const std::vector<std::string>& terms, std::size_t budget) {
  std::size_t all = 0;
  for (const std::string& term : terms) {
    all += characters(term) + 1;
  }
  if (all <= budget) {
    return {terms.size(), 0};
  }
  // Two from the front, then as many of the latest as fit.
  Elision shown;
  std::size_t used = characters(kEllipsis);
  while (shown.front < std::min<std::size_t>(2, terms.size()) &&
         used + characters(terms[shown.front]) + 1 <= budget) {
    used += characters(terms[shown.front]) + 1;
    ++shown.front;
  }
  while (shown.front + shown.back < terms.size()) {
    const std::string& term = terms[terms.size() - 1 - shown.back];
    if (used + characters(term) + 1 > budget) {
      break;
    }
    used += characters(term) + 1;
    ++shown.back;
  }
  return shown;
}

void draw_sum_strip(const Context& context, const std::string& note, ImVec2 from, ImVec2 size) {
  const Theme& t = context.theme;
  const float font = ImGui::GetFontSize();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 to(from.x + size.x, from.y + size.y);
  list.AddRectFilled(from, to, t.raised, 0.35F * font);
  list.AddRect(from, to, t.border, 0.35F * font);
  list.PushClipRect(from, to, true);
  const float pad = 0.6F * font;
  list.AddText(context.fonts.text, font, {from.x + pad, from.y + 0.4F * font}, t.text_dim,
               note.c_str());
  const ImVec2 at(from.x + pad, from.y + 1.85F * font);
  if (context.view.accumulation != nullptr && context.view.scene != nullptr) {
    const SumText sum = sum_text(*context.view.accumulation, context.view.scene->launch);
    draw_sum(context, sum, at, size.x - 2.0F * pad, font);
  } else {
    const bool none = context.view.scene == nullptr || context.view.scene->accumulator.empty();
    list.AddText(context.fonts.text, font, at, t.text_dim,
                 none ? "This kernel does not add up products."
                      : "This thread has not added any product yet.");
  }
  list.PopClipRect();
}

float sum_strip_height(float font) {
  return std::round(5.0F * font);
}

}  // namespace tilestep::ui
